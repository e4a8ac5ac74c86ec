// A wall clock that is set back under the process, without the right to set the machine's.
//
//   const ClockSetBack set_back;      // and whatever waits by the wall clock waits for an hour
//   more
//
// While it lives, the wall clock that this process reads is an hour ahead of the kernel's, by which
// the kernel ends waits: as if it were set back after each look at it. Link the object library
// topicwall_test_clock, which stands before libc.
#ifndef TOPICWALL_TESTS_SUPPORT_CLOCK_CLOCK_SET_BACK_H_
#define TOPICWALL_TESTS_SUPPORT_CLOCK_CLOCK_SET_BACK_H_

namespace topicwall::testing {

class ClockSetBack {
 public:
  ClockSetBack();
  ~ClockSetBack();
  ClockSetBack(const ClockSetBack&) = delete;
  ClockSetBack& operator=(const ClockSetBack&) = delete;
};

}  // namespace topicwall::testing

#endif  // TOPICWALL_TESTS_SUPPORT_CLOCK_CLOCK_SET_BACK_H_

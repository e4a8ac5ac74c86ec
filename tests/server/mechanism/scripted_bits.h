// Random bits that a test writes down, to force the one path it is about.
#ifndef TOPICWALL_TESTS_SERVER_MECHANISM_SCRIPTED_BITS_H_
#define TOPICWALL_TESTS_SERVER_MECHANISM_SCRIPTED_BITS_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace topicwall::mechanism {

// Stands in for random::Keystream: every draw is the next number of the script, which must
// fit what is asked for. Drawing beyond the end is a failure of the test.
class ScriptedBits {
 public:
  explicit ScriptedBits(std::vector<uint64_t> script) : script_(std::move(script)) {}

  uint64_t NextBits(int count) {
    const uint64_t bits = Next();
    EXPECT_TRUE(count == 64 || bits >> count == 0) << bits << " has more than " << count << " bits";
    return bits;
  }

  uint64_t NextBelow(uint64_t bound) {
    const uint64_t number = Next();
    EXPECT_LT(number, bound);
    return number;
  }

  std::size_t left() const { return script_.size() - next_; }

 private:
  uint64_t Next() {
    if (next_ < script_.size()) return script_[next_++];
    ADD_FAILURE() << "the script of " << script_.size() << " draws is over";
    // Values that differ from draw to draw, so that the code under test ends.
    return ++beyond_ % 2;
  }

  std::vector<uint64_t> script_;
  std::size_t next_ = 0;
  uint64_t beyond_ = 0;
};

}  // namespace topicwall::mechanism

#endif  // TOPICWALL_TESTS_SERVER_MECHANISM_SCRIPTED_BITS_H_

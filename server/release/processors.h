// Processors that are kept free of computing, so that nobody who asks the server something feels
// that a release is being computed, or how long it takes.
//
//   const Processors processors = Processors::OfThisProcess();   // once, at start
//   processors.KeepFree();      // on the thread that computes; those it starts do the same
//
// Of the processors that the process may use two are kept free, one where there are two, none where
// there is one: that machine protects nobody whose requests can be measured, and says so
// (CorpusDescription.free_processors). So does one whose processors were taken away since, or whose
// control group has a quota of less than them (resource_limits.h): computing uses it up, and
// whoever answers stands still as well. What is shared nevertheless (memory bandwidth, caches,
// clock frequency) stays a residual.
//
// Privacy: PUBLIC. Threads: immutable. Errors: none; where the system does not say or does not
// allow (more than 1,024 processors, for instance), none are kept free and num_free() is 0.
#ifndef TOPICWALL_SERVER_RELEASE_PROCESSORS_H_
#define TOPICWALL_SERVER_RELEASE_PROCESSORS_H_

#include <sched.h>

namespace topicwall::release {

class Processors {
 public:
  // By the affinity of the calling thread.
  static Processors OfThisProcess();
  // For tests: of these.
  static Processors Of(const cpu_set_t& all);

  int num_free() const { return num_free_; }
  // Of these, those that are still there and free: by the affinity of the calling thread, which
  // must not be one that computes, and by the quota. Cost: reads a few files of the kernel's.
  int NumFreeNow() const;
  // For tests: where the process may use `now`, and so many processors' time.
  int NumFreeOf(const cpu_set_t& now, double quota) const;

  // The calling thread computes on the others from now on, or again on all.
  void KeepFree() const { Use(others_); }
  void UseAll() const { Use(all_); }

 private:
  Processors(const cpu_set_t& all, const cpu_set_t& others, int num_free)
      : all_(all), others_(others), num_free_(num_free) {}
  void Use(const cpu_set_t& processors) const;

  cpu_set_t all_;
  cpu_set_t others_;  // all but the free ones
  int num_free_;
};

}  // namespace topicwall::release

#endif  // TOPICWALL_SERVER_RELEASE_PROCESSORS_H_

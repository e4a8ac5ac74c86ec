// Answers by everything they depend on, for whoever asks the same again.
//
//   std::optional<Answer> known = cache.Find(key);
//   if (!known.has_value()) cache.Keep(key, {price.SerializeAsString()});
//
// A key says all that goes into the answer (the head of a budget's chain stands for everything the
// ledger knows), so nothing can go stale; what was not asked for longest makes room.
//
// PUBLIC: answers about configuration and ledger, each under its caller's own key.
// Threads: any. Memory: `most_bytes` of keys and answers, and some 100 bytes for each.
#ifndef TOPICWALL_SERVER_ACTS_ANSWER_CACHE_H_
#define TOPICWALL_SERVER_ACTS_ANSWER_CACHE_H_

#include <cstddef>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"

namespace topicwall::acts {

using Answer = std::vector<std::string>;  // its messages, in order

class AnswerCache {
 public:
  explicit AnswerCache(size_t most_bytes) : most_bytes_(most_bytes) {}

  std::optional<Answer> Find(absl::string_view key) ABSL_LOCKS_EXCLUDED(mutex_);
  // An answer that would need more than all of the cache is not kept.
  void Keep(absl::string_view key, Answer answer) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Entry {
    std::string key;
    Answer answer;
    size_t bytes;
  };

  const size_t most_bytes_;
  absl::Mutex mutex_;
  std::list<Entry> entries_ ABSL_GUARDED_BY(mutex_);  // asked for last: first
  std::map<absl::string_view, std::list<Entry>::iterator> places_ ABSL_GUARDED_BY(mutex_);
  size_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace topicwall::acts

#endif  // TOPICWALL_SERVER_ACTS_ANSWER_CACHE_H_

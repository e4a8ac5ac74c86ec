// Answers that were dear to work out, by everything they depend on.
//
//   std::optional<std::string> known = cache.Find(key);
//   if (!known.has_value()) cache.Keep(key, answer.SerializeAsString());
//
// A key is a digest of all that goes into the answer (the head of a budget's chain stands for
// everything the ledger knows), so nothing can go stale; what was not asked for longest makes room.
//
// PUBLIC: answers about configuration and ledger, each under its caller's own key.
// Threads: any. Memory: kMostBytes of keys and answers, and some 100 bytes for each.
#ifndef TOPICWALL_SERVER_VAULT_LINES_ANSWER_CACHE_H_
#define TOPICWALL_SERVER_VAULT_LINES_ANSWER_CACHE_H_

#include <cstddef>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"

namespace topicwall::server {

class AnswerCache {
 public:
  static constexpr size_t kMostBytes = size_t{4} << 20;

  std::optional<std::string> Find(absl::string_view key);
  // An answer larger than all of the cache is not kept.
  void Keep(absl::string_view key, std::string answer);

 private:
  using Entry = std::pair<std::string, std::string>;  // key, answer

  absl::Mutex mutex_;
  std::list<Entry> entries_ ABSL_GUARDED_BY(mutex_);  // asked for last: first
  std::map<absl::string_view, std::list<Entry>::iterator> places_ ABSL_GUARDED_BY(mutex_);
  size_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_VAULT_LINES_ANSWER_CACHE_H_

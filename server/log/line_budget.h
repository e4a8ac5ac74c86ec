// How many lines of a log somebody may cause: kBurst at once, then kLinesASecond.
//
//   const LineBudget::Verdict verdict = budget.Take("alice", base::SteadyNow());
//   if (verdict.write) ... with verdict.left_out, how many lines of alice's were not written ...
//
// So nobody can fill a disk, or hide what others do in a flood of their own. Names beyond kNames,
// which only certificates that the authority signed can bring, share one budget.
//
// PUBLIC. Threads: one at a time. Memory: kNames names.
#ifndef TOPICWALL_SERVER_LOG_LINE_BUDGET_H_
#define TOPICWALL_SERVER_LOG_LINE_BUDGET_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace topicwall::server {

class LineBudget {
 public:
  static constexpr double kBurst = 100;
  static constexpr double kLinesASecond = 1;
  static constexpr size_t kNames = 1024;

  struct Verdict {
    bool write;
    int64_t left_out;  // since this name's last line that was written; 0 if it is not
  };
  Verdict Take(absl::string_view name, absl::Duration now);

 private:
  struct Account {
    double lines = kBurst;  // that may be written now
    absl::Duration since;
    int64_t left_out = 0;
  };
  std::map<std::string, Account, std::less<>> accounts_;
};

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_LOG_LINE_BUDGET_H_

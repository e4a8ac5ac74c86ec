#include "server/admin/life_text.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "server/processes.h"

namespace topicwall::admin {
namespace {

std::string At(int64_t shortest_ms, int64_t longest_ms) {
  return absl::StrCat("readable at multiples of ", shortest_ms,
                      longest_ms == shortest_ms ? "" : absl::StrCat(" to ", longest_ms),
                      " ms after their charge only");
}

}  // namespace

// From the worst to the best. One release without protection is told first and alone: a sentence
// that began with those that were protected would be read as if it spoke of all.
std::string TimingText(const accountant::ledger::BudgetLife& life, std::optional<int64_t> now) {
  if (life.unprotected > 0) {
    return absl::StrCat("not protected for ", life.unprotected, " of ", life.charges,
                        " charged releases: when they came depended on the documents");
  }
  if (now == 0) return "not protected: when a release comes depends on the documents";
  std::string text;
  if (life.unrecorded > 0) {
    text = absl::StrCat("not recorded for ", life.unrecorded, " of ", life.charges,
                        " charged releases");
  }
  const bool was_protected = life.shortest_interval_ms > 0;
  if (was_protected || now.has_value()) {
    // Also what the next charge would be made under: a statement is read by those who are about to
    // ask.
    int64_t shortest_ms = was_protected ? life.shortest_interval_ms : *now;
    int64_t longest_ms = was_protected ? life.longest_interval_ms : *now;
    if (now.has_value()) {
      shortest_ms = std::min(shortest_ms, *now);
      longest_ms = std::max(longest_ms, *now);
    }
    absl::StrAppend(&text, text.empty() ? "protected: releases are " : "; protected otherwise: ",
                    At(shortest_ms, longest_ms));
  }
  return text.empty() ? "the corpus is not served at present, and nothing was charged" : text;
}

std::string ProcessesText(const accountant::ledger::BudgetLife& life, const v1::WallConfig& now) {
  std::string text =
      server::SeparationSentence(life.unseparated == 0 && server::AreSeparated(now),
                                 life.unconfined == 0 && server::RequiresSandbox(now));
  const auto add = [&](absl::string_view what, int64_t count) {
    if (count == 0) return;
    absl::StrAppend(&text, "; ", what, " for ", count, " of ", life.charges, " charged releases");
  };
  add("not separated", life.unseparated);
  add("a sandbox not required", life.unconfined);
  add("not recorded", life.unrecorded);
  return text;
}

}  // namespace topicwall::admin

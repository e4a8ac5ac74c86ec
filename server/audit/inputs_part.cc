#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "server/audit/pairs/input_pair.h"
#include "server/audit/parts.h"

namespace topicwall::audit {
namespace {

constexpr int kPairsForAnInput = 3;
constexpr struct {
  v1::DuplicateRule rule;
  const char* name;
} kRules[] = {{v1::DUPLICATE_RULE_REFUSE, "refused"},
              {v1::DUPLICATE_RULE_MERGE, "merged"},
              {v1::DUPLICATE_RULE_LEAVE_OUT, "left out"}};

}  // namespace

Findings AttackInputs(Attack& attack) {
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<PairReplay> replay, PairReplay::Create(attack));
  TW_ASSIGN_OR_RETURN(random::Keystream choices, attack.Choices("inputs"));
  std::vector<InputPair> pairs = InputPairsByName();
  for (int i = 0; i < attack.options().pairs; i += kPairsForAnInput) {
    pairs.push_back(MakeUpInput(choices));
  }
  int tried = 0;
  int compared = 0;
  double longest = 0;
  Tries within, alone, in_order;
  for (const InputPair& pair : pairs) {
    for (const auto& [rule, name] : kRules) {
      // Where lines are merged or left out, what remains of that id is another unit's content.
      if (pair.one_line_of_several && rule != v1::DUPLICATE_RULE_REFUSE) continue;
      // One rule each, so that there are more inputs for the same time.
      if (pair.name == "made up" && choices.NextBelow(3) > 0) continue;
      ++tried;
      TW_ASSIGN_OR_RETURN(const std::optional<ReplayedPair> replayed,
                          ReplayInput(pair, rule, attack, *replay));
      // No corpus came of it. It is counted, so that an ingestion that refuses everything shows.
      if (!replayed.has_value()) continue;
      ++compared;
      longest = std::max(longest, replayed->length);
      const std::string what = absl::StrCat(pair.name, ", repeated lines ", name);
      within.Note(replayed->within_bound && replayed->histogram_within_bound, what);
      alone.Note(replayed->independent, what);
      in_order.Note(replayed->repeatable, what);
    }
  }
  const std::string tries =
      absl::StrFormat("%d pairs of inputs; %d refused by ingestion", tried, tried - compared);
  const bool any = compared > 0;
  return std::vector<Finding>{
      FindingOf(within, any,
                {"one unit's lines in the input move the integer sum by at most M", tries,
                 absl::StrFormat("at most %.9f M", longest), "M, as priced", "1 grid step"}),
      FindingOf(alone, any,
                {"nobody else's document comes, goes or changes with them", tries,
                 absl::StrCat(compared, " units alone and among others"), "equal integers",
                 "1 grid step in 1 entry"}),
      FindingOf(in_order, any,
                {"the order of lines changes nothing", tries,
                 absl::StrCat(compared, " inputs turned round"), "equal bits", "1 bit"})};
}

}  // namespace topicwall::audit

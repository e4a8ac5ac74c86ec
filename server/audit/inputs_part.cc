#include "server/audit/inputs_part.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "server/audit/pairs/input_pair.h"
#include "server/audit/pairs/input_replay.h"

namespace topicwall::audit {
namespace {

using corpus::DuplicateRule;

constexpr int kPairsForAnInput = 3;
constexpr DuplicateRule kRules[] = {DuplicateRule::kRefuse, DuplicateRule::kMerge,
                                    DuplicateRule::kLeaveOut};

absl::string_view NameOf(DuplicateRule rule) {
  switch (rule) {
    case DuplicateRule::kMerge:
      return "merged";
    case DuplicateRule::kLeaveOut:
      return "left out";
    default:
      return "refused";
  }
}

struct Failures {
  int count = 0;
  std::string first;
  void Note(bool good, const InputPair& pair) {
    if (!good && count++ == 0) first = pair.name;
  }
  std::string Text() const {
    return count == 0 ? "" : absl::StrCat("; not so in ", count, " (", first, ")");
  }
};

class Inputs {
 public:
  void Add(const InputPair& pair, const std::optional<ReplayedPair>& replayed) {
    ++tried_;
    if (!replayed.has_value()) return;
    ++compared_;
    if (replayed->length > longest_) {
      longest_ = replayed->length;
      longest_name_ = pair.name;
    }
    too_far_.Note(replayed->within_bound && replayed->histogram_within_bound, pair);
    coupled_.Note(replayed->independent, pair);
    ordered_.Note(replayed->repeatable, pair);
  }

  std::vector<Finding> Report(int named) const {
    const std::string tried =
        absl::StrFormat("%d pairs of inputs, %d of them by name; %d refused by ingestion", tried_,
                        named, tried_ - compared_);
    const auto row = [&](std::string claim, std::string measured, std::string bound,
                         std::string smallest, const Failures& failures) {
      return Finding{Part::kInputs,
                     std::move(claim),
                     tried,
                     absl::StrCat(measured, failures.Text()),
                     std::move(bound),
                     std::move(smallest),
                     HoldsIf(failures.count == 0 && compared_ > 0)};
    };
    return {row("one unit's lines in the input move the integer sum by at most M",
                absl::StrFormat("at most %.9f M (%s)", longest_, longest_name_), "M, as priced",
                "1 lattice step", too_far_),
            row("nobody else's document comes, goes or changes with them",
                absl::StrCat(compared_, " units alone and among others"), "equal integers",
                "1 lattice step in 1 entry", coupled_),
            row("the order of lines changes nothing",
                absl::StrCat(compared_, " inputs turned round"), "equal bits", "1 bit", ordered_)};
  }

 private:
  int tried_ = 0;
  int compared_ = 0;
  double longest_ = 0;
  std::string longest_name_;
  Failures too_far_, coupled_, ordered_;
};

}  // namespace

absl::StatusOr<std::vector<Finding>> AuditInputs(const AuditOptions& options, const AuditSeed& seed,
                                                 ScratchFolder* folder) {
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<InputReplay> replay, InputReplay::Create(folder));
  TW_ASSIGN_OR_RETURN(random::Keystream choices, seed.Choices("inputs"));
  Inputs inputs;
  const auto run = [&](InputPair pair, DuplicateRule rule) -> absl::Status {
    absl::StrAppend(&pair.name, ", repeated lines ", NameOf(rule));
    TW_ASSIGN_OR_RETURN(const std::optional<ReplayedPair> replayed, replay->Run(pair, rule));
    inputs.Add(pair, replayed);
    return absl::OkStatus();
  };
  const std::vector<InputPair> named = InputPairsByName();
  for (const InputPair& pair : named) {
    for (const DuplicateRule rule : kRules) {
      // Where lines of an id are one document, one of them is no unit.
      if (pair.one_line_of_several && rule != DuplicateRule::kRefuse) continue;
      TW_RETURN_IF_ERROR(run(pair, rule));
    }
  }
  for (int i = 0; i < options.pairs / kPairsForAnInput; ++i) {
    InputPair pair = MakeUpInput(choices);
    absl::StrAppend(&pair.name, ", number ", i + 1);
    TW_RETURN_IF_ERROR(run(std::move(pair), kRules[choices.NextBelow(3)]));
  }
  TW_RETURN_IF_ERROR(choices.status());
  return inputs.Report(static_cast<int>(named.size()));
}

}  // namespace topicwall::audit

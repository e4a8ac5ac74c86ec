#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "base/hex.h"
#include "base/status_macros.h"
#include "server/audit/pairs/clip_probe.h"
#include "server/audit/pairs/neighbouring_pair.h"
#include "server/audit/pairs/pair_replay.h"
#include "server/audit/parts.h"
#include "server/audit/walls/limited_child.h"
#include "server/random/secret_key.h"

namespace topicwall::audit {
namespace {

constexpr int kKeysOfEach = 16;  // on both sides of a fork

// What some pairs together showed.
struct Replays {
  int pairs = 0;
  int moved = 0;
  double longest = 0;
  std::string longest_name;
  double longest_histogram = 0;
  Tries within, histogram, independent, repeatable, as_summed, full, all;
  std::set<std::string> keys;

  void Add(const NeighbouringPair& pair, const ReplayedPair& replayed) {
    ++pairs;
    moved += replayed.moved ? 1 : 0;
    if (replayed.length > longest) longest_name = pair.name;
    longest = std::max(longest, replayed.length);
    longest_histogram = std::max(longest_histogram, replayed.histogram_length);
    within.Note(replayed.within_bound, pair.name);
    histogram.Note(replayed.histogram_within_bound, pair.name);
    independent.Note(replayed.independent, pair.name);
    repeatable.Note(replayed.repeatable, pair.name);
    as_summed.Note(replayed.released_as_summed, pair.name);
    full.Note(replayed.full_length || !pair.arrives_at_full_length, pair.name);
    all.Note(replayed.AllHolds(), pair.name);
    keys.insert(replayed.release_key);
  }
};

std::vector<Finding> EachClaim(const Replays& seen) {
  const std::string tried = absl::StrCat(seen.pairs, " neighbouring pairs");
  // If no unit moved a sum, there was nothing that could have broken a claim.
  const bool any = seen.moved > 0;
  std::vector<Finding> findings = {
      FindingOf(seen.within, any,
                {"a unit moves the integer sum of statistics by at most M (L2 norm, exact)", tried,
                 absl::StrFormat("at most %.9f M (%s)", seen.longest, seen.longest_name),
                 "M, as priced", "1 grid step; a batch clip shows 1.342 M"}),
      FindingOf(
          seen.histogram, any,
          {"a unit moves the norm histogram by M_h in one bin, or not at all", tried,
           absl::StrFormat("at most %.9f M_h", seen.longest_histogram), "M_h", "1 grid step"}),
      FindingOf(seen.independent, any,
                {"what a unit adds depends on that unit alone, bit for bit", tried,
                 "with its neighbours as alone", "equal integers", "1 grid step in 1 entry"}),
      FindingOf(seen.repeatable, any,
                {"a charged release computed again has the same bits, for any threads, order and "
                 "blocks",
                 tried, "1, 2 and 3 threads", "equal bits", "1 bit"}),
      FindingOf(seen.as_summed, any,
                {"releases differ by what the sums differ by, and by nothing else", tried,
                 "same noise on both sides", "float32 rounding", "2^-22 of an entry"}),
      FindingOf(seen.full, any,
                {"a unit beyond the clip norm arrives at its full length", tried,
                 "M, but for rounding down", "M - sqrt(entries)", "1e-9 of M beyond rounding"})};
  // A unit that is clipped too short costs accuracy, not privacy.
  if (!seen.full.AllGood()) findings.back().verdict = Verdict::kUtilityLost;
  return findings;
}

// What else is asked of a pair's corpora, and what is claimed of each.
struct OtherModel {
  NeighbouringPair (*asked)(NeighbouringPair);
  const char* claim;
};
constexpr OtherModel kOtherModels[] = {
    {AlongOf, "with direction noise a unit moves sum and directions together by at most M"},
    {EvaluationOf,
     "an evaluated unit moves the two sums by its own numbers, by at most M together"},
    {MixtureOf, "a unit of a mixture moves words and documents by at most M together"},
    {MixtureEvaluationOf,
     "a unit that a mixture is evaluated on moves the two sums by at most M together"},
    {PrevalenceOf, "a unit moves topics and counts of all groups together by at most M"},
    {GaussianOf, "a vector moves counts, sums and squares together by at most M"},
    {LikelihoodOf, "a vector moves log density and count together by at most M"},
    {LengthsOf, "a unit moves one bin of lengths by at most M, however long it is"}};

// Large pairs: each is asked of one model, the fewest of all in turn; and one more for so many
// small ones.
constexpr int kFewestLarge = std::size(kOtherModels) + 1;
constexpr int kPairsForALargeOne = 30;

Finding AllClaims(std::string claim, const Replays& seen) {
  return {std::move(claim),
          absl::StrCat(seen.pairs, " neighbouring pairs, ", seen.moved, " moved"),
          absl::StrFormat("at most %.9f M%s%s", seen.longest, seen.all.Failures(),
                          seen.full.Failures()),
          "M, as priced; equal integers",
          "1 grid step",
          HoldsIf(seen.all.AllGood() && seen.full.AllGood() && seen.moved > 0)};
}

absl::StatusOr<Finding> LargePairs(PairReplay& replay, Attack& attack) {
  TW_ASSIGN_OR_RETURN(random::Keystream choices, attack.Choices("large pairs"));
  Replays seen;
  const int all = kFewestLarge + attack.options().pairs / kPairsForALargeOne;
  for (int i = 1; i <= all; ++i) {
    attack.Tell(absl::StrFormat("replay: large pair %d of %d", i, all));
    NeighbouringPair pair = MakeUpPair(kLargeShapes, choices);
    const auto model = static_cast<std::size_t>(i) % (std::size(kOtherModels) + 1);
    if (model < std::size(kOtherModels)) pair = kOtherModels[model].asked(std::move(pair));
    TW_ASSIGN_OR_RETURN(const ReplayedPair replayed, replay.Run(pair));
    seen.Add(pair, replayed);
  }
  return AllClaims("all of this holds at K of 100 and more, V of 50,000 and more", seen);
}

absl::StatusOr<std::vector<Finding>> Clips(Attack& attack) {
  TW_ASSIGN_OR_RETURN(random::Keystream choices, attack.Choices("clip"));
  TW_ASSIGN_OR_RETURN(const ClipProbe probe, ProbeClip(choices));
  return std::vector<Finding>{
      {"bad entries add nothing (no numbers, out of place), and rounding no length",
       absl::StrCat(probe.units, " units handed to every clip kernel of this processor"),
       absl::StrCat(probe.bad_units_let_in, " let in, ", probe.too_long, " longer than M"), "none",
       "1 unit, 1 grid step", HoldsIf(probe.bad_units_let_in + probe.too_long == 0)},
      {"the clip's sums of squares are exact integers, beyond 64 bits too",
       absl::StrCat(probe.sums, " sums of up to 1000 squares below 2^72"),
       absl::StrCat(probe.wrong_sums, " wrong"), "none", "1", HoldsIf(probe.wrong_sums == 0)}};
}

std::string DrawKeys() {
  std::string drawn;
  for (int i = 0; i < kKeysOfEach; ++i) {
    const absl::StatusOr<random::SecretKey> key = random::SecretKey::Generate();
    // 64 bits of each tell it from all others; a child has little room for what it says.
    if (key.ok()) absl::StrAppend(&drawn, base::Hex(key->ExposeBytes().subspan(0, 8)), " ");
  }
  return drawn;
}

// A generator that keeps a state of its own, seeded by a constant, the clock or whatever, gives a
// forked child the same numbers as its parent; the operating system's does not. Both draw at once.
absl::StatusOr<std::set<std::string>> KeysOfTwoProcesses() {
  TW_ASSIGN_OR_RETURN(const ChildEnding child,
                      RunLimited([] { return absl::OkStatus(); }, DrawKeys, kNoLimit));
  const std::string both = child.text + DrawKeys();
  return std::set<std::string>(absl::StrSplit(both, ' ', absl::SkipEmpty()));
}

Finding FreshKeys(const Replays& seen, const std::set<std::string>& drawn) {
  const auto charges = static_cast<std::size_t>(seen.pairs);
  return {"release keys are drawn afresh, and a second process draws others",
          absl::StrFormat("%d charges; %d keys on each side of a fork", charges, kKeysOfEach),
          absl::StrFormat("%d and %d different ones", seen.keys.size(), drawn.size()),
          absl::StrFormat("%d and %d", charges, 2 * kKeysOfEach),
          "1 key",
          HoldsIf(seen.keys.size() == charges && drawn.size() == 2 * kKeysOfEach)};
}

}  // namespace

Findings AttackSums(Attack& attack) {
  // First: it forks, and the sums below start threads.
  TW_ASSIGN_OR_RETURN(const std::set<std::string> keys, KeysOfTwoProcesses());
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<PairReplay> replay, PairReplay::Create(attack));
  TW_ASSIGN_OR_RETURN(random::Keystream choices, attack.Choices("pairs"));
  Replays small;
  Replays others[std::size(kOtherModels)];
  Replays& along = others[0];
  const auto run = [&](const NeighbouringPair& pair, Replays* seen) -> absl::Status {
    TW_ASSIGN_OR_RETURN(const ReplayedPair replayed, replay->Run(pair));
    seen->Add(pair, replayed);
    return absl::OkStatus();
  };
  for (const NeighbouringPair& pair : PairsByName()) {
    TW_RETURN_IF_ERROR(run(pair, &small));
    for (std::size_t i = 0; i < std::size(others); ++i) {
      TW_RETURN_IF_ERROR(run(kOtherModels[i].asked(pair), &others[i]));
    }
  }
  for (int i = 0; i < attack.options().pairs; ++i) {
    const NeighbouringPair pair = MakeUpPair(kSmallShapes, choices);
    TW_RETURN_IF_ERROR(run(pair, pair.direction_noise > 0 ? &along : &small));
  }
  std::vector<Finding> findings = EachClaim(small);
  for (std::size_t i = 0; i < std::size(others); ++i) {
    findings.push_back(AllClaims(kOtherModels[i].claim, others[i]));
  }
  if (attack.options().pairs > 0) {
    TW_ASSIGN_OR_RETURN(Finding large, LargePairs(*replay, attack));
    findings.push_back(std::move(large));
  }
  TW_ASSIGN_OR_RETURN(std::vector<Finding> clips, Clips(attack));
  Append(std::move(clips), &findings);
  findings.push_back(FreshKeys(small, keys));
  return findings;
}

}  // namespace topicwall::audit

#include "server/audit/replay_part.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "server/audit/pairs/clip_probe.h"
#include "server/audit/pairs/fresh_keys.h"
#include "server/audit/pairs/neighbouring_pair.h"
#include "server/audit/pairs/pair_replay.h"
#include "server/audit/pairs/pair_search.h"
#include "server/audit/pairs/production_pairs.h"

namespace topicwall::audit {
namespace {

// One large pair is made up for so many small ones.
constexpr int kPairsForALargeOne = 30;

// What all pairs together showed.
class Worst {
 public:
  void Add(const NeighbouringPair& pair, const ReplayedPair& replayed) {
    ++pairs_;
    if (pairs_ == 1 || replayed.length > longest_) {
      longest_ = replayed.length;
      longest_name_ = pair.name;
    }
    longest_histogram_ = std::max(longest_histogram_, replayed.histogram_length);
    if (pair.arrives_at_full_length) {
      ++full_;
      Note(replayed.full_length, pair, &short_);
    }
    Note(replayed.within_bound, pair, &too_long_);
    Note(replayed.histogram_within_bound, pair, &histogram_);
    Note(replayed.independent, pair, &dependent_);
    Note(replayed.repeatable, pair, &changing_);
    Note(replayed.released_as_summed, pair, &otherwise_released_);
    keys_.push_back(replayed.release_key);
  }

  double longest() const { return longest_; }

  void Report(int named, std::vector<Finding>* findings) {
    const std::string tried =
        absl::StrCat(pairs_, " neighbouring pairs, ", named, " of them by name");
    const auto add = [&](std::string claim, std::string measured, std::string bound,
                         std::string smallest, const Failures& failures) {
      if (failures.count > 0) absl::StrAppend(&measured, "; ", failures.Text());
      findings->push_back({Part::kReplay, std::move(claim), tried, std::move(measured),
                           std::move(bound), std::move(smallest), HoldsIf(failures.count == 0)});
    };
    add("a unit moves the integer sum of statistics by at most M (L2 norm, exact)",
        absl::StrFormat("at most %.9f M (%s)", longest_, longest_name_), "M, as priced",
        "1 lattice step; a batch clip shows 1.342 M", too_long_);
    add("a unit moves the norm histogram by M_h in one bin, or not at all",
        absl::StrFormat("at most %.9f M_h", longest_histogram_), "M_h", "1 lattice step",
        histogram_);
    add("what a unit adds depends on that unit alone, bit for bit", "with its neighbours as alone",
        "equal integers", "1 lattice step in 1 entry", dependent_);
    add("a charged release computed again has the same bits, for any threads, order and blocks",
        "1, 2 and 3 threads", "equal bits", "1 bit", changing_);
    add("releases differ by what the sums differ by, and by nothing else",
        "same noise on both sides", "float32 rounding", "2^-22 of an entry", otherwise_released_);
  }

  Finding FullLength() const {
    return {Part::kReplay,
            "a unit beyond the clip norm arrives at its full length",
            absl::StrCat(full_, " pairs by name"),
            short_.count == 0 ? "M, but for rounding down" : short_.Text(),
            "M - sqrt(entries)",
            "1e-9 of M beyond rounding",
            short_.count == 0 ? Verdict::kHolds : Verdict::kUtilityLost};
  }

  std::vector<std::vector<uint8_t>>* keys() { return &keys_; }

 private:
  struct Failures {
    int count = 0;
    std::string first;
    std::string Text() const { return absl::StrCat("not so in ", count, " pairs (", first, ")"); }
  };
  static void Note(bool good, const NeighbouringPair& pair, Failures* failures) {
    if (good) return;
    if (failures->count++ == 0) failures->first = pair.name;
  }

  int pairs_ = 0;
  int full_ = 0;
  double longest_ = 0;
  std::string longest_name_;
  double longest_histogram_ = 0;
  Failures too_long_, histogram_, dependent_, changing_, otherwise_released_, short_;
  std::vector<std::vector<uint8_t>> keys_;
};

absl::Status SearchPairs(const AuditOptions& options, PairSearch search, PairReplay* replay,
                         Worst* worst) {
  NeighbouringPair longest;
  double length = -1;
  for (int i = 0; i < options.pairs; ++i) {
    const bool vary = i % 2 == 1;
    NeighbouringPair pair = vary ? search.Varied(longest) : search.Random();
    TW_ASSIGN_OR_RETURN(const ReplayedPair replayed, replay->Run(pair));
    worst->Add(pair, replayed);
    if (replayed.length > length) {
      length = replayed.length;
      longest = std::move(pair);
    }
    if (options.progress != nullptr && i % 100 == 99) {
      options.progress(absl::StrFormat("replay: %d of %d pairs made up, at most %.6f M", i + 1,
                                       options.pairs, worst->longest()));
    }
  }
  return absl::OkStatus();
}

// Pairs of which everything is looked at that holds for those above, in one row.
class Together {
 public:
  void Add(const NeighbouringPair& pair, const ReplayedPair& replayed) {
    ++pairs_;
    moved_ += replayed.moved ? 1 : 0;
    longest_ = std::max(longest_, replayed.length);
    const bool good = replayed.within_bound && replayed.histogram_within_bound &&
                      replayed.independent && replayed.repeatable && replayed.released_as_summed &&
                      (replayed.full_length || !pair.arrives_at_full_length);
    if (!good && failures_++ == 0) first_ = absl::StrCat(" (", pair.name, ")");
  }

  Finding Row(std::string claim, absl::string_view tried) const {
    return {Part::kReplay,
            std::move(claim),
            absl::StrCat(pairs_, " neighbouring pairs ", tried, ", ", moved_, " moved"),
            absl::StrFormat("at most %.9f M; not so in %d pairs%s", longest_, failures_, first_),
            "M, as priced; equal integers",
            "1 lattice step",
            HoldsIf(failures_ == 0 && moved_ > 0)};
  }

 private:
  int pairs_ = 0;
  int moved_ = 0;
  int failures_ = 0;
  double longest_ = 0;
  std::string first_;
};

// The pairs by name, evaluated.
absl::StatusOr<Finding> EvaluatedPairs(const std::vector<NeighbouringPair>& named,
                                       PairReplay* replay) {
  Together evaluated;
  for (const NeighbouringPair& pair : named) {
    const NeighbouringPair asked = EvaluationOf(pair);
    TW_ASSIGN_OR_RETURN(const ReplayedPair replayed, replay->Run(asked));
    evaluated.Add(asked, replayed);
  }
  return evaluated.Row(
      "an evaluated unit moves the two sums by its own numbers, by at most M together",
      "evaluated");
}

absl::StatusOr<Finding> ProductionSizes(const AuditOptions& options, PairSearch search,
                                        PairReplay* replay) {
  const int made_up = (options.pairs + kPairsForALargeOne - 1) / kPairsForALargeOne;
  std::vector<std::function<NeighbouringPair()>> pairs = ProductionPairs();
  for (int i = 0; i < made_up; ++i) pairs.emplace_back([&search] { return search.Random(); });
  Together large;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const NeighbouringPair pair = pairs[i]();
    if (options.progress != nullptr) {
      options.progress(
          absl::StrFormat("replay: large pair %d of %d, %s", i + 1, pairs.size(), pair.name));
    }
    TW_ASSIGN_OR_RETURN(const ReplayedPair replayed, replay->Run(pair));
    large.Add(pair, replayed);
  }
  return large.Row("all of this holds at K of 100 and more, V of 50,000 and more", "of that size");
}

Finding BadEntries(const ClipProbe& probe) {
  return {Part::kReplay,
          "bad entries add nothing (no numbers, negative, out of place), and rounding no length",
          absl::StrCat(probe.units, " units handed to every clip kernel of this processor"),
          absl::StrCat(probe.bad_units_let_in, " let in, ", probe.too_long, " longer than M"),
          "none",
          "1 unit, 1 lattice step",
          HoldsIf(probe.bad_units_let_in + probe.too_long == 0)};
}

Finding SumsOfSquares(const ClipProbe& probe) {
  return {Part::kReplay,
          "the clip's sums of squares are exact integers, beyond 64 bits too",
          absl::StrCat(probe.sums, " sums of up to 1000 squares below 2^72"),
          absl::StrCat(probe.wrong_sums, " wrong"),
          "none",
          "1",
          HoldsIf(probe.wrong_sums == 0)};
}

Finding FreshKeys(bool differ_across_fork, std::vector<std::vector<uint8_t>>* keys) {
  const std::size_t releases = keys->size();
  const bool differ = AllDifferent(keys);
  return Finding{
      Part::kReplay,
      "release keys are drawn afresh, and a second process draws others",
      absl::StrCat(releases, " charges; ", kKeysDrawnByEach, " keys on each side of a ", "fork"),
      absl::StrCat(differ ? "no key twice" : "a key twice", "; ",
                   differ_across_fork ? "none shared" : "keys shared with the child"),
      "no key twice",
      "1 key",
      HoldsIf(differ && differ_across_fork)};
}

}  // namespace

absl::StatusOr<std::vector<Finding>> AuditReplay(const AuditOptions& options, const AuditSeed& seed,
                                                 ScratchFolder& folder) {
  TW_ASSIGN_OR_RETURN(const bool differ_across_fork, KeysDifferAcrossFork());
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<PairReplay> replay, PairReplay::Create(&folder));
  Worst worst;
  const std::vector<NeighbouringPair> named = PairsByName();
  for (const NeighbouringPair& pair : named) {
    TW_ASSIGN_OR_RETURN(const ReplayedPair replayed, replay->Run(pair));
    worst.Add(pair, replayed);
  }
  TW_ASSIGN_OR_RETURN(random::Keystream small, seed.Choices("pairs"));
  TW_RETURN_IF_ERROR(
      SearchPairs(options, PairSearch(std::move(small), kSmallShapes), replay.get(), &worst));
  TW_ASSIGN_OR_RETURN(const Finding evaluated, EvaluatedPairs(named, replay.get()));
  TW_ASSIGN_OR_RETURN(random::Keystream lengths, seed.Choices("clip"));
  TW_ASSIGN_OR_RETURN(const ClipProbe probe, ProbeClip(std::move(lengths)));
  std::vector<Finding> findings;
  worst.Report(static_cast<int>(named.size()), &findings);
  findings.push_back(evaluated);
  if (options.pairs > 0) {
    TW_ASSIGN_OR_RETURN(random::Keystream large, seed.Choices("large pairs"));
    TW_ASSIGN_OR_RETURN(
        Finding production,
        ProductionSizes(options, PairSearch(std::move(large), kProductionShapes), replay.get()));
    findings.push_back(std::move(production));
  }
  findings.push_back(BadEntries(probe));
  findings.push_back(SumsOfSquares(probe));
  findings.push_back(FreshKeys(differ_across_fork, worst.keys()));
  findings.push_back(worst.FullLength());
  return findings;
}

}  // namespace topicwall::audit

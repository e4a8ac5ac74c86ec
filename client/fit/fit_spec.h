// A fit as the analyst asks for it: one value, from the command line to the checkpoint.
//
//   FitSpec spec;   // the flags of a command go right into it
//   Fit(wall, *directory, spec, hooks);
//
// It is never changed once it was made. What it leaves open is decided when the fit begins, by the
// algorithm's defaults, a planner (`--plan auto`) and the wall's limits, and stands in the
// checkpoint from then on, as v1::FitSpec: what would be decided on another day does not matter.
//
// A fit is resumed by typing the same command again. A command that means something else must not
// silently continue the old fit, which is paid for, nor silently pay for a new one: CheckSameFit
// compares all that the command says.
// PUBLIC. Pure functions.
#ifndef TOPICWALL_CLIENT_FIT_FIT_SPEC_H_
#define TOPICWALL_CLIENT_FIT_FIT_SPEC_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/audit/spend.h"
#include "client/fit/anchors.h"
#include "proto/model.pb.h"

namespace topicwall::client {

// Algorithms, as they are called in flags, checkpoints and models (fit_algorithm.h).
inline constexpr char kDenoised[] = "denoised";
inline constexpr char kPaper[] = "paper";
inline constexpr char kMixture[] = "mixture";
inline constexpr char kGaussian[] = "gaussian";
// Of a model that no wall was asked for (plain_fit.h); not an algorithm of a checkpoint.
inline constexpr char kNoPrivacy[] = "no-privacy";

// Known words of a privacy unit, where nobody says: what every expectation, price and evaluation
// takes for granted.
inline constexpr double kWordsPerUnit = 40;
// Those of a short text, each about one thing, for which `mixture` is: a title, a query, a ticket.
inline constexpr double kWordsPerShortText = 5;

// What a proposal rests on, and what is said of a fit beforehand (fit_planner.h). It is of no
// effect on anything that is paid for, and no part of what makes a fit that fit.
struct Planning {
  std::optional<double> hours;  // that all releases may take, > 0
  // Beside the wall's release interval; without one hours need it. > 0.
  std::optional<double> seconds_per_release;
  std::optional<double> delta;  // only checked: δ is the budget's
  // Of documents that the analyst cannot see.
  std::optional<int64_t> num_documents;  // otherwise the custodian's nominal size
  std::optional<double> words_per_unit;
  // Where that was measured (client/evaluate/lengths_file.h); "" where it is somebody's assumption.
  std::string words_folder;

  double WordsPerUnit() const { return words_per_unit.value_or(kWordsPerUnit); }
};

// Of its noise, `spend` is of the budget as it is when the fit begins, `epsilon` of the fit alone,
// had nothing else been spent, and `noise_multiplier` σ_eff of each release.
struct FitSpec : PlanNoise {
  std::string corpus;
  std::string algorithm = kDenoised;
  std::optional<int> num_topics;        // K
  std::optional<int> iterations;        // J
  std::optional<double> sampling_rate;  // ν in (0, 1]
  // C of the first iteration, of `denoised` of the first after the uniform-topic warm-up, in words;
  // of `gaussian` of all.
  std::optional<double> clip_norm;
  std::optional<int64_t> max_words;  // N; the wall's limit if not given
  double held_out_share = 0;         // of the units, left out for evaluations; in [0, 1)
  uint64_t seed = 1;                 // of the initial topics
  // `--init`: whose topics the fit begins with, if they fit (initial_model.h).
  std::shared_ptr<const v1::ModelFile> initial_model;
  // 32 bytes, of the vectors that it was made of, by which it is known again: other arithmetic
  // makes another model of them. Empty: it is known by itself.
  std::string initial_sha256;
  Anchors anchors;  // `--anchors`: words to begin topics with, of `denoised` and `mixture`
  // `--plan auto`: the planner chooses what is left open of K and J.
  bool is_planned = false;
  Planning planning;
};

// With the algorithm's own ν, C and J (fit_algorithm.h) where none were given, and the K of the
// initial model; no J for a planner. INVALID_ARGUMENT for an unknown algorithm, and for anchors
// that it does not take, or beside an initial model.
absl::StatusOr<FitSpec> WithDefaults(FitSpec spec);

// As a checkpoint keeps it. `spec` leaves nothing open but the initial model, and has ε and σ_eff.
v1::FitSpec RecordOf(const FitSpec& spec);

// INVALID_ARGUMENT, naming flag and both values, if `begun` is not what `asked`, with its defaults,
// asks for, as far as it says anything.
absl::Status CheckSameFit(const FitSpec& asked, const v1::FitSpec& begun);

// The same for a finished model, which keeps its spec; of one that does not, as far as the file
// knows: corpus, K, J, algorithm, held-out share, initial model.
absl::Status CheckSameModel(const FitSpec& asked, const v1::ModelFile& model);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_FIT_FIT_SPEC_H_

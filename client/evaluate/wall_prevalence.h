// How much of each group of a corpus's documents is about each topic of a finished model: one more
// charged plan, of the model "prevalence", for any topics that speak the corpus's words.
//
//   absl::StatusOr<WallPrevalence> result = AskPrevalence(wall, *directory,
//       {.corpus = "notes", .by = {"year", "ward"}, .noise = {.spend = spend}},
//       {.agree = ask, .on_progress = show});
//   SumsOf(result->file, {"year"})       // for model/prevalence/prevalence_estimate.h
//
// A document counts with its shares θ, which sum to 1, and with b = 1/4 for itself: its norm is at
// most √(1 + b²), which is C where it is the unit, so that no document is cut. (b makes the noise
// of a group's count four times that of a topic's sum. As the sums of all topics add up to the
// count as well, both say about as much of it at 16 topics, the sums less at more; and a share is
// wrong by its own size times the error of the count only.) Of an owner C is typical_documents
// times as large, and never of more than the wall takes: more documents count as so many.
//
// Order, what an interruption does, and errors of all that is asked so: ask_paid.h.
//
// Errors: those of CheckHasEnded (client/fit/fit_outcome.h); NOT_FOUND without a model;
// INVALID_ARGUMENT for an attribute that the corpus has not (it lists those there are), a number
// out of its range, or a model that is not of the corpus's words; DATA_LOSS if the attributes of
// the version that it was begun on have changed. PUBLIC. Threads: one.
#ifndef TOPICWALL_CLIENT_EVALUATE_WALL_PREVALENCE_H_
#define TOPICWALL_CLIENT_EVALUATE_WALL_PREVALENCE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/evaluate/ask_paid.h"
#include "client/evaluate/prevalence_file.h"
#include "client/fit/model_directory.h"
#include "client/wall/wall_port.h"
#include "model/data/attributes.h"
#include "model/prevalence/prevalence_sums.h"
#include "proto/model.pb.h"

namespace topicwall::client {

struct PrevalenceQuote : PlanQuote {
  double clip_norm;                          // C
  double typical_documents;                  // of an owner, as far as they count; of a document 1
  std::vector<model::Attribute> attributes;  // asked for, in the plan's order
};

using PrevalenceHooks = PaidHooks<PrevalenceQuote>;

using WallPrevalence = Asked<v1::PrevalenceFile>;

absl::StatusOr<WallPrevalence> AskPrevalence(WallPort& wall, ModelDirectory& directory,
                                             const PrevalenceWish& wish,
                                             const PrevalenceHooks& hooks);

// The price, without reserving it.
absl::StatusOr<PrevalenceQuote> QuotePrevalence(WallPort& wall, const PrevalenceWish& wish,
                                                const v1::ModelFile& model);

// What the standard error of a share of 1/K will be in a group that has its even part of the
// nominal size, "other" none of it: in documents, of owners typical_documents each. Nothing where
// nobody states a size.
std::optional<double> ExpectedError(const PrevalenceQuote& quote);
// "if …": what that assumes.
std::string AssumptionOf(const PrevalenceQuote& quote);

// The mean of a finished file's releases, in groups by some of its attributes: in their order here,
// the last one's values next to each other (prevalence::Cells). INVALID_ARGUMENT for an attribute
// that the file has not, and for numbers that are none.
absl::StatusOr<prevalence::PrevalenceSums> SumsOf(const v1::PrevalenceFile& file,
                                                  const std::vector<std::string>& by);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_EVALUATE_WALL_PREVALENCE_H_

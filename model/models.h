// The one table of all models: what the server can be asked for, by name.
//
//   TW_ASSIGN_OR_RETURN(std::unique_ptr<StatisticModel> model,
//                       MakeModel("lda", options, {.vocabulary_size = 8000}));
//
// CONTRIBUTING.md says what whoever adds a model adds.
//
// PUBLIC. Threads: any; ChooseKernel before others start.
#ifndef TOPICWALL_MODEL_MODELS_H_
#define TOPICWALL_MODEL_MODELS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/data/corpus_shape.h"
#include "model/statistic_model.h"
#include "model/worst_case.h"

namespace topicwall::model {

// `options`: the model's own message of proto/models/, serialised; any bytes.
// INVALID_ARGUMENT for a name that is none (it lists those there are), for a model of the other
// kind of corpora (of text, or of vectors), for bytes that are not the model's options and for
// options out of their ranges.
absl::StatusOr<std::unique_ptr<StatisticModel>> MakeModel(absl::string_view name,
                                                          absl::string_view options,
                                                          const CorpusShape& corpus);

// In the order of the table.
std::vector<std::string> ModelNames();
// Those for corpora of text, or those for corpora of vectors.
std::vector<std::string> ModelNamesFor(const CorpusShape& corpus);

// What takes units of the model longest, within the limits; at least one. INVALID_ARGUMENT for a
// name that is none and limits that no request can have.
absl::StatusOr<std::vector<WorstCase>> WorstCases(absl::string_view name,
                                                  const AnalystLimits& limits);

// The arithmetics that this processor can run, the fastest first; the one that models use that are
// bound from now on, which is the fastest until it is chosen. INVALID_ARGUMENT lists the names.
std::vector<std::string> KernelNames();
std::string ChosenKernelName();
absl::Status ChooseKernel(absl::string_view name);

}  // namespace topicwall::model

#endif  // TOPICWALL_MODEL_MODELS_H_

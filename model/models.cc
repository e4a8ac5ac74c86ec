#include "model/models.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "model/completion/completion_model.h"
#include "model/lda/kernel/e_step_kernel.h"
#include "model/lda/lda_model.h"
#include "model/lda/worst_topics.h"
#include "model/mixture/mixture_model.h"

namespace topicwall::model {
namespace {

struct Entry {
  const char* name;
  absl::StatusOr<std::unique_ptr<StatisticModel>> (*make)(absl::string_view options,
                                                          int64_t vocabulary_size);
  absl::StatusOr<std::vector<WorstCase>> (*worst_cases)(const AnalystLimits& limits);
};

// The names stand in plans, and in chains that are kept for ever.
constexpr Entry kModels[] = {
    {"lda", lda::MakeLdaModel, lda::WorstTopics},
    // An evaluation is less arithmetic, and has randomness of its own to make for every document.
    {"document_completion", completion::MakeCompletionModel, lda::WorstTopics},
    {"multinomial_mixture", mixture::MakeMixtureModel, mixture::WorstMixtures},
};

absl::StatusOr<Entry> Find(absl::string_view name) {
  for (const Entry& entry : kModels) {
    if (name == entry.name) return entry;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "model must be one of ", absl::StrJoin(ModelNames(), ", "), "; got \"", name, "\"."));
}

}  // namespace

absl::StatusOr<std::unique_ptr<StatisticModel>> MakeModel(absl::string_view name,
                                                          absl::string_view options,
                                                          int64_t vocabulary_size) {
  TW_ASSIGN_OR_RETURN(const Entry entry, Find(name));
  return entry.make(options, vocabulary_size);
}

absl::StatusOr<std::vector<WorstCase>> WorstCases(absl::string_view name,
                                                  const AnalystLimits& limits) {
  TW_ASSIGN_OR_RETURN(const Entry entry, Find(name));
  return entry.worst_cases(limits);
}

std::vector<std::string> ModelNames() {
  std::vector<std::string> names;
  for (const Entry& entry : kModels) names.emplace_back(entry.name);
  return names;
}

// All models there are run on the E-step's.
std::vector<std::string> KernelNames() {
  std::vector<std::string> names;
  for (const lda::EStepKernel& kernel : lda::SupportedKernels()) names.emplace_back(kernel.name);
  return names;
}

std::string ChosenKernelName() { return lda::ChosenKernel().name; }

absl::Status ChooseKernel(absl::string_view name) { return lda::ChooseKernel(name); }

}  // namespace topicwall::model

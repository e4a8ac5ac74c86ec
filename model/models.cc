#include "model/models.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "model/completion/completion_model.h"
#include "model/lda/kernel/e_step_kernel.h"
#include "model/lda/lda_model.h"

namespace topicwall::model {
namespace {

using Maker = absl::StatusOr<std::unique_ptr<StatisticModel>> (*)(absl::string_view options,
                                                                  int64_t vocabulary_size);

struct Entry {
  const char* name;
  Maker make;
};

constexpr Entry kModels[] = {
    {"lda", lda::MakeLdaModel},
    {"document_completion", completion::MakeCompletionModel},
};

}  // namespace

absl::StatusOr<std::unique_ptr<StatisticModel>> MakeModel(absl::string_view name,
                                                          absl::string_view options,
                                                          int64_t vocabulary_size) {
  for (const Entry& entry : kModels) {
    if (name == entry.name) return entry.make(options, vocabulary_size);
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "model must be one of ", absl::StrJoin(ModelNames(), ", "), "; got \"", name, "\"."));
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

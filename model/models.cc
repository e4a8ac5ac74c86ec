#include "model/models.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "model/completion/completion_model.h"
#include "model/gaussian/gaussian_model.h"
#include "model/gaussian/likelihood_model.h"
#include "model/lda/kernel/e_step_kernel.h"
#include "model/lda/lda_model.h"
#include "model/lda/worst_topics.h"
#include "model/lengths/lengths_model.h"
#include "model/mixture/mixture_model.h"
#include "model/prevalence/prevalence_model.h"

namespace topicwall::model {
namespace {

struct Entry {
  const char* name;
  absl::StatusOr<std::unique_ptr<StatisticModel>> (*make)(absl::string_view options,
                                                          const CorpusShape& corpus);
  absl::StatusOr<std::vector<WorstCase>> (*worst_cases)(const AnalystLimits& limits);
  bool of_vectors = false;  // for corpora of vectors, and for no others; else for those of text
};

// Of a model that asks of the corpus only how many terms it has.
template <auto kMake>
absl::StatusOr<std::unique_ptr<StatisticModel>> OfTerms(absl::string_view options,
                                                        const CorpusShape& corpus) {
  return kMake(options, corpus.vocabulary_size);
}

// The names stand in plans, and in chains that are kept for ever.
constexpr Entry kModels[] = {
    {"lda", OfTerms<lda::MakeLdaModel>, lda::WorstTopics},
    // An evaluation is less arithmetic, and has randomness of its own to make for every document.
    {"document_completion", OfTerms<completion::MakeCompletionModel>, lda::WorstTopics},
    {"multinomial_mixture", OfTerms<mixture::MakeMixtureModel>, mixture::WorstMixtures},
    {"prevalence", prevalence::MakePrevalenceModel, prevalence::WorstPrevalence},
    {"unit_lengths", OfTerms<lengths::MakeLengthsModel>, lengths::WorstLengths},
    {"gaussian_mixture", gaussian::MakeGaussianModel, gaussian::WorstGaussians,
     /*of_vectors=*/true},
    {"gaussian_likelihood", gaussian::MakeLikelihoodModel, gaussian::WorstGaussians,
     /*of_vectors=*/true},
};

absl::StatusOr<Entry> Find(absl::string_view name) {
  for (const Entry& entry : kModels) {
    if (name == entry.name) return entry;
  }
  // Whatever an analyst sends: the text of a refusal is for people, and for logs.
  return absl::InvalidArgumentError(absl::StrCat("model must be one of ",
                                                 absl::StrJoin(ModelNames(), ", "), "; got \"",
                                                 absl::CHexEscape(name.substr(0, 40)), "\"."));
}

bool IsFor(const Entry& entry, const CorpusShape& corpus) {
  return entry.of_vectors == (corpus.vector_dimension > 0);
}

}  // namespace

absl::StatusOr<std::unique_ptr<StatisticModel>> MakeModel(absl::string_view name,
                                                          absl::string_view options,
                                                          const CorpusShape& corpus) {
  TW_ASSIGN_OR_RETURN(const Entry entry, Find(name));
  // A model of text would find no word in a vector, and its plan would be paid for.
  if (!IsFor(entry, corpus)) {
    const auto kind = [](bool vectors) { return vectors ? "vectors" : "text"; };
    return absl::InvalidArgumentError(
        absl::StrCat("model must be one for a corpus of ", kind(!entry.of_vectors),
                     ", which this is; ", name, " is for corpora of ", kind(entry.of_vectors),
                     ". Ask for one of these: ", absl::StrJoin(ModelNamesFor(corpus), ", "), "."));
  }
  return entry.make(options, corpus);
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

std::vector<std::string> ModelNamesFor(const CorpusShape& corpus) {
  std::vector<std::string> names;
  for (const Entry& entry : kModels) {
    if (IsFor(entry, corpus)) names.emplace_back(entry.name);
  }
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

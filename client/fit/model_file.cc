// A model may come from anybody (`fit --init`, `topics`, `perplexity`), so that K, V and the arrays
// of those sizes agree is checked here, once, for all that index them later. That λ is positive and
// finite is for TopicModel::Create to say.
#include "client/fit/model_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/name.h"
#include "base/status_macros.h"
#include "client/audit/budget_sum.h"
#include "model/data/tokenizer.h"
#include "model/gaussian/gaussian_parameters.h"
#include "proto/matrix_codec.h"

namespace topicwall::client {
namespace {

absl::Status NoModel(absl::string_view path, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(path, " is no readable model: ", why, "."));
}

template <typename Values>
bool ArePositive(const Values& values) {
  return std::all_of(values.begin(), values.end(),
                     [](double x) { return x > 0 && std::isfinite(x); });
}

// Of components, if it has any: as many, and how common each is.
absl::Status CheckWeights(const v1::ModelFile& file, absl::string_view path) {
  const absl::Span<const double> weights = file.component_weights();
  if (weights.empty()) return absl::OkStatus();
  if (static_cast<int64_t>(weights.size()) != file.num_topics()) {
    return NoModel(path, absl::StrCat("it must have no weights of components or ",
                                      file.num_topics(), "; got ", weights.size()));
  }
  if (!ArePositive(weights)) {
    return NoModel(path, "its weights of components must be positive and finite");
  }
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  // Those of Gaussians were float32 logarithms, which is half of it.
  if (std::fabs(sum - 1) <= 1e-6) return absl::OkStatus();
  return NoModel(path,
                 absl::StrCat("its weights of components must sum to 1 within 1e-6; got ", sum));
}

// Of a mixture of Gaussians: its numbers, and nothing of topics beside them.
absl::Status CheckGaussian(const v1::ModelFile& file, absl::string_view path) {
  const v1::GaussianComponents& gaussian = file.gaussian();
  const auto components = static_cast<uint64_t>(file.num_topics());
  const auto size = components * static_cast<uint64_t>(file.vocabulary_size());
  if (static_cast<uint64_t>(gaussian.means_size()) != size ||
      static_cast<uint64_t>(gaussian.variances_size()) != size ||
      file.component_weights().empty() ||
      !std::all_of(gaussian.means().begin(), gaussian.means().end(),
                   [](double x) { return std::isfinite(x); }) ||
      !ArePositive(gaussian.variances()) || !ArePositive(std::array{gaussian.norm_bound()}) ||
      !(gaussian.count_deviation() >= 0) || !(gaussian.vectors() >= 0) ||
      !file.topic_parameters().empty() || !file.noisy_statistics().empty()) {
    return NoModel(path, "its components are incomplete or out of their domain");
  }
  return absl::OkStatus();
}

// All of it or none: signal and noise are read side by side, term by term. Of merged topics what
// they were before, and of the noise the corpus alone.
absl::Status CheckNoise(const v1::ModelFile& file, absl::string_view path) {
  const bool denoised = !file.noisy_statistics().empty();
  const int64_t noted = denoised ? file.vocabulary_size() : 0;
  const int masses = file.has_merged() ? file.num_topics() : 0;
  if ((denoised && file.noisy_statistics().size() != file.topic_parameters().size()) ||
      file.noise_deviations_size() != noted || file.merged().masses_size() != masses ||
      (!file.has_merged() && file.term_probabilities_size() != noted) ||
      (!file.merged().mass_variances().empty() && file.merged().mass_variances_size() != masses) ||
      (file.mass_deviations_size() != 0 &&
       (!denoised || file.mass_deviations_size() != file.num_topics())) ||
      (denoised && file.has_merged())) {
    return NoModel(path, "what it says of merged topics or of its noise is incomplete");
  }
  if (!denoised && !file.has_merged()) return absl::OkStatus();
  const absl::Status corpus =
      lda::CheckTermProbabilities(CorpusOf(file), static_cast<int>(file.vocabulary_size()));
  return corpus.ok() ? corpus : NoModel(path, corpus.message());
}

}  // namespace

absl::StatusOr<v1::ModelFile> ParseModelFile(absl::string_view bytes, absl::string_view path) {
  const auto parse = [&bytes](auto& message) {
    return message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  };
  v1::ModelFile file;
  if (!parse(file)) {
    // In another format a field may have another type under its number. Then the version is all
    // that can be read, and says who can.
    v1::FormatVersion version;
    if (!parse(version) || version.format_version() == kModelFormatVersion) {
      return NoModel(path, "its bytes do not parse");
    }
    file.set_format_version(version.format_version());
  }
  if (file.format_version() != kModelFormatVersion) {
    return NoModel(path, absl::StrCat("format_version must be ", kModelFormatVersion, "; got ",
                                      file.format_version(),
                                      ". Read it with the version of topicwall that wrote it"));
  }
  // What made it without a wall has none, or need not say so.
  for (const std::string& name : {file.corpus(), file.algorithm()}) {
    if (name.empty() || base::IsName(name)) continue;
    return NoModel(path, absl::StrCat("its corpus and algorithm must be names, ", base::kNameRule,
                                      "; got \"", name, "\""));
  }
  const uint64_t topics = static_cast<uint64_t>(file.num_topics());
  const uint64_t terms = static_cast<uint64_t>(file.vocabulary_size());
  if (file.num_topics() < 1 || file.vocabulary_size() < 1 ||
      file.vocabulary_size() > std::numeric_limits<int32_t>::max()) {
    return NoModel(path, "it must have at least one topic and one term");
  }
  if (static_cast<uint64_t>(file.terms_size()) != terms) {
    return NoModel(path, absl::StrCat("it must have ", terms, " terms; got ", file.terms_size()));
  }
  TW_RETURN_IF_ERROR(CheckWeights(file, path));
  if (file.has_gaussian()) {
    TW_RETURN_IF_ERROR(CheckGaussian(file, path));
    return file;
  }
  // Both factors are below 2^31, so that this cannot wrap.
  if (file.topic_parameters().size() != topics * terms * sizeof(float)) {
    return NoModel(path, absl::StrCat("it must have ", topics, " x ", terms, " parameters; got ",
                                      file.topic_parameters().size(), " bytes"));
  }
  TW_RETURN_IF_ERROR(CheckNoise(file, path));
  return file;
}

absl::Status CheckIsOfWords(const v1::ModelFile& file) {
  if (!file.has_gaussian()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "the model is a mixture of Gaussians, and this is asked of models of words. `topicwall "
      "topics`, `export` and `perplexity --documents` take it.");
}

absl::StatusOr<lda::TopicModel> ModelOf(const v1::ModelFile& file) {
  TW_RETURN_IF_ERROR(CheckIsOfWords(file));
  TW_ASSIGN_OR_RETURN(std::vector<float> parameters,
                      proto::FloatsFromLittleEndian(file.topic_parameters()));
  return lda::TopicModel::Create(
      {.num_topics = file.num_topics(),
       .vocabulary_size = static_cast<int>(file.vocabulary_size()),
       .document_topic_prior = lda::DocumentTopicPrior(file.document_topic_prior()),
       .topic_term_prior = file.topic_word_prior(),
       .topic_parameters = std::move(parameters)});
}

gaussian::Components ComponentsOf(const v1::ModelFile& file) {
  const v1::GaussianComponents& gaussian = file.gaussian();
  gaussian::Components components = {
      .weights = {file.component_weights().begin(), file.component_weights().end()},
      .means = {gaussian.means().begin(), gaussian.means().end()},
      .variances = {gaussian.variances().begin(), gaussian.variances().end()}};
  // Of an earlier version's fit: the wall counts it so, and what is scored here must be the same.
  for (double& variance : components.variances) {
    variance = std::max(variance, gaussian::kLeastVariance);
  }
  return components;
}

absl::Status CheckIsOfTopics(const v1::ModelFile& file, absl::string_view path) {
  if (file.component_weights().empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(path,
                   " is a mixture, and this is asked of models whose documents have several "
                   "topics and a prior for them. How common its components are the mixture says "
                   "itself (`topicwall topics`), and perplexity, prevalence and transform take it; "
                   "a fit by --algorithm denoised has such topics."));
}

absl::StatusOr<std::optional<ModelNoise>> NoiseOf(const v1::ModelFile& file) {
  if (file.noisy_statistics().empty()) return std::nullopt;
  ModelNoise noise = {
      .statistics = {},
      .deviations = {file.noise_deviations().begin(), file.noise_deviations().end()},
      .mass_deviations = {file.mass_deviations().begin(), file.mass_deviations().end()},
      .term_probabilities = {file.term_probabilities().begin(), file.term_probabilities().end()}};
  TW_ASSIGN_OR_RETURN(noise.statistics, proto::FloatsFromLittleEndian(file.noisy_statistics()));
  return noise;
}

void UpdateWithTopics(const v1::ModelFile& file, base::Sha256* hash) {
  for (const double alpha : file.document_topic_prior()) hash->UpdateNumber(alpha);
  hash->UpdateString(file.topic_parameters());
  for (const double weight : file.component_weights()) hash->UpdateNumber(weight);
  for (const double mean : file.gaussian().means()) hash->UpdateNumber(mean);
  for (const double variance : file.gaussian().variances()) hash->UpdateNumber(variance);
}

std::string TopicsSha256(const v1::ModelFile& file) {
  base::Sha256 hash;
  hash.UpdateString("topicwall.client.topics");
  hash.UpdateInteger(static_cast<uint64_t>(file.num_topics()));
  UpdateWithTopics(file, &hash);
  return base::DigestBytes(std::move(hash).Finish());
}

absl::StatusOr<lda::Vocabulary> VocabularyOf(const v1::ModelFile& file) {
  return MakeVocabulary(file.tokenizer(), {file.terms().begin(), file.terms().end()});
}

absl::StatusOr<lda::Vocabulary> MakeVocabulary(absl::string_view tokenizer,
                                               std::vector<std::string> terms) {
  if (tokenizer == lda::kTokenizerName) return lda::Vocabulary::Create(std::move(terms));
  if (tokenizer == lda::kCountsTokenizerName || tokenizer == lda::kVectorsTokenizerName) {
    return lda::Vocabulary::CreateOpaque(std::move(terms));
  }
  return absl::FailedPreconditionError(
      absl::StrCat("tokenizer must be ", lda::kTokenizerName, ", ", lda::kCountsTokenizerName,
                   " or ", lda::kVectorsTokenizerName, "; got \"", tokenizer,
                   "\". Use a version of topicwall that knows it."));
}

v1::ModelFile MakeModelFile(const lda::TopicModel& model, const lda::Vocabulary& vocabulary,
                            const ModelProvenance& provenance) {
  v1::ModelFile file = MakeModelFile(vocabulary, provenance);
  SetTopics(model, file);
  return file;
}

std::vector<double> TermPriors(const v1::ModelFile& file) {
  const auto terms = static_cast<size_t>(file.vocabulary_size());
  std::vector<double> priors(terms, file.topic_word_prior());
  for (size_t v = 0; v < terms && !file.term_probabilities().empty(); ++v) {
    // η is the mean of a denoised model's priors, which go by word frequency (denoised_model.cc).
    priors[v] *= static_cast<double>(terms) * file.term_probabilities(static_cast<int>(v));
  }
  return priors;
}

void SetTopics(const lda::TopicModel& model, v1::ModelFile& file) {
  file.set_num_topics(model.num_topics());
  file.set_topic_parameters(proto::FloatsToLittleEndian(model.topic_parameters()));
  file.set_topic_word_prior(model.topic_term_prior());
  const absl::Span<const double> prior = model.document_topic_prior().values();
  file.mutable_document_topic_prior()->Assign(prior.begin(), prior.end());
}

v1::UnitNaming UnitNamingOf(const v1::CorpusDescription& description) {
  v1::UnitNaming naming;
  naming.set_privacy_unit(description.privacy_unit());
  naming.set_unjoinable(description.unjoinable());
  return naming;
}

bool SawHeldOut(const v1::ModelFile& file, const v1::ReleaseSpec& plan,
                const v1::UnitNaming& naming) {
  if (plan.held_out_share() == 0 || file.corpus() != plan.corpus()) return false;
  // Held out are the units whose keyed hash is below the share: those of a smaller share are among
  // those of a larger one.
  if (plan.held_out_share() > file.held_out_share()) return true;
  if (plan.corpus_version() == file.corpus_version()) return false;
  // Of two versions only if both name a unit alike (server/corpus/ingest/unit_naming.h).
  const v1::UnitNaming& of_fit = file.unit_naming();
  return of_fit.privacy_unit() == v1::PRIVACY_UNIT_UNSPECIFIED || of_fit.unjoinable() ||
         naming.unjoinable() || of_fit.privacy_unit() != naming.privacy_unit();
}

v1::ModelFile MakeModelFile(const lda::Vocabulary& vocabulary, const ModelProvenance& provenance) {
  v1::ModelFile file;
  file.set_format_version(kModelFormatVersion);
  file.set_vocabulary_size(static_cast<int64_t>(vocabulary.size()));
  for (const std::string& term : vocabulary.terms()) file.add_terms(term);
  file.set_tokenizer(provenance.description.tokenizer());
  if (provenance.description.has_vectors()) {
    file.mutable_gaussian()->set_norm_bound(provenance.description.vectors().norm_bound());
  }
  // The corpus is named from the plan, as it was reserved, so a model made without a wall names
  // none.
  const v1::ReleaseSpec& plan = provenance.plan.plan();
  file.set_corpus(plan.corpus());
  file.set_corpus_version(plan.corpus_version());
  file.set_plan_id(provenance.plan.plan_id());
  file.set_custodian_id(provenance.description.custodian_id());
  file.set_algorithm(provenance.algorithm);
  file.set_iterations(provenance.iterations);
  file.set_held_out_share(plan.held_out_share());
  if (!plan.corpus().empty()) *file.mutable_unit_naming() = UnitNamingOf(provenance.description);
  file.set_epsilon(provenance.epsilon);
  file.set_delta(provenance.delta);
  // The model outlives the connection: what its ε does not say of the same people goes along with
  // it.
  if (IsShared(provenance.description.sum())) *file.mutable_sum() = provenance.description.sum();
  return file;
}

}  // namespace topicwall::client

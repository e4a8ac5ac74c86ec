// The analyst's model.pb (client/fit/model_file.h): read from a disk, or from somebody else.
#include <cmath>

#include "client/fit/model_file.h"
#include "model/data/tokenizer.h"
#include "model/lda/reading/topic_quality.h"
#include "tests/fuzz/fuzz_target.h"

namespace topicwall::fuzz {
namespace {

Verdict Run(absl::string_view input) {
  // A bad term and an unknown tokenizer are shown.
  const RefusalRules rules = {
      .codes = {absl::StatusCode::kInvalidArgument, absl::StatusCode::kFailedPrecondition},
      .longest_message = 400 + 4 * input.size()};
  const absl::StatusOr<v1::ModelFile> file = client::ParseModelFile(input, "m/model.pb");
  if (!file.ok()) return Refuse(file.status(), rules);
  Require(file->num_topics() >= 1 && file->vocabulary_size() == file->terms_size(),
          "a model says how large it is");
  const auto again = client::ParseModelFile(file->SerializeAsString(), "m");
  Require(again.ok() && again->SerializeAsString() == file->SerializeAsString(),
          "a model reads back as it was");
  const absl::StatusOr<lda::Vocabulary> vocabulary = client::VocabularyOf(*file);
  if (!vocabulary.ok()) return Refuse(vocabulary.status(), rules);
  const absl::StatusOr<lda::TopicModel> model = client::ModelOf(*file);
  if (!model.ok()) return Refuse(model.status(), rules);
  Require(model->vocabulary_size() == static_cast<int>(vocabulary->size()),
          "every column has its term");
  for (const float value : model->topic_parameters()) {
    Require(std::isfinite(value) && value > 0, "topic parameters are finite and positive");
  }
  const auto noise = client::NoiseOf(*file);
  if (!noise.ok()) return Refuse(noise.status(), rules);
  if (noise->has_value()) {
    const auto quality = lda::TopicQuality::Create(*model, (*noise)->topics(file->num_topics()),
                                                   (*noise)->term_probabilities);
    if (!quality.ok()) return Refuse(quality.status(), rules);
    Require(quality->NumWeakTopics() <= file->num_topics(), "only topics are weak");
  }
  Require(!model->topic(model->num_topics() - 1).empty(), "the last topic has terms");
  return Verdict::kAccepted;
}

std::string ModelOf(const char* tokenizer, bool with_noise) {
  const lda::TopicModel model = *lda::TopicModel::Create({.num_topics = 2,
                                                          .vocabulary_size = 3,
                                                          .document_topic_prior = 0.5,
                                                          .topic_term_prior = 0.25,
                                                          .topic_parameters = {1, 2, 3, 4, 5, 6}});
  v1::FitPlan plan;
  plan.mutable_plan()->set_corpus("notes");
  plan.set_plan_id("plan");
  v1::CorpusDescription description;
  description.set_tokenizer(tokenizer);
  v1::ModelFile file =
      client::MakeModelFile(model, *lda::Vocabulary::Create({"apple", "fig", "pear"}),
                            {.description = description,
                             .algorithm = "denoised",
                             .iterations = 9,
                             .epsilon = 2,
                             .delta = 1e-6,
                             .plan = plan});
  if (with_noise) {
    file.set_noisy_statistics(file.topic_parameters());
    file.mutable_noise_deviations()->Resize(3, 1);
    file.mutable_mass_deviations()->Resize(file.num_topics(), 1);
    file.mutable_term_probabilities()->Resize(3, 1.0 / 3);
  }
  return file.SerializeAsString();
}

std::string Merged(const std::string& model) {
  v1::ModelFile file = *client::ParseModelFile(model, "m");
  file.clear_noisy_statistics();
  file.clear_noise_deviations();
  file.clear_mass_deviations();
  file.mutable_merged()->mutable_masses()->Resize(file.num_topics(), 5);
  file.mutable_merged()->mutable_mass_variances()->Resize(file.num_topics(), 1);
  return file.SerializeAsString();
}

std::vector<std::string> Seeds() {
  const std::string with_noise = ModelOf(lda::kCountsTokenizerName, true);
  return {ModelOf(lda::kTokenizerName, false), with_noise, Merged(with_noise)};
}

[[maybe_unused]] const bool registered =
    Register({.name = "model_file", .run = Run, .seeds = Seeds});

}  // namespace
}  // namespace topicwall::fuzz

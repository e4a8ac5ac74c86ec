// Three moments: the model is read and its topics are laid over the words of the corpus
// (NewWarmStart, before anything is paid); they are used or dropped once there is a private unigram
// (DecideWarmStart); and from then on the checkpoint alone says which, and holds the topics
// themselves.
#include "client/fit/initial_model.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/durable_file.h"
#include "base/sha256.h"
#include "base/status_macros.h"
#include "client/fit/model_directory.h"
#include "client/fit/model_file.h"
#include "model/lda/denoise/warm_start.h"
#include "model/lda/topics/topic_model.h"
#include "proto/matrix_codec.h"

namespace topicwall::client {
namespace {

constexpr int64_t kMaxInitialModelBytes = (int64_t{1} << 31) - 1;
// Of a topic, on terms of the corpus: with less it says nothing.
constexpr double kLeastKnownShare = 1e-3;

// Where each of the model's terms is in `vocabulary`.
// By name, since the number of a term is its list's own.
std::vector<std::optional<uint32_t>> PlacesOf(const v1::ModelFile& model,
                                              const lda::Vocabulary& vocabulary) {
  std::vector<std::optional<uint32_t>> places;
  for (const std::string& term : model.terms()) places.push_back(vocabulary.Find(term));
  return places;
}

// The mean topics over `vocabulary`, those with next to no mass on it left out.
std::vector<float> TopicsOver(const lda::TopicModel& model, const lda::Vocabulary& vocabulary,
                              const std::vector<std::optional<uint32_t>>& places) {
  const std::vector<double> means = lda::MeanTopics(model);
  std::vector<float> topics;
  for (size_t begin = 0; begin < means.size(); begin += places.size()) {
    std::vector<float> row(vocabulary.size(), 0.0F);
    double known = 0;
    for (size_t i = 0; i < places.size(); ++i) {
      if (!places[i].has_value()) continue;
      row[*places[i]] = static_cast<float>(means[begin + i]);
      known += means[begin + i];
    }
    // Not normalised here: TryWarmStart does that, beside the terms that no topic knows.
    if (known >= kLeastKnownShare) topics.insert(topics.end(), row.begin(), row.end());
  }
  return topics;
}

}  // namespace

absl::StatusOr<v1::ModelFile> ReadInitialModel(const std::string& path) {
  // A folder in which a fit is under way gives that error, and not one of a file that is none.
  if (HoldsFit(path)) return ReadModel(path);
  TW_ASSIGN_OR_RETURN(const std::string bytes, base::ReadWholeFile(path, kMaxInitialModelBytes));
  return ParseModelFile(bytes, path);
}

std::string SourceDigest(const v1::ModelFile& model) {
  base::Sha256 hash;
  // Of what a fit takes over, and no more: one α for all topics is not (NewWarmStart), and the rest
  // of the file says nothing to a fit.
  hash.Update(model.topic_parameters());
  if (model.has_gaussian()) {
    const gaussian::Components components = ComponentsOf(model);
    for (const auto& numbers : {components.weights, components.means, components.variances}) {
      for (const double number : numbers) hash.UpdateNumber(number);
    }
  }
  if (model.document_topic_prior_size() > 1) {
    for (const double alpha : model.document_topic_prior()) hash.UpdateNumber(alpha);
  }
  return base::DigestBytes(std::move(hash).Finish());
}

absl::StatusOr<v1::WarmStart> NewWarmStart(const v1::ModelFile& model,
                                           const lda::Vocabulary& vocabulary, int num_topics) {
  if (model.num_topics() > num_topics) {
    return absl::InvalidArgumentError(absl::StrCat("topics must be at least ", model.num_topics(),
                                                   ", which the initial model has; got ",
                                                   num_topics, "."));
  }
  TW_ASSIGN_OR_RETURN(const lda::TopicModel topics, ModelOf(model));
  const std::vector<float> rows = TopicsOver(topics, vocabulary, PlacesOf(model, vocabulary));
  if (rows.empty()) {
    return absl::InvalidArgumentError(
        "the initial model must know terms of the corpus; it knows none of them.");
  }
  v1::WarmStart start;
  start.set_source_sha256(SourceDigest(model));
  start.set_topics(proto::FloatsToLittleEndian(rows));
  // An α belongs to its topic by number. With a topic left out, or others drawn in addition, the
  // numbers would be those of other topics.
  const size_t known = rows.size() / vocabulary.size();
  if (model.document_topic_prior_size() > 1 && known == static_cast<size_t>(num_topics)) {
    *start.mutable_document_topic_prior() = model.document_topic_prior();
  }
  return start;
}

absl::StatusOr<v1::WarmStart> DecideWarmStart(v1::WarmStart start, absl::Span<const double> unigram,
                                              const FirstDraws& draws) {
  // Once, by the unigram of the first stage. Decided again after a crash, by other arithmetic, it
  // might come out the other way round, under a plan that is reserved already.
  if (start.outcome() != v1::WarmStart::OUTCOME_UNDECIDED) return start;
  TW_ASSIGN_OR_RETURN(const std::vector<float> topics,
                      proto::FloatsFromLittleEndian(start.topics()));
  TW_ASSIGN_OR_RETURN(const lda::WarmStart decided,
                      lda::TryWarmStart({.num_topics = draws.num_topics,
                                         .topics = topics,
                                         .term_probabilities = unigram,
                                         .seed = draws.seed,
                                         .gamma_shape = draws.gamma_shape}));
  start.set_divergence(decided.divergence);
  start.set_coverage(decided.coverage);
  start.set_outcome(decided.fits ? v1::WarmStart::OUTCOME_USED : v1::WarmStart::OUTCOME_DROPPED);
  start.set_topics(proto::FloatsToLittleEndian(decided.topics));
  if (!decided.fits) start.clear_document_topic_prior();
  return start;
}

bool IsSoundWarmStart(const v1::WarmStart& start, const WarmStartShape& shape) {
  const auto num_topics = static_cast<size_t>(shape.num_topics);
  const size_t row = static_cast<size_t>(shape.vocabulary_size) * sizeof(float);
  const size_t rows = start.topics().size() / row;
  const auto alphas = static_cast<size_t>(start.document_topic_prior_size());
  // The state comes from a file; nothing is divided into rows before it is known to be rows.
  if (start.topics().size() % row != 0 || (alphas != 0 && alphas != num_topics)) return false;
  switch (start.outcome()) {
    case v1::WarmStart::OUTCOME_UNDECIDED:
      return rows >= 1 && rows <= num_topics && !shape.is_decided;
    case v1::WarmStart::OUTCOME_USED:
      return rows == num_topics && shape.is_decided;
    case v1::WarmStart::OUTCOME_DROPPED:
      return rows == 0 && alphas == 0 && shape.is_decided;
    default:
      return false;
  }
}

}  // namespace topicwall::client

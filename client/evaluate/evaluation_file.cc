#include "client/evaluate/evaluation_file.h"

#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/durable_file.h"
#include "base/sha256.h"
#include "base/status_macros.h"
#include "client/fit/checkpoint.h"
#include "client/wall/topics_asked.h"
#include "proto/matrix_codec.h"

namespace topicwall::client {
namespace {

constexpr int64_t kMaxFileBytes = int64_t{1} << 28;
constexpr double kMostRelativeNoise = 0.25;

bool IsWhole(const v1::EvaluationFile& file) {
  const v1::ReleaseSpec& plan = file.plan().plan();
  return file.plan().request_id().size() == kRequestIdSize && plan.model() == kDocumentCompletion &&
         plan.weights().size() == 2 * sizeof(float) && plan.iterations() >= 1 &&
         file.words_size() == file.negative_log_likelihoods_size() &&
         file.words_size() <= plan.iterations() &&
         (file.words_size() == 0 || !file.plan().plan_id().empty());
}

template <typename Numbers>
double Mean(const Numbers& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) / numbers.size();
}

}  // namespace

std::string EvaluationPath(const std::string& directory, const EvaluationWish& wish,
                           const v1::ModelFile& model) {
  base::Sha256 hash;
  hash.UpdateString("topicwall.client.evaluation");
  hash.UpdateString(wish.corpus);
  hash.UpdateNumber(wish.held_out_share);
  hash.UpdateInteger(static_cast<uint64_t>(wish.releases));
  hash.UpdateNumber(wish.typical_words);
  hash.UpdateNumber(wish.epsilon.value_or(0));
  hash.UpdateNumber(wish.noise_multiplier.value_or(0));
  hash.UpdateInteger(static_cast<uint64_t>(wish.max_words.value_or(0)));
  for (const double alpha : model.document_topic_prior()) hash.UpdateNumber(alpha);
  hash.UpdateString(model.topic_parameters());
  const std::string digest = base::DigestBytes(std::move(hash).Finish());
  return absl::StrCat(directory, "/evaluation-", absl::BytesToHexString(digest.substr(0, 8)),
                      ".pb");
}

absl::StatusOr<std::optional<v1::EvaluationFile>> ReadEvaluation(const std::string& path) {
  const absl::StatusOr<std::string> bytes = base::ReadWholeFile(path, kMaxFileBytes);
  if (absl::IsNotFound(bytes.status())) return std::optional<v1::EvaluationFile>();
  TW_RETURN_IF_ERROR(bytes.status());
  v1::EvaluationFile file;
  if (!file.ParseFromString(*bytes) || file.format_version() != kEvaluationFormatVersion ||
      !IsWhole(file)) {
    return absl::InvalidArgumentError(absl::StrCat(
        path,
        " is no evaluation that this version of topicwall can read. If it is damaged, see "
        "with `topicwall plans` what is reserved before removing it."));
  }
  return std::optional<v1::EvaluationFile>(std::move(file));
}

absl::Status WriteEvaluation(const v1::EvaluationFile& file, const std::string& path) {
  return base::ReplaceFileDurably(path, file.SerializeAsString());
}

bool IsFinished(const v1::EvaluationFile& file) {
  return file.words_size() == file.plan().plan().iterations();
}

PerplexityEstimate EstimateOf(const v1::EvaluationFile& file) {
  PerplexityEstimate estimate = {};
  const auto weights = proto::FloatsFromLittleEndian(file.plan().plan().weights());
  if (!weights.ok() || weights->size() != 2 || file.words_size() == 0) return estimate;
  const double noise = file.noise_standard_deviation() / std::sqrt(file.words_size());
  const double nats_deviation = noise / double{(*weights)[0]};
  estimate.words = Mean(file.words());
  estimate.words_deviation = noise / double{(*weights)[1]};
  const double nats = Mean(file.negative_log_likelihoods());
  if (!(estimate.words_deviation < kMostRelativeNoise * estimate.words) || !(nats > 0)) {
    return estimate;
  }
  const double ratio = nats / estimate.words;
  estimate.perplexity = std::exp(ratio);
  estimate.standard_error = *estimate.perplexity *
                            std::hypot(nats_deviation, ratio * estimate.words_deviation) /
                            estimate.words;
  return estimate;
}

}  // namespace topicwall::client

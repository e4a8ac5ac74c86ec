#include "client/mock/made_up_release.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/sha256.h"
#include "base/status_macros.h"
#include "model/lda/denoise/clip_choice.h"
#include "model/models.h"
#include "model/weighted_directions.h"
#include "proto/matrix_codec.h"
#include "proto/release_spec.h"

namespace topicwall::client {
namespace {

using Engine = std::mt19937_64;

// Not of the request's digest, which names a plan by an id that is drawn.
Engine EngineOf(const v1::ReleaseSpec& plan, const v1::RunReleaseHeader& header,
                absl::Span<const float> parameters) {
  base::Sha256 hash;
  hash.UpdateString(proto::RecordOf(plan).SerializeAsString());
  hash.UpdateInteger(static_cast<uint64_t>(header.iteration()));
  hash.UpdateNumber(header.clip_norm());
  hash.UpdateString(base::DigestBytes(proto::DigestOfFloats(parameters)));
  if (header.direction_noise() != 0) hash.UpdateNumber(header.direction_noise());
  const base::Digest digest = std::move(hash).Finish();
  std::seed_seq seed(digest.begin(), digest.end());
  return Engine(seed);
}

class MadeUpBits final : public model::UnitBits {
 public:
  explicit MadeUpBits(Engine& engine) : engine_(engine) {}
  void StartDocument(int) override {}
  uint64_t NextBits(int count) override { return engine_() >> (64 - count); }

 private:
  Engine& engine_;
};

// Always the same ones, a bit by their number.
bool IsHeldOut(size_t unit, double share) {
  // Multiples of the golden ratio fill [0, 1) evenly: of any share, that share is held out.
  const double place = std::fmod(static_cast<double>(unit) * 0.6180339887498949, 1.0);
  return place < share;
}

// The first words, where a wall draws them: of documents that were drawn it is the same.
std::vector<lda::TermCount> CutTo(int64_t most, lda::DocumentView document) {
  std::vector<lda::TermCount> cut;
  for (const lda::TermCount& entry : document) {
    if (most <= 0) break;
    cut.push_back(
        {.term = entry.term, .count = static_cast<uint32_t>(std::min<int64_t>(entry.count, most))});
    most -= cut.back().count;
  }
  return cut;
}

absl::StatusOr<model::WeightedDirections> DirectionsOf(const v1::RunReleaseHeader& header,
                                                       double noise_multiplier,
                                                       const model::Inference& inference,
                                                       absl::Span<const float> weights) {
  const double noise = header.direction_noise();
  TW_RETURN_IF_ERROR(lda::CheckDirectionNoise(noise));
  // The wall's rule (server/mechanism/mechanism_limits.cc), which this side may not include.
  if (noise != 0 && noise_multiplier < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("direction_noise must be 0 where the noise multiplier is below 1; got ", noise,
                     " with ", noise_multiplier, ". Plan for more noise."));
  }
  std::optional<model::WeightedDirections> directions =
      model::WeightedDirections::Of(inference, weights, noise);
  if (directions.has_value()) return *std::move(directions);
  return absl::InvalidArgumentError(
      absl::StrCat("direction_noise must be 0 for a model whose rows have no directions; got ",
                   noise, ". Ask without it."));
}

class ClippedSum {
 public:
  ClippedSum(const model::StatisticShape& shape, std::vector<float> weights,
             model::WeightedDirections directions, double clip_norm)
      : columns_(static_cast<size_t>(shape.period)),
        weights_(std::move(weights)),
        directions_(std::move(directions)),
        clip_norm_(clip_norm),
        sums_(static_cast<size_t>(shape.dimension)),
        norms_(lda::kClipHistogramBins) {}

  void Add(const model::SparseStatistic& x, double times) {
    if (x.columns.empty()) return;
    const double norm = WeightedNorm(x);
    // Clipped alone, and then counted `times`: a unit of the real corpus is clipped by itself.
    const double factor = times * (norm > clip_norm_ ? clip_norm_ / norm : 1);
    for (size_t i = 0; i < x.values.size(); ++i) {
      const size_t row = x.rows[i % x.rows.size()], column = x.columns[i / x.rows.size()];
      sums_[row * columns_ + column] += factor * double{x.values[i]};
    }
    // Bin b holds norms up to 0.5·2^(b/6).
    const double bin = norm > 0 ? std::ceil(6 * std::log2(norm / 0.5)) : 0;
    norms_[static_cast<size_t>(std::clamp(bin, 0.0, lda::kClipHistogramBins - 1.0))] += times;
  }

  std::vector<float> Noisy(double deviation, Engine& engine) const {
    std::normal_distribution<double> noise(0, 1);
    std::vector<float> noisy;
    noisy.reserve(sums_.size());
    std::vector<double> along(directions_.empty() ? 0 : sums_.size() / columns_);
    for (double& length : along) length = deviation * noise(engine);
    for (size_t i = 0; i < sums_.size(); ++i) {
      const size_t row = i / columns_, column = i % columns_;
      double sum = sums_[i];
      if (!along.empty()) sum += along[row] * directions_.Step(row, column);
      // Noise is the same in every weighted column; back in words it is less where the weight is
      // larger.
      noisy.push_back(static_cast<float>(sum + deviation / Weight(column) * noise(engine)));
    }
    return noisy;
  }
  void AddNoisyNorms(double deviation, Engine& engine, v1::ReleaseHeader* header) const {
    std::normal_distribution<double> noise(0, deviation);
    for (const double count : norms_) {
      header->add_norm_histogram(static_cast<float>(count + noise(engine)));
    }
  }

 private:
  double Weight(size_t column) const { return weights_.empty() ? 1 : double{weights_[column]}; }
  double WeightedNorm(const model::SparseStatistic& x) const {
    double squares = 0;
    for (size_t i = 0; i < x.values.size(); ++i) {
      const double value = Weight(x.columns[i / x.rows.size()]) * double{x.values[i]};
      squares += value * value;
    }
    std::vector<double> room;
    return std::sqrt(std::max(squares - directions_.SquaresLeftOut(x, &room), 0.0));
  }

  const size_t columns_;
  const std::vector<float> weights_;  // of columns; none: all 1
  const model::WeightedDirections directions_;
  const double clip_norm_;
  std::vector<double> sums_;
  std::vector<double> norms_;
};

void AddUnits(const MadeUpCorpus& corpus, const v1::ReleaseSpec& plan,
              const model::Inference& inference, Engine& engine, ClippedSum* sum) {
  const auto thread = inference.NewThread({.vocabulary_size = corpus.shape.vocabulary_size,
                                           .max_words = plan.max_tokens(),
                                           .max_documents = 1});
  MadeUpBits bits(engine);
  std::bernoulli_distribution takes_part(plan.sampling_rate());
  model::SparseStatistic x;
  for (size_t d = 0; d < corpus.size(); ++d) {
    if (IsHeldOut(d, plan.held_out_share()) != plan.held_out_only()) continue;
    if (!takes_part(engine)) continue;
    const bool of_text = corpus.vectors.empty();
    const std::vector<lda::TermCount> words =
        of_text ? CutTo(plan.max_tokens(), corpus.documents[d]) : std::vector<lda::TermCount>();
    const model::UnitDocument document = {
        .counts = words,
        .number = 0,
        .attributes = corpus.attributes[d],
        .vector = of_text ? absl::Span<const float>() : absl::MakeConstSpan(corpus.vectors[d])};
    thread->Infer({.documents = {&document, 1}}, bits, &x);
    // A few documents stand for as many as the custodian states, so that noise weighs what it would
    // weigh.
    sum->Add(x, corpus.weight);
  }
}

}  // namespace

absl::StatusOr<Release> MakeUpRelease(const MadeUpCorpus& corpus, const v1::ReleaseSpec& plan,
                                      const v1::RunReleaseHeader& header,
                                      absl::Span<const float> parameters) {
  TW_RETURN_IF_ERROR(lda::CheckClipNorm(header.clip_norm()));
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<model::StatisticModel> model,
                      model::MakeModel(plan.model(), plan.options(), corpus.shape));
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<model::Inference> inference,
                      model->Bind(parameters, 1));
  TW_ASSIGN_OR_RETURN(std::vector<float> weights, proto::FloatsFromLittleEndian(plan.weights()));
  TW_ASSIGN_OR_RETURN(
      model::WeightedDirections directions,
      DirectionsOf(header, plan.gaussian().noise_multiplier(), *inference, weights));
  // One engine, whose order is part of the answer: coins and bits of units, then noise.
  Engine engine = EngineOf(plan, header, parameters);
  ClippedSum sum(inference->shape(), std::move(weights), std::move(directions), header.clip_norm());
  AddUnits(corpus, plan, *inference, engine, &sum);

  const v1::Gaussian& noise = plan.gaussian();
  Release release;
  v1::ReleaseHeader& made = release.header;
  made.set_plan_id(header.plan_id());
  made.set_iteration(header.iteration());
  made.set_request_digest(header.request_digest());
  made.set_rows(inference->shape().rows());
  made.set_columns(inference->shape().period);
  made.set_clip_norm(header.clip_norm());
  made.set_direction_noise(header.direction_noise());
  made.set_kernel_name(std::string(inference->kernel_name()));
  made.set_noise_standard_deviation(noise.noise_multiplier() * header.clip_norm());
  release.statistics = sum.Noisy(made.noise_standard_deviation(), engine);
  if (noise.has_histogram_noise_multiplier()) {
    made.set_histogram_noise_standard_deviation(noise.histogram_noise_multiplier());
    sum.AddNoisyNorms(noise.histogram_noise_multiplier(), engine, &made);
  }
  made.set_statistics_sha256(base::DigestBytes(proto::DigestOfFloats(release.statistics)));
  return release;
}

}  // namespace topicwall::client

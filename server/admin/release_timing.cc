#include "server/admin/release_timing.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "accountant/status_macros.h"
#include "lda/document.h"
#include "lda/e_step.h"
#include "lda/log_topics.h"
#include "lda/sufficient_statistics.h"
#include "server/mechanism/rounded_gaussian.h"
#include "server/mechanism/unit_clipper.h"
#include "server/random/keystream.h"
#include "server/random/secret_key.h"

namespace topicwall::admin {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kSampleSeconds = 0.5;
constexpr int64_t kNoiseDraws = 20'000;
// Of one document, in terms · topics · iterations: about a second of one thread.
constexpr double kMostWorkOfADocument = 1e9;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// A number that looks random, from a counter (SplitMix64): only to spread memory accesses.
uint64_t Scatter(uint64_t counter) {
  uint64_t z = (counter + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

// Weights of all sizes, so that no exponent is a special case.
absl::StatusOr<lda::LogTopics> SyntheticTopics(const ReleaseShape& shape) {
  TW_RETURN_IF_ERROR(
      lda::CheckTopicShape(shape.num_topics, static_cast<int>(shape.vocabulary_size)));
  std::vector<float> values(static_cast<size_t>(shape.num_topics) *
                            static_cast<size_t>(shape.vocabulary_size));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = -10.0F * static_cast<float>(Scatter(i) >> 40) * 0x1p-24F;
  }
  return lda::LogTopics::Create(shape.num_topics, static_cast<int>(shape.vocabulary_size),
                                std::move(values));
}

// One term from each of `terms` equal stretches of the vocabulary, the words spread over them.
void FillDocument(const ReleaseShape& shape, uint64_t number,
                  std::vector<lda::TermCount>* document) {
  const int64_t terms = std::min(shape.words, shape.vocabulary_size);
  const auto count =
      static_cast<uint32_t>(std::min<int64_t>((shape.words + terms - 1) / terms, UINT32_MAX));
  document->clear();
  for (int64_t i = 0; i < terms; ++i) {
    const int64_t first = i * shape.vocabulary_size / terms;
    const int64_t end = (i + 1) * shape.vocabulary_size / terms;
    const uint64_t offset =
        Scatter(number * 0x10001U + static_cast<uint64_t>(i)) % static_cast<uint64_t>(end - first);
    document->push_back(
        {.term = static_cast<uint32_t>(first + static_cast<int64_t>(offset)), .count = count});
  }
}

struct Sample {
  std::atomic<int64_t> documents = 0;
  std::atomic<uint64_t> kept = 0;  // so that no result is unused
};

// Documents until the time of the sample is over, at least one.
void InferDocuments(const ReleaseShape& shape, const lda::EStep& e_step,
                    const mechanism::UnitClipper& clipper, Clock::time_point start,
                    Sample* sample) {
  lda::EStep::Workspace workspace;
  lda::UnitStatistic statistic;
  mechanism::ClippedUnit clipped;
  std::vector<lda::TermCount> document;
  do {
    FillDocument(shape, static_cast<uint64_t>(sample->documents.fetch_add(1)), &document);
    e_step.Infer(document, workspace);
    statistic.Reset(e_step.num_topics());
    statistic.Add(document, workspace);
    if (clipper.Clip(statistic, &clipped)) sample->kept += clipped.values.front();
  } while (SecondsSince(start) < kSampleSeconds);
}

// Seconds of every document, all threads working at once.
double TimeDocuments(const ReleaseShape& shape, const lda::EStep& e_step,
                     const mechanism::UnitClipper& clipper, int64_t* documents) {
  Sample sample;
  std::vector<std::thread> threads;
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < shape.threads; ++i) {
    threads.emplace_back([&] { InferDocuments(shape, e_step, clipper, start, &sample); });
  }
  for (std::thread& thread : threads) thread.join();
  *documents = sample.documents;
  return SecondsSince(start) / static_cast<double>(sample.documents);
}

absl::StatusOr<double> TimeNoise(const ReleaseShape& shape) {
  TW_ASSIGN_OR_RETURN(const random::SecretKey key, random::SecretKey::Generate());
  TW_ASSIGN_OR_RETURN(random::Keystream stream, random::Keystream::Create(key, 0));
  mechanism::RoundedGaussian<30> noise;
  const Clock::time_point start = Clock::now();
  std::atomic<int64_t> sum = 0;
  for (int64_t i = 0; i < kNoiseDraws; ++i) sum.fetch_xor(noise.Draw(stream));
  const double seconds_of_one = SecondsSince(start) / static_cast<double>(kNoiseDraws);
  TW_RETURN_IF_ERROR(stream.status());
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const double at_once = std::min(static_cast<double>(shape.threads), static_cast<double>(cores));
  return seconds_of_one * shape.num_topics * static_cast<double>(shape.vocabulary_size) / at_once;
}

}  // namespace

absl::StatusOr<ReleaseTiming> TimeWorstRelease(const ReleaseShape& shape) {
  if (shape.words < 1 || shape.max_e_step_iterations < 1 || shape.units < 1 ||
      shape.documents_per_unit < 1 || shape.threads < 1) {
    return absl::InvalidArgumentError("every number of a release's shape must be at least 1");
  }
  const Clock::time_point start = Clock::now();
  TW_ASSIGN_OR_RETURN(const lda::LogTopics topics, SyntheticTopics(shape));
  // A document that takes many seconds is timed with fewer iterations. Taking its time to be
  // proportional to them then errs upwards.
  const double work = static_cast<double>(std::min(shape.words, shape.vocabulary_size)) *
                      shape.num_topics * shape.max_e_step_iterations;
  const double share = std::min(1.0, kMostWorkOfADocument / work);
  const int iterations = std::max(1, static_cast<int>(share * shape.max_e_step_iterations));
  // At this prior no topic dies out: every iteration runs over all of them, which is the dearest.
  TW_ASSIGN_OR_RETURN(const lda::EStep e_step,
                      lda::EStep::Create(topics, {.document_topic_prior = 1.0,
                                                  .max_iterations = iterations,
                                                  .mean_change_threshold = 0}));
  TW_ASSIGN_OR_RETURN(const mechanism::UnitClipper clipper,
                      mechanism::UnitClipper::Create({.num_topics = shape.num_topics,
                                                      .vocabulary_size = shape.vocabulary_size,
                                                      .clip_norm = 1,
                                                      .term_weights = {},
                                                      .noise_multiplier = 1}));
  const double preparation = SecondsSince(start);
  ReleaseTiming timing{};
  const double one = TimeDocuments(shape, e_step, clipper, &timing.documents_timed) *
                     shape.max_e_step_iterations / iterations;
  TW_ASSIGN_OR_RETURN(const double noise, TimeNoise(shape));
  timing.seconds =
      preparation + noise +
      one * static_cast<double>(shape.units) * static_cast<double>(shape.documents_per_unit);
  return timing;
}

}  // namespace topicwall::admin

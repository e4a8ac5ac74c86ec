#include "server/admin/release_timing.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "model/completion/completion_score.h"
#include "model/completion/token_halves.h"
#include "model/data/document.h"
#include "model/lda/topics/dirichlet_prior.h"
#include "model/lda/topics/e_step.h"
#include "model/lda/topics/log_topics.h"
#include "model/lda/topics/sufficient_statistics.h"
#include "server/mechanism/keyed_unit_bits.h"
#include "server/mechanism/noise/rounded_gaussian.h"
#include "server/mechanism/unit_clipper.h"
#include "server/random/keystream.h"
#include "server/random/secret_key.h"

namespace topicwall::admin {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kSampleSeconds = 0.5;
constexpr int64_t kNoiseDraws = 20'000;
// Of one document, in terms · topics · iterations: about a second of one thread. In double
// precision it takes some ten times as long.
constexpr double kMostWorkOfADocument = 1e9;
constexpr double kMostWorkInDouble = 1e8;

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

int64_t DistinctTerms(const ReleaseShape& shape) {
  return std::min(shape.words, shape.vocabulary_size);
}

// One term from each of as many equal stretches of the vocabulary as a document has different
// terms, the words spread over them. The first term has one word only.
void FillDocument(const ReleaseShape& shape, uint64_t number,
                  std::vector<lda::TermCount>* document) {
  const int64_t terms = DistinctTerms(shape);
  const auto count =
      static_cast<uint32_t>(std::min<int64_t>((shape.words + terms - 1) / terms, UINT32_MAX));
  document->clear();
  for (int64_t i = 0; i < terms; ++i) {
    const int64_t first = i * shape.vocabulary_size / terms;
    const int64_t end = (i + 1) * shape.vocabulary_size / terms;
    const uint64_t offset =
        Scatter(number * 0x10001U + static_cast<uint64_t>(i)) % static_cast<uint64_t>(end - first);
    document->push_back({.term = static_cast<uint32_t>(first + static_cast<int64_t>(offset)),
                         .count = i == 0 ? 1 : count});
  }
}

// What an analyst may send to make documents dear.
struct DearRequest {
  double prior;
  double most_work;  // of one document; see kMostWorkOfADocument
  float (*log_weight)(const ReleaseShape& shape, int topic, int64_t term);
};

// At this prior no topic dies out: every iteration runs over all of them. Weights of all sizes,
// so that no exponent is a special case.
constexpr DearRequest kNoTopicDiesOut = {
    .prior = 1,
    .most_work = kMostWorkOfADocument,
    .log_weight = [](const ReleaseShape& shape, int topic, int64_t term) {
      const auto counter =
          static_cast<uint64_t>(topic) * static_cast<uint64_t>(shape.vocabulary_size) +
          static_cast<uint64_t>(term);
      return -10.0F * static_cast<float>(Scatter(counter) >> 40) * 0x1p-24F;
    }};

// A document's first word is shared by all topics but one, which has all the other words. Each of
// those many topics then holds 1/(K - 1) of a word and weighs exp(ψ(1/(K - 1))), about e^-K:
// from some 80 topics on that is too little for float32, and the document is done in double.
constexpr DearRequest kTooSmallForFloat = {
    .prior = lda::kMinPrior,
    .most_work = kMostWorkInDouble,
    .log_weight = [](const ReleaseShape& shape, int topic, int64_t term) {
      const bool first_word = term < shape.vocabulary_size / DistinctTerms(shape);
      return first_word == (topic == 0) ? -1e4F : -1.0F;
    }};

absl::StatusOr<lda::LogTopics> TopicsOf(const ReleaseShape& shape, const DearRequest& request) {
  TW_RETURN_IF_ERROR(
      lda::CheckTopicShape(shape.num_topics, static_cast<int>(shape.vocabulary_size)));
  std::vector<float> values;
  values.reserve(static_cast<size_t>(shape.num_topics) *
                 static_cast<size_t>(shape.vocabulary_size));
  for (int topic = 0; topic < shape.num_topics; ++topic) {
    for (int64_t term = 0; term < shape.vocabulary_size; ++term) {
      values.push_back(request.log_weight(shape, topic, term));
    }
  }
  return lda::LogTopics::Create(shape.num_topics, static_cast<int>(shape.vocabulary_size),
                                std::move(values));
}

struct Sample {
  std::atomic<int64_t> documents = 0;
  std::atomic<bool> in_double = false;  // some of them were done again
  std::atomic<uint64_t> kept = 0;       // so that no result is unused
};

// Documents until the time of the sample is over, at least one.
void InferDocuments(const ReleaseShape& shape, const lda::EStep& e_step,
                    const mechanism::UnitClipper& clipper, Clock::time_point start,
                    Sample* sample) {
  lda::EStep::Workspace workspace;
  lda::UnitStatistic rows;
  model::SparseStatistic statistic;
  mechanism::ClippedUnit clipped;
  std::vector<lda::TermCount> document;
  do {
    FillDocument(shape, static_cast<uint64_t>(sample->documents.fetch_add(1)), &document);
    e_step.Infer(document, workspace);
    if (workspace.used_double()) sample->in_double = true;
    rows.Reset(e_step.num_topics(), &statistic);
    rows.Add(document, workspace);
    rows.Finish();
    if (clipper.Clip(statistic, &clipped)) sample->kept += clipped.values.front();
  } while (SecondsSince(start) < kSampleSeconds);
}

// The same, evaluated instead.
void ScoreDocuments(const ReleaseShape& shape, const lda::EStep& e_step,
                    const mechanism::UnitClipper& /*clipper*/, Clock::time_point start,
                    Sample* sample) {
  const random::SecretKey key({});  // what is drawn does not matter
  mechanism::KeyedUnitBits bits(&key);
  completion::TokenHalves halves;
  completion::CompletionScore score(&e_step);
  model::SparseStatistic statistic;
  std::vector<lda::TermCount> document;
  do {
    const int64_t number = sample->documents.fetch_add(1);
    FillDocument(shape, static_cast<uint64_t>(number), &document);
    score.Reset();
    bits.StartDocument(static_cast<int>(number));
    halves.Split(document, bits);
    score.Add(halves.observed(), halves.scored());
    score.Write(&statistic);
    sample->kept += static_cast<uint64_t>(statistic.values[1]);
  } while (SecondsSince(start) < kSampleSeconds);
}

using Work = decltype(&InferDocuments);

struct DocumentTiming {
  double preparation;  // seconds: the table of topic weights
  double one;          // seconds of every document, all threads working at once
  int64_t documents;   // in the sample
  bool in_double;
};

absl::StatusOr<DocumentTiming> TimeDocuments(const ReleaseShape& shape,
                                             const mechanism::UnitClipper& clipper,
                                             const DearRequest& request, Work work_on_documents) {
  // A document that takes many seconds is timed with fewer iterations. Taking its time to be
  // proportional to them then errs upwards.
  const double work =
      static_cast<double>(DistinctTerms(shape)) * shape.num_topics * shape.max_e_step_iterations;
  const double share = std::min(1.0, request.most_work / work);
  const int iterations = std::max(1, static_cast<int>(share * shape.max_e_step_iterations));
  TW_ASSIGN_OR_RETURN(const lda::LogTopics topics, TopicsOf(shape, request));
  Clock::time_point start = Clock::now();
  TW_ASSIGN_OR_RETURN(const lda::EStep e_step,
                      lda::EStep::Create(topics,
                                         {.document_topic_prior = request.prior,
                                          .max_iterations = iterations,
                                          .mean_change_threshold = 0},
                                         lda::ChosenKernel(), shape.threads));
  DocumentTiming timing = {};
  timing.preparation = SecondsSince(start);
  Sample sample;
  std::vector<std::thread> threads;
  start = Clock::now();
  for (int i = 0; i < shape.threads; ++i) {
    threads.emplace_back([&] { work_on_documents(shape, e_step, clipper, start, &sample); });
  }
  for (std::thread& thread : threads) thread.join();
  timing.one = SecondsSince(start) / static_cast<double>(sample.documents) *
               shape.max_e_step_iterations / iterations;
  timing.documents = sample.documents;
  timing.in_double = sample.in_double;
  return timing;
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
  TW_ASSIGN_OR_RETURN(const mechanism::UnitClipper clipper,
                      mechanism::UnitClipper::Create(
                          {.shape = model::GridOf(shape.num_topics, shape.vocabulary_size),
                           .clip_norm = 1,
                           .weights = {},
                           .noise_multiplier = 1}));
  TW_ASSIGN_OR_RETURN(const DocumentTiming in_float,
                      TimeDocuments(shape, clipper, kNoTopicDiesOut, InferDocuments));
  TW_ASSIGN_OR_RETURN(const DocumentTiming in_double,
                      TimeDocuments(shape, clipper, kTooSmallForFloat, InferDocuments));
  TW_ASSIGN_OR_RETURN(const DocumentTiming scored,
                      TimeDocuments(shape, clipper, kNoTopicDiesOut, ScoreDocuments));
  TW_ASSIGN_OR_RETURN(const DocumentTiming scored_in_double,
                      TimeDocuments(shape, clipper, kTooSmallForFloat, ScoreDocuments));
  TW_ASSIGN_OR_RETURN(const double noise, TimeNoise(shape));
  // float32 may fail as late as in its last iteration.
  const auto together = [&in_double](double first, double second) {
    return in_double.in_double ? first + second : std::max(first, second);
  };
  const double one =
      std::max(together(in_float.one, in_double.one), together(scored.one, scored_in_double.one));
  return ReleaseTiming{.seconds = std::max(in_float.preparation, in_double.preparation) + noise +
                                  one * static_cast<double>(shape.units) *
                                      static_cast<double>(shape.documents_per_unit),
                       .documents_timed = in_float.documents + in_double.documents +
                                          scored.documents + scored_in_double.documents,
                       .in_double = in_double.in_double};
}

}  // namespace topicwall::admin

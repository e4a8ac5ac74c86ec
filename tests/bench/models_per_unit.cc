// What a unit of each model of topics takes, beside an E-step of the same topics.
//
//   models_per_unit [rounds]
//   K    model                 µs a unit  to lda
//   50   lda                        2.20    1.00
//   50   prevalence                 2.13    0.97
//   50   document_completion        8.48    3.86
//
// Units of one document of 36 words each, drawn from made-up topics as peaked as trained ones
// (trained_like_corpus.h) over 8,000 terms, with bits as the vault makes them. Every model infers
// the same few units in turns; a unit's time is processor time, the least of `rounds` rounds of
// every few. So the ratios are of one run, and say something on a machine that has other work.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/status_macros.h"
#include "model/data/document.h"
#include "model/data/unit.h"
#include "model/models.h"
#include "proto/models/lda_options.h"
#include "proto/models/prevalence.pb.h"
#include "server/mechanism/keyed_unit_bits.h"
#include "server/random/secret_key.h"
#include "tests/bench/measuring.h"
#include "tests/bench/trained_like_corpus.h"

namespace topicwall::bench {
namespace {

constexpr int kTerms = 8000;
constexpr int kGroups = 20;
constexpr size_t kUnits = 2000;
constexpr size_t kStretch = 100;
constexpr int kWords = 36;

struct AskedModel {
  std::string name;
  std::string options;
};

std::vector<AskedModel> Models(int num_topics) {
  const std::string topics = proto::LdaOptionBytes(num_topics, {1.0 / num_topics}, 100, 1e-3);
  v1::PrevalenceOptions prevalence;
  prevalence.mutable_topics()->ParseFromString(topics);
  prevalence.add_attributes(0);
  return {{"lda", topics},
          {"prevalence", prevalence.SerializeAsString()},
          {"document_completion", topics}};
}

class Timed {
 public:
  static absl::StatusOr<Timed> Create(const AskedModel& asked, absl::Span<const float> topics) {
    TW_ASSIGN_OR_RETURN(const auto model, model::MakeModel(asked.name, asked.options,
                                                           {.vocabulary_size = kTerms,
                                                            .attribute_sizes = {kGroups}}));
    TW_ASSIGN_OR_RETURN(auto inference, model->Bind(topics, 1));
    return Timed(std::move(inference));
  }

  void Run(const lda::DocumentList& documents, size_t stretch, mechanism::KeyedUnitBits& bits) {
    const double start = SecondsOn(CLOCK_THREAD_CPUTIME_ID);
    for (size_t d = stretch * kStretch; d < (stretch + 1) * kStretch; ++d) {
      const auto group = static_cast<uint16_t>(d % kGroups);
      const model::UnitDocument document = {
          .counts = documents[d], .number = 0, .attributes = {&group, 1}};
      bits.StartUnit({static_cast<uint8_t>(d), static_cast<uint8_t>(d >> 8)});
      thread_->Infer({.documents = {&document, 1}}, bits, &statistic_);
    }
    least_[stretch] = std::min(least_[stretch], SecondsOn(CLOCK_THREAD_CPUTIME_ID) - start);
  }

  double MicrosecondsOfUnit() const {
    double sum = 0;
    for (const double seconds : least_) sum += seconds;
    return 1e6 * sum / static_cast<double>(kUnits);
  }

 private:
  explicit Timed(std::unique_ptr<model::Inference> inference)
      : inference_(std::move(inference)),
        thread_(inference_->NewThread(
            {.vocabulary_size = kTerms, .max_words = 10 * kWords, .max_documents = 1})),
        least_(kUnits / kStretch, 1e300) {}

  std::unique_ptr<model::Inference> inference_;
  std::unique_ptr<model::UnitInference> thread_;
  model::SparseStatistic statistic_;
  std::vector<double> least_;  // of each stretch
};

absl::Status Measure(int num_topics, int rounds) {
  lda::bench::TrainedLikeCorpus corpus(num_topics, kTerms);
  const lda::DocumentList documents = corpus.Documents(kUnits, kWords);
  TW_ASSIGN_OR_RETURN(const lda::LogTopics topics, corpus.Topics());
  TW_ASSIGN_OR_RETURN(const random::SecretKey key, random::SecretKey::Generate());
  mechanism::KeyedUnitBits bits(&key);
  const std::vector<AskedModel> models = Models(num_topics);
  std::vector<Timed> timed;
  for (const AskedModel& asked : models) {
    TW_ASSIGN_OR_RETURN(Timed one, Timed::Create(asked, topics.values()));
    timed.push_back(std::move(one));
  }
  for (int round = 0; round < rounds; ++round) {
    for (size_t stretch = 0; stretch < kUnits / kStretch; ++stretch) {
      for (Timed& one : timed) one.Run(documents, stretch, bits);
    }
  }
  for (size_t i = 0; i < timed.size(); ++i) {
    const double time = timed[i].MicrosecondsOfUnit();
    std::printf("%-4d %-20s %10.2f %7.2f\n", num_topics, models[i].name.c_str(), time,
                time / timed[0].MicrosecondsOfUnit());
  }
  return bits.status();
}

}  // namespace
}  // namespace topicwall::bench

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 20;
  std::printf("K    model                 µs a unit  to lda\n");
  for (const int num_topics : {50, 200}) {
    const absl::Status status = topicwall::bench::Measure(num_topics, rounds);
    if (status.ok()) continue;
    std::fprintf(stderr, "models_per_unit: %s\n", std::string(status.message()).c_str());
    return 1;
  }
  return 0;
}

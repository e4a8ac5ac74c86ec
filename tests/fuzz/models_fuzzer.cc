// Every model of the table (model/models.h), with any options, parameters and units: refused, or
// what model/statistic_model.h promises.
//
// Input: three pieces, a model's name, its options and its parameters as float32; then units, each
// a number of documents and theirs (DocumentOf).
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "model/data/corpus_shape.h"
#include "model/data/document.h"
#include "model/data/unit.h"
#include "model/models.h"
#include "model/sparse_statistic.h"
#include "model/statistic_model.h"
#include "model/unit_bits.h"
#include "proto/matrix_codec.h"
#include "proto/models/gaussian.pb.h"
#include "proto/models/lda_options.h"
#include "proto/models/lengths.pb.h"
#include "proto/models/mixture.pb.h"
#include "proto/models/prevalence.pb.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/input_cursor.h"

namespace topicwall::fuzz {
namespace {

constexpr int kTerms = 6;
constexpr int kDimension = 3;
constexpr uint16_t kAttributeSizes[] = {3, 2};
constexpr model::UnitLimits kLimits = {
    .vocabulary_size = kTerms, .max_words = 12, .max_documents = 4};
constexpr int kMostUnits = 8;
// What a custodian's limits leave of an analyst's wishes: memory and time.
constexpr int64_t kMostParameters = 4096;
constexpr int64_t kMostIterations = 50;

const RefusalRules& Rules() {
  static const RefusalRules& rules = *new RefusalRules;
  return rules;
}

// As random as a counter: another stream for every document.
class CountedBits final : public model::UnitBits {
 public:
  void StartDocument(int number) override { state_ = static_cast<uint64_t>(number) + 1; }
  uint64_t NextBits(int count) override {
    Require(state_ != 0, "a document is named before its bits are asked for");
    Require(count >= 1 && count <= 64, "bits come in 64 at most");
    state_ = state_ * 0x5851f42d4c957f2dU + 0x14057b7ef767814fU;
    const uint64_t mixed = (state_ ^ (state_ >> 29)) * 0x94d049bb133111ebU;
    return mixed >> (64 - count);
  }

 private:
  uint64_t state_ = 0;
};

struct Document {
  std::vector<lda::TermCount> counts;
  std::vector<uint16_t> attributes;
  std::vector<float> vector;
};

// A byte of how many terms, of each a byte and another of how often; one of each attribute; and a
// vector's numbers as they are. Within the limits, but of any order.
Document DocumentOf(InputCursor& cursor) {
  Document document;
  int64_t words = 0;
  for (int terms = cursor.Take<uint8_t>() % 16; terms > 0; --terms) {
    const lda::TermCount next = {cursor.Take<uint8_t>(), cursor.Take<uint8_t>()};
    if (words + next.count > kLimits.max_words) break;
    words += next.count;
    document.counts.push_back(next);
  }
  for (const uint16_t size : kAttributeSizes) {
    document.attributes.push_back(static_cast<uint16_t>(cursor.Take<uint8_t>() % size));
  }
  for (int i = 0; i < kDimension; ++i) document.vector.push_back(cursor.Take<float>());
  return document;
}

std::vector<Document> UnitOf(InputCursor& cursor) {
  std::vector<Document> unit(cursor.Take<uint8_t>() % (kLimits.max_documents + 1));
  for (Document& document : unit) document = DocumentOf(cursor);
  return unit;
}

void Infer(model::UnitInference& inference, const std::vector<Document>& unit,
           model::SparseStatistic* statistic) {
  std::vector<model::UnitDocument> documents;
  for (const Document& document : unit) {
    documents.push_back({.counts = document.counts,
                         .number = static_cast<int>(3 * documents.size()),
                         .attributes = document.attributes,
                         .vector = document.vector});
  }
  CountedBits bits;
  inference.Infer({.documents = documents}, bits, statistic);
}

void RequireAscending(const std::vector<uint32_t>& indices, int64_t below) {
  for (size_t i = 0; i < indices.size(); ++i) {
    Require(indices[i] < below, "an index is within the shape");
    Require(i == 0 || indices[i - 1] < indices[i], "indices ascend strictly");
  }
}

void RequireContract(const model::SparseStatistic& statistic, const model::Inference& inference) {
  RequireAscending(statistic.columns, inference.shape().period);
  RequireAscending(statistic.rows, inference.shape().rows());
  Require(statistic.values.size() == statistic.columns.size() * statistic.rows.size(),
          "there is a value for every column and row");
  for (const float value : statistic.values) Require(std::isfinite(value), "values are finite");
  const model::WorstUnit worst = inference.Worst(kLimits);
  Require(static_cast<int64_t>(statistic.columns.size()) <= worst.columns &&
              static_cast<int64_t>(statistic.rows.size()) <= worst.rows,
          "no unit is larger than the worst");
}

void RequireSame(const model::SparseStatistic& a, const model::SparseStatistic& b) {
  Require(a.columns == b.columns && a.rows == b.rows && a.values.size() == b.values.size() &&
              (a.values.empty() ||
               std::memcmp(a.values.data(), b.values.data(), a.values.size() * sizeof(float)) == 0),
          "a unit's bits follow from it alone");
}

void RequireDirections(const model::Inference& inference) {
  std::vector<float> directions(static_cast<size_t>(inference.shape().dimension));
  if (!inference.Directions(absl::MakeSpan(directions))) return;
  for (const float value : directions) Require(std::isfinite(value), "directions are finite");
}

// On one thread behind each other, and each on a thread of its own.
void RequireGoodUnits(const model::Inference& inference, InputCursor& cursor) {
  const auto thread = inference.NewThread(kLimits);
  model::SparseStatistic statistic, alone;
  for (int i = 0; i < kMostUnits && !cursor.at_end(); ++i) {
    const std::vector<Document> unit = UnitOf(cursor);
    Infer(*thread, unit, &statistic);
    RequireContract(statistic, inference);
    Infer(*inference.NewThread(kLimits), unit, &alone);
    RequireSame(statistic, alone);
  }
}

Verdict RunOn(const model::StatisticModel& model, absl::Span<const float> parameters,
              InputCursor& cursor) {
  const model::StatisticShape shape = model.shape();
  Require(shape.period >= 1 && shape.dimension >= 1 && shape.dimension % shape.period == 0,
          "a shape is of whole rows");
  const model::Demand demand = model.demand();
  if (demand.parameters > kMostParameters || demand.iterations > kMostIterations) {
    return Verdict::kRefused;
  }
  const absl::Status good = model.Check(parameters);
  const auto inference = model.Bind(parameters, /*num_threads=*/1);
  Require(good == inference.status(), "what is checked is what is bound");
  if (!good.ok()) return Refuse(good, Rules());
  Require(static_cast<int64_t>(parameters.size()) == demand.parameters,
          "there are as many parameters as are asked for");
  Require((*inference)->shape().dimension == shape.dimension &&
              (*inference)->shape().period == shape.period,
          "a release has the shape of its plan");
  RequireDirections(**inference);
  RequireGoodUnits(**inference, cursor);
  return Verdict::kAccepted;
}

std::vector<float> FloatsOf(absl::string_view bytes) {
  std::vector<float> floats(bytes.size() / sizeof(float));
  if (!floats.empty()) std::memcpy(floats.data(), bytes.data(), floats.size() * sizeof(float));
  return floats;
}

Verdict Run(absl::string_view input) {
  InputCursor cursor(input);
  const absl::string_view name = cursor.Piece(), options = cursor.Piece();
  const std::vector<float> parameters = FloatsOf(cursor.Piece());
  const model::CorpusShape text = {.vocabulary_size = kTerms, .attribute_sizes = {3, 2}};
  auto model = model::MakeModel(name, options, text);
  if (!model.ok()) {
    Refuse(model.status(), Rules());
    model = model::MakeModel(name, options, {.vector_dimension = kDimension});
  }
  if (!model.ok()) return Refuse(model.status(), Rules());
  return RunOn(**model, parameters, cursor);
}

// Two units: of two documents and vectors, and of one of each.
std::string SeedOf(const char* name, const std::string& options,
                   const std::vector<float>& parameters) {
  const std::string vector = NumberOf(0.5F) + NumberOf(-0.25F) + NumberOf(0.0F);
  const std::string first =
      "\x02"
      "\x01\x03"
      "\x04\x01"
      "\x02\x01";
  const std::string second =
      "\x01"
      "\x05\x0c"
      "\x01\x02";
  return PieceOf(name) + PieceOf(options) + PieceOf(proto::FloatsToLittleEndian(parameters)) +
         "\x02" + first + vector + second + vector + "\x01" + first + vector;
}

// So many logarithms.
std::vector<float> Logarithms(int size) {
  std::vector<float> logarithms;
  for (int i = 0; i < size; ++i) logarithms.push_back(static_cast<float>(-i % 5));
  return logarithms;
}

// Of two topics or components each.
std::vector<std::string> Seeds() {
  const std::string topics = proto::LdaOptionBytes(2, {0.5}, 10, 1e-3);
  v1::MixtureOptions mixture;
  mixture.set_num_components(2);
  v1::PrevalenceOptions prevalence;
  prevalence.mutable_topics()->ParseFromString(topics);
  prevalence.add_attributes(0);
  prevalence.add_attributes(1);
  v1::LengthOptions lengths;
  lengths.set_num_bins(4);
  v1::GaussianOptions gaussians;
  gaussians.set_num_components(2);
  const std::vector<float> components = {-1, 0.5F, 0, 0, 4, 4, 4, -2, 0, -0.5F, 0, 1, 9, 1};
  const std::string gaussian_options = gaussians.SerializeAsString();
  const std::vector<std::string> seeds = {
      SeedOf("lda", topics, Logarithms(2 * kTerms)),
      SeedOf("document_completion", topics, Logarithms(2 * kTerms)),
      SeedOf("multinomial_mixture", mixture.SerializeAsString(), Logarithms(2 * kTerms + 2)),
      SeedOf("prevalence", prevalence.SerializeAsString(), Logarithms(2 * kTerms)),
      SeedOf("unit_lengths", lengths.SerializeAsString(), {1, 4, 10}),
      SeedOf("gaussian_mixture", gaussian_options, components),
      SeedOf("gaussian_likelihood", gaussian_options, components)};
  // A model that is added to the table and has no seed is found here.
  for (const std::string& name : model::ModelNames()) {
    Require(std::any_of(seeds.begin(), seeds.end(),
                        [beginning = PieceOf(name)](const std::string& seed) {
                          return seed.compare(0, beginning.size(), beginning) == 0;
                        }),
            "every model has a seed");
  }
  return seeds;
}

[[maybe_unused]] const bool registered = Register({.name = "models", .run = Run, .seeds = Seeds});

}  // namespace
}  // namespace topicwall::fuzz

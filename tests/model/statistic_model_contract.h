// What every model promises (model/statistic_model.h), as tests of any one of them.
//
//   INSTANTIATE_TEST_SUITE_P(Models, StatisticModelContract, ::testing::ValuesIn(Cases()), NameOf);
//
// A case names a model, parameters that it takes and some that it must refuse. Include this in one
// source of a test program.
#ifndef TOPICWALL_TESTS_MODEL_STATISTIC_MODEL_CONTRACT_H_
#define TOPICWALL_TESTS_MODEL_STATISTIC_MODEL_CONTRACT_H_

#include <gmock/gmock.h>

#include <atomic>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "model/statistic_model.h"
#include "tests/model/memory_in_use.h"
#include "tests/support/status_matchers.h"

namespace topicwall::model {

inline constexpr int kContractTerms = 60;     // V
inline constexpr int kContractDimension = 5;  // d, of models of vectors
inline constexpr UnitLimits kContractLimits = {
    .vocabulary_size = kContractTerms, .max_words = 25, .max_documents = 4};

// Attributes of the corpus, and what documents have of them, one after the other.
inline const std::vector<int>& ContractAttributeSizes() {
  static const auto* const sizes = new std::vector<int>{3, 2};
  return *sizes;
}
inline constexpr uint16_t kContractAttributes[][2] = {{1, 0}, {2, 1}, {0, 0}, {1, 1}, {0, 1}};

struct ContractCase {
  std::string name;
  // Of options, over V terms.
  std::function<absl::StatusOr<std::unique_ptr<StatisticModel>>(absl::string_view, int64_t)> make;
  std::string options;            // good ones
  std::vector<float> parameters;  // good ones, of no special kind, over kContractTerms
  // Good, and as strange as can be: extremes, denormals, zeros, ties.
  std::vector<std::vector<float>> strange;
  float refused;  // a number that no parameter may be, beside NaN and infinity
};

inline std::string NameOf(const ::testing::TestParamInfo<ContractCase>& info) {
  return info.param.name;
}

using ContractDocument = std::vector<lda::TermCount>;

// A unit that owns its documents.
struct ContractUnit {
  std::vector<ContractDocument> documents;
  uint64_t seed = 0;                                     // of its bits
  mutable std::vector<std::vector<float>> vectors = {};  // of View

  // Valid until the next call: every document is its vector as well, of which words are the
  // numbers; one that is not canonical is no vector either.
  std::vector<UnitDocument> View() const {
    std::vector<UnitDocument> view;
    vectors.assign(documents.size(), {});
    for (const ContractDocument& document : documents) {
      if (!document.empty() && lda::IsCanonical(document, kContractTerms)) {
        std::vector<float>& vector = vectors[view.size()];
        vector.resize(kContractDimension);
        for (size_t i = 0; i < document.size(); ++i) {
          const auto sign = document[i].term % 2 == 0 ? 1.0F : -1.0F;
          vector[document[i].term % kContractDimension] = sign / (2.0F + static_cast<float>(i));
        }
      }
      const size_t kind = (seed + view.size() * view.size()) % std::size(kContractAttributes);
      view.push_back({.counts = document,
                      .number = static_cast<int>(3 * view.size()),
                      .attributes = kContractAttributes[kind],
                      .vector = vectors[view.size()]});
    }
    return view;
  }
};

// Bits of (seed, document, how many were drawn), by SplitMix64.
class ContractBits final : public UnitBits {
 public:
  explicit ContractBits(uint64_t seed) : seed_(seed) {}

  void StartDocument(int number) override {
    state_ = Mixed(seed_ ^ Mixed(static_cast<uint64_t>(number) + 1));
    started_ = true;
  }
  uint64_t NextBits(int count) override {
    EXPECT_TRUE(started_) << "bits before a document";
    EXPECT_GE(count, 1);
    EXPECT_LE(count, 64);
    return Mixed(state_ += 0x9e3779b97f4a7c15U) >> (64 - count);
  }

  static uint64_t Mixed(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }

 private:
  uint64_t seed_;
  uint64_t state_ = 0;
  bool started_ = false;
};

class StatisticModelContract : public ::testing::TestWithParam<ContractCase> {
 protected:
  // Units within the limits, the largest among them.
  static std::vector<ContractUnit> Units() {
    std::vector<ContractUnit> units;
    uint64_t state = 1;
    const auto below = [&state](uint64_t bound) {
      return ContractBits::Mixed(state += 0x9e3779b97f4a7c15U) % bound;
    };
    for (uint64_t number = 0; number < 40; ++number) {
      ContractUnit unit = {.documents = {}, .seed = number};
      const uint64_t documents = number == 0 ? 0 : 1 + below(4);
      for (uint64_t d = 0; d < documents; ++d) {
        ContractDocument& document = unit.documents.emplace_back();
        for (uint32_t term = 0; term < kContractTerms && document.size() < 25; ++term) {
          if (below(4) == 0) document.push_back({term, 1});
        }
      }
      units.push_back(std::move(unit));
    }
    units.push_back(WorstUnitOf(kContractLimits));
    units.push_back({.documents = {{{7, 25}}}, .seed = 3});  // one word, as often as can be
    units.push_back({.documents = {{}}, .seed = 4});         // nothing, behind a unit of something
    return units;
  }

  // As many different terms as there can be, each document's own.
  static ContractUnit WorstUnitOf(const UnitLimits& limits) {
    ContractUnit unit;
    for (uint32_t d = 0; d < limits.max_documents; ++d) {
      ContractDocument& document = unit.documents.emplace_back();
      for (uint32_t i = 0; i < limits.max_words; ++i) {
        const uint32_t term = d + 2 * i;
        if (term < limits.vocabulary_size) document.push_back({term, 1});
      }
    }
    return unit;
  }

  std::unique_ptr<StatisticModel> Model() const {
    auto model = GetParam().make(GetParam().options, kContractTerms);
    EXPECT_OK(model);
    return *std::move(model);
  }
  std::unique_ptr<Inference> Bound(const std::vector<float>& parameters,
                                   int num_threads = 1) const {
    auto inference = Model()->Bind(parameters, num_threads);
    EXPECT_OK(inference);
    return *std::move(inference);
  }

  static SparseStatistic Infer(UnitInference& inference, const ContractUnit& unit,
                               const std::atomic<bool>* abandoned = nullptr) {
    SparseStatistic statistic;
    InferInto(inference, unit, &statistic, abandoned);
    return statistic;
  }
  static void InferInto(UnitInference& inference, const ContractUnit& unit,
                        SparseStatistic* statistic, const std::atomic<bool>* abandoned = nullptr) {
    const std::vector<UnitDocument> documents = unit.View();
    ContractBits bits(unit.seed);
    inference.Infer({.documents = documents, .abandoned = abandoned}, bits, statistic);
  }

  // On a thread of its own, so to speak: nothing came before.
  static SparseStatistic InferAlone(const Inference& inference, const ContractUnit& unit) {
    return Infer(*inference.NewThread(kContractLimits), unit);
  }

  static void ExpectContract(const SparseStatistic& statistic, const StatisticShape& shape) {
    ASSERT_EQ(statistic.values.size(), statistic.columns.size() * statistic.rows.size());
    for (const auto& [indices, below] :
         {std::pair(&statistic.columns, shape.period), std::pair(&statistic.rows, shape.rows())}) {
      for (size_t i = 1; i < indices->size(); ++i) ASSERT_LT((*indices)[i - 1], (*indices)[i]);
      if (!indices->empty()) {
        ASSERT_LT(indices->back(), below);
      }
    }
    for (const float value : statistic.values) ASSERT_TRUE(std::isfinite(value));
  }
  static void ExpectSame(const SparseStatistic& a, const SparseStatistic& b) {
    EXPECT_EQ(a.columns, b.columns);
    EXPECT_EQ(a.rows, b.rows);
    EXPECT_EQ(a.values, b.values);
  }
};

TEST_P(StatisticModelContract, SaysAShapeThatTheMechanismTakes) {
  const StatisticShape shape = Model()->shape();
  EXPECT_GE(shape.period, 1);
  EXPECT_GE(shape.dimension, 1);
  EXPECT_EQ(shape.dimension % shape.period, 0);
  const auto inference = Bound(GetParam().parameters);
  EXPECT_EQ(inference->shape().dimension, shape.dimension);
  EXPECT_EQ(inference->shape().period, shape.period);
  EXPECT_FALSE(inference->kernel_name().empty());
}

// They would stand in the ledger for ever, whatever was put there.
TEST_P(StatisticModelContract, OptionsHaveNoByteThatSaysNothing) {
  const std::string& options = GetParam().options;
  if (options.empty()) return;                 // a model that has none
  const std::string unknown = "\x7a\x04junk";  // field 15, of none of them
  for (const std::string& other : {options + unknown, options + options}) {
    EXPECT_THAT(GetParam().make(other, kContractTerms).status(),
                ::topicwall::testing::StatusIs(absl::StatusCode::kInvalidArgument,
                                               ::testing::HasSubstr("the model's options")));
  }
}

TEST_P(StatisticModelContract, EveryStatisticKeepsItsContractUnderAnyParameters) {
  std::vector<std::vector<float>> parameters = GetParam().strange;
  parameters.push_back(GetParam().parameters);
  int entries = 0;
  for (const std::vector<float>& some : parameters) {
    const auto inference = Bound(some);
    for (const ContractUnit& unit : Units()) {
      const SparseStatistic statistic = InferAlone(*inference, unit);
      ExpectContract(statistic, inference->shape());
      entries += static_cast<int>(statistic.values.size());
    }
  }
  EXPECT_GT(entries, 0) << "no unit has anything";
}

// Catches what one unit leaves behind for the next, and what depends on order.
TEST_P(StatisticModelContract, AStatisticIsAFunctionOfItsUnitAlone) {
  const auto inference = Bound(GetParam().parameters);
  const std::vector<ContractUnit> units = Units();
  const auto forwards = inference->NewThread(kContractLimits);
  const auto backwards = inference->NewThread(kContractLimits);
  std::vector<SparseStatistic> alone(units.size());
  SparseStatistic reused;
  for (size_t i = 0; i < units.size(); ++i) {
    alone[i] = InferAlone(*inference, units[i]);
    InferInto(*forwards, units[i], &reused);
    ExpectSame(reused, alone[i]);
  }
  for (size_t i = units.size(); i-- > 0;) ExpectSame(Infer(*backwards, units[i]), alone[i]);
}

TEST_P(StatisticModelContract, ThreadsChangeNoBit) {
  const auto one = Bound(GetParam().parameters, 1);
  const auto three = Bound(GetParam().parameters, 3);
  const std::vector<ContractUnit> units = Units();
  std::vector<SparseStatistic> found(units.size());
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      const auto inference = three->NewThread(kContractLimits);
      for (size_t i = t; i < units.size(); i += 3) found[i] = Infer(*inference, units[i]);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < units.size(); ++i) ExpectSame(found[i], InferAlone(*one, units[i]));
}

TEST_P(StatisticModelContract, NoUnitIsLargerThanTheWorstOrTakesMemory) {
  std::vector<std::vector<float>> parameters = GetParam().strange;
  parameters.push_back(GetParam().parameters);
  for (const std::vector<float>& some : parameters) {
    const auto model = Model();
    const auto inference = Bound(some);
    const WorstUnit worst = inference->Worst(kContractLimits);
    EXPECT_EQ(model->Worst(kContractLimits).columns, worst.columns);
    EXPECT_EQ(model->Worst(kContractLimits).rows, worst.rows);
    const auto thread = inference->NewThread(kContractLimits);
    SparseStatistic statistic;
    statistic.Reserve(static_cast<size_t>(worst.columns), static_cast<size_t>(worst.rows));
    for (const ContractUnit& unit : Units()) {
      const std::vector<UnitDocument> documents = unit.View();
      ContractBits bits(unit.seed);
      const int64_t before = ::topicwall::testing::MemoryInUse();
      thread->Infer({.documents = documents}, bits, &statistic);
      EXPECT_EQ(::topicwall::testing::MemoryInUse(), before);
      EXPECT_LE(static_cast<int64_t>(statistic.columns.size()), worst.columns);
      EXPECT_LE(static_cast<int64_t>(statistic.rows.size()), worst.rows);
    }
  }
}

TEST_P(StatisticModelContract, HostileParametersAreRefused) {
  const auto model = Model();
  const auto refuses = [&model](const std::vector<float>& parameters) {
    EXPECT_THAT(model->Check(parameters),
                ::topicwall::testing::StatusIs(absl::StatusCode::kInvalidArgument));
    EXPECT_THAT(model->Bind(parameters, 1),
                ::topicwall::testing::StatusIs(absl::StatusCode::kInvalidArgument));
  };
  const std::vector<float>& good = GetParam().parameters;
  EXPECT_OK(model->Check(good));
  if (good.empty()) return refuses({GetParam().refused});
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), kInfinity, -kInfinity, GetParam().refused}) {
    for (const size_t place : {size_t{0}, good.size() / 2, good.size() - 1}) {
      std::vector<float> parameters = good;
      parameters[place] = bad;
      refuses(parameters);
    }
  }
  refuses({});
  std::vector<float> parameters = good;
  parameters.push_back(good.back());
  refuses(parameters);
  parameters.resize(good.size() - 1);
  refuses(parameters);
}

// Any bytes: refused, or a model that can be asked for its bounds.
TEST_P(StatisticModelContract, HostileOptionsAreRefusedOrUsed) {
  const auto& make = GetParam().make;
  for (const int64_t terms : {int64_t{0}, int64_t{-1}, int64_t{1} << 40}) {
    const auto model = make(GetParam().options, terms);
    if (model.ok()) {
      EXPECT_GE((*model)->shape().dimension, 1) << terms;
    } else {
      EXPECT_EQ(model.status().code(), absl::StatusCode::kInvalidArgument);
    }
  }
  for (uint64_t number = 0; number < 2000; ++number) {
    std::string options = GetParam().options;
    if (number % 2 == 0) options.resize(number % 97);
    for (size_t i = 0; i < options.size(); ++i) {
      const uint64_t bits = ContractBits::Mixed(1000 * number + i);
      if (bits % 5 == 0) options[i] = static_cast<char>(bits >> 8);
    }
    const auto model = make(options, kContractTerms);
    if (model.ok()) {
      EXPECT_GE((*model)->Worst(kContractLimits).columns, 1);
    } else {
      EXPECT_EQ(model.status().code(), absl::StatusCode::kInvalidArgument);
    }
  }
}

// What the corpus never gives, should it ever: such a document counts for nothing.
TEST_P(StatisticModelContract, ADocumentThatIsNotCanonicalAddsNothing) {
  const auto inference = Bound(GetParam().parameters);
  // Some seeds split a document so that what is wrong with it is in neither half.
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const ContractUnit good = {.documents = {{{2, 3}, {40, 1}}, {}}, .seed = seed};
    for (const ContractDocument& bad : {ContractDocument{{4, 1}, {4, 1}},
                                        {{5, 1}, {4, 1}},
                                        {{kContractTerms, 1}},
                                        {{0xFFFFFFFF, 1}}}) {
      ContractUnit unit = good;
      unit.documents[1] = bad;
      ExpectSame(InferAlone(*inference, unit), InferAlone(*inference, good));
    }
  }
}

TEST_P(StatisticModelContract, AnAbandonedUnitStillKeepsTheContract) {
  const auto inference = Bound(GetParam().parameters);
  const std::atomic<bool> abandoned = true;
  for (const ContractUnit& unit : Units()) {
    ExpectContract(Infer(*inference->NewThread(kContractLimits), unit, &abandoned),
                   inference->shape());
  }
}

// So that nobody waits for more than a document, however many a unit has.
TEST_P(StatisticModelContract, AnAbandonedUnitIsLeftBetweenItsDocuments) {
  const auto inference = Bound(GetParam().parameters);
  const auto size_of = [&](const std::atomic<bool>& abandoned) {
    double sum = 0;
    for (const float value :
         Infer(*inference->NewThread(kContractLimits), WorstUnitOf(kContractLimits), &abandoned)
             .values) {
      sum += std::abs(value);
    }
    return sum;
  };
  EXPECT_LT(size_of(true), size_of(false) / 2);
}

// But for the objects themselves, of which the largest is a completion's UnitInference.
TEST_P(StatisticModelContract, NoMoreMemoryIsTakenThanIsSaid) {
  constexpr int64_t kObjects = 768;
  const auto model = Model();
  const WorstUnit worst = model->Worst(kContractLimits);
  const int64_t before = ::topicwall::testing::MemoryInUse();
  ASSERT_OK_AND_ASSIGN(const auto inference, model->Bind(GetParam().parameters, 1));
  const int64_t bound = ::topicwall::testing::MemoryInUse();
  EXPECT_LE(bound - before, worst.bytes_of_all + kObjects);
  const auto thread = inference->NewThread(kContractLimits);
  EXPECT_LE(::topicwall::testing::MemoryInUse() - bound, worst.bytes_of_thread + kObjects);
}

}  // namespace topicwall::model

#endif  // TOPICWALL_TESTS_MODEL_STATISTIC_MODEL_CONTRACT_H_

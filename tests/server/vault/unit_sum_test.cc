#include "server/vault/unit_sum.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "server/mechanism/lattice_scale.h"
#include "server/vault/asked_model.h"
#include "tests/server/corpus/scratch_folder.h"
#include "tests/server/corpus/small_corpus.h"
#include "tests/server/mechanism/small_release.h"
#include "tests/support/status_matchers.h"

namespace topicwall::server {
namespace {

using corpus::PlainDocument;
using Lattice = std::vector<uint64_t>;

constexpr int kTopics = 3;
constexpr int kTerms = 5;  // of the small corpus

// The sum over a corpus of these documents, read where nobody else may read it.
class UnitSumTest : public ::testing::Test {
 protected:
  struct How {
    int num_threads = 1;
    double sampling_rate = 1;
    int64_t max_words = 1000;
    int64_t max_documents_per_unit = 100;
    corpus::PrivacyUnit privacy_unit = corpus::PrivacyUnit::kDocument;
    int64_t decoded_bytes = 0;
    double held_out_share = 0;
    bool evaluation = false;  // 1×2 instead of K×V
  };

  Lattice SumOf(const std::vector<PlainDocument>& documents, const How& how) {
    const std::string path = folder_.Path(absl::StrCat("corpus-", next_file_++));
    EXPECT_OK(corpus::WriteCorpus(path, corpus::ParamsOf(how.privacy_unit), documents, key_));
    auto store = corpus::CorpusStore::Open(path, key_);
    EXPECT_OK(store);
    return SumOf(**store, how);
  }

  Lattice SumOf(const corpus::CorpusStore& store, const How& how, bool* unreadable = nullptr) {
    auto model = AskedModel({.evaluates = how.evaluation,
                             .num_topics = kTopics,
                             .document_topic_prior = {0.3},
                             .max_iterations = 50,
                             .mean_change_threshold = 1e-3},
                            kTerms);
    EXPECT_OK(model);
    auto inference = (*model)->Bind(LogTopics(), 1);
    EXPECT_OK(inference);
    auto coins = mechanism::ReleaseCoins::Create(
        mechanism::SmallReceipt([&how](ledger::ChargeTerms& terms) {
          terms.mechanism.num_topics = how.evaluation ? 1 : kTopics;
          terms.mechanism.sampling_rate = how.sampling_rate;
          terms.mechanism.max_words = how.max_words;
          terms.mechanism.held_out_share = how.held_out_share;
          terms.mechanism.document_completion = how.evaluation;
          if (how.evaluation) terms.mechanism.term_weights = {0.5F, 2.0F};  // most are clipped
        }),
        &store.held_out_key());
    EXPECT_OK(coins);
    auto memory =
        mechanism::ReleaseMemory::Reserve({.shape = (*inference)->shape(), .num_threads = 2});
    EXPECT_OK(memory);
    auto decoded = corpus::DecodedBlocks::Fill(store, how.decoded_bytes);
    EXPECT_OK(decoded);
    auto units_memory = UnitMemory::Reserve(
        **inference, {.unit = {.vocabulary_size = kTerms,
                               .max_words = how.max_words,
                               .max_documents = how.privacy_unit == corpus::PrivacyUnit::kOwner
                                                    ? how.max_documents_per_unit
                                                    : 1},
                      .has_weights = how.evaluation,
                      .num_threads = how.num_threads});
    EXPECT_OK(units_memory);
    const int64_t in_use = InUse();
    auto units = SumUnits(*std::move(coins), *std::move(memory),
                          {.corpus = store,
                           .decoded = *decoded,
                           .inference = **inference,
                           .clip_norm = 6,
                           .max_documents_per_unit = how.max_documents_per_unit,
                           .num_threads = how.num_threads,
                           .memory = *units_memory});
    EXPECT_OK(units);
    grown_ = InUse() - in_use;
    if (!units.ok()) return Lattice(how.evaluation ? 2 : kTopics * kTerms);
    if (unreadable != nullptr) *unreadable = units->unreadable;
    return mechanism::LatticeSumTestPeer::Lattice(units->sum);
  }

  static int64_t InUse() {
    const struct mallinfo2 info = mallinfo2();
    return static_cast<int64_t>(info.uordblks + info.hblkhd);
  }

  static std::vector<float> LogTopics() {
    std::vector<float> values;
    for (int i = 0; i < kTopics * kTerms; ++i) values.push_back(-1.0f - static_cast<float>(i % 4));
    return values;
  }

  corpus::ScratchFolder folder_;
  sealing::CustodianKey key_ = corpus::NewKey();
  int next_file_ = 0;
  int64_t grown_ = 0;  // bytes taken by the last sum, and not given back when it ended
};

double NormOf(const Lattice& values) {
  double sum = 0;
  for (const uint64_t value : values) sum += std::pow(static_cast<double>(value), 2);
  return std::sqrt(sum);
}

// The whole guarantee in one equation: taking one unit out changes the sum by that
// unit's own vector and nothing else, and that vector is no longer than M.
TEST_F(UnitSumTest, TakingOneUnitOutTakesOutExactlyItsOwnVector) {
  const std::vector<PlainDocument> all = corpus::PlainDocuments(40);
  const double bound = static_cast<double>(mechanism::LatticeBound(1.24));
  for (const How& how : {How{}, How{.sampling_rate = 0.5}, How{.max_words = 3}}) {
    const Lattice sum = SumOf(all, how);
    for (size_t out = 0; out < all.size(); out += 7) {
      std::vector<PlainDocument> rest = all;
      rest.erase(rest.begin() + static_cast<int64_t>(out));
      const Lattice alone = SumOf({all[out]}, how);
      Lattice together = SumOf(rest, how);
      for (size_t i = 0; i < together.size(); ++i) together[i] += alone[i];
      EXPECT_EQ(together, sum) << all[out].id;
      EXPECT_LE(NormOf(alone), bound);
    }
  }
}

TEST_F(UnitSumTest, TakingOneUnitOutOfAnEvaluationTakesOutItsTwoNumbersAndNothingElse) {
  const std::vector<PlainDocument> all = corpus::PlainDocuments(40);
  const double bound = static_cast<double>(mechanism::LatticeBound(1.24));
  const auto owner = corpus::PrivacyUnit::kOwner;
  for (const How& how : {How{.held_out_share = 1, .evaluation = true},
                         How{.sampling_rate = 0.5, .held_out_share = 0.5, .evaluation = true},
                         How{.max_words = 3, .held_out_share = 0.5, .evaluation = true},
                         How{.max_documents_per_unit = 4,
                         .privacy_unit = owner,
                         .held_out_share = 1,
                         .evaluation = true}}) {
    const Lattice sum = SumOf(all, how);
    for (size_t out = 0; out < all.size(); out += 7) {
      std::vector<PlainDocument> unit;
      std::vector<PlainDocument> rest;
      for (const PlainDocument& document : all) {
        const bool of_unit = how.privacy_unit == owner ? document.owner == all[out].owner
                                                       : document.id == all[out].id;
        (of_unit ? unit : rest).push_back(document);
      }
      const Lattice alone = SumOf(unit, how);
      Lattice together = SumOf(rest, how);
      for (size_t i = 0; i < together.size(); ++i) together[i] += alone[i];
      EXPECT_EQ(together, sum) << all[out].id;
      EXPECT_LE(NormOf(alone), bound);
    }
  }
}

// Whether a unit is in a sum is seen by what it alone adds to it.
TEST_F(UnitSumTest, AUnitIsEitherTrainedOnOrEvaluatedInEveryVersionOfItsCorpus) {
  int evaluated = 0;
  const std::vector<PlainDocument> all = corpus::PlainDocuments(64);
  for (const PlainDocument& document : all) {
    const Lattice training = SumOf({document}, {.held_out_share = 0.5});
    // Two tokens at least on one side and the other, but for chance: so it may add nothing.
    const bool trained = NormOf(training) > 0;
    PlainDocument grown = document;  // in another version, with more words and another place
    for (lda::TermCount& entry : grown.counts) entry.count += 400;
    const Lattice evaluation = SumOf({grown}, {.held_out_share = 0.5, .evaluation = true});
    EXPECT_EQ(NormOf(evaluation) > 0, !trained) << document.id;
    evaluated += trained ? 0 : 1;
  }
  EXPECT_GT(evaluated, 0);  // each false alarm 2^-64
  EXPECT_LT(evaluated, 64);
}

TEST_F(UnitSumTest, AnEvaluationHasTheSameBitsForAnyThreadsAndOrder) {
  std::vector<PlainDocument> documents = corpus::PlainDocuments(600);
  const How one{.held_out_share = 0.5, .evaluation = true};
  const Lattice expected = SumOf(documents, one);
  EXPECT_GT(NormOf(expected), 0);
  How more = one;
  more.num_threads = 3;
  EXPECT_EQ(SumOf(documents, more), expected);
  std::reverse(documents.begin(), documents.end());
  more.decoded_bytes = int64_t{1} << 30;
  EXPECT_EQ(SumOf(documents, more), expected);
}

TEST_F(UnitSumTest, TakingOneOwnerOutTakesOutAllTheirDocumentsAndNothingElse) {
  const How how{.max_documents_per_unit = 4, .privacy_unit = corpus::PrivacyUnit::kOwner};
  const std::vector<PlainDocument> all = corpus::PlainDocuments(30);
  std::vector<PlainDocument> ann;
  std::vector<PlainDocument> others;
  for (const PlainDocument& document : all) {
    (document.owner == "ann" ? ann : others).push_back(document);
  }
  const Lattice alone = SumOf(ann, how);
  Lattice together = SumOf(others, how);
  for (size_t i = 0; i < together.size(); ++i) together[i] += alone[i];
  EXPECT_EQ(together, SumOf(all, how));
  EXPECT_LE(NormOf(alone), static_cast<double>(mechanism::LatticeBound(1.24)));
}

TEST_F(UnitSumTest, TheBitsAreTheSameForAnyNumberOfThreadsAndAnyOrderOfInput) {
  std::vector<PlainDocument> documents = corpus::PlainDocuments(600);  // three blocks
  const Lattice expected = SumOf(documents, {.num_threads = 1});
  EXPECT_EQ(SumOf(documents, {.num_threads = 2}), expected);
  EXPECT_EQ(SumOf(documents, {.num_threads = 7}), expected);
  std::reverse(documents.begin(), documents.end());
  EXPECT_EQ(SumOf(documents, {.num_threads = 3}), expected);
}

TEST_F(UnitSumTest, TheBitsAreTheSameWithAndWithoutBlocksKeptDecoded) {
  const std::string path = folder_.Path("decoded");
  ASSERT_OK(corpus::WriteCorpus(path, corpus::ParamsOf(corpus::PrivacyUnit::kDocument),
                                corpus::PlainDocuments(3000), key_));  // twelve blocks
  auto store = corpus::CorpusStore::Open(path, key_);
  ASSERT_OK(store);
  corpus::UnitBlock block;
  ASSERT_OK((*store)->ReadBlock(0, &block));
  const int64_t one = block.BytesOfACopy();
  for (const double rate : {1.0, 0.3}) {
    const Lattice expected = SumOf(**store, {.sampling_rate = rate});
    for (const int num_threads : {1, 2, 5}) {
      for (const int64_t bytes : {one, 5 * one, 100 * one}) {
        EXPECT_EQ(
            SumOf(**store,
                  {.num_threads = num_threads, .sampling_rate = rate, .decoded_bytes = bytes}),
            expected)
            << num_threads << " threads, " << bytes << " bytes at rate " << rate;
      }
    }
  }
}

TEST_F(UnitSumTest, SamplingLeavesSomeOutAndWordCapsShortenTheRest) {
  const std::vector<PlainDocument> documents = corpus::PlainDocuments(100);
  const Lattice everybody = SumOf(documents, {});
  EXPECT_NE(SumOf(documents, {.sampling_rate = 0.5}), everybody);
  EXPECT_NE(SumOf(documents, {.max_words = 2}), everybody);
}

// A unit within the clip norm has as long a vector as it has words.
TEST_F(UnitSumTest, CutsToThePaidNumberOfWords) {
  PlainDocument document = corpus::PlainDocuments(1)[0];
  document.counts = {{1, 50}, {2, 50}};
  const double bound = static_cast<double>(mechanism::LatticeBound(1.24));
  const auto words = [&](int64_t max_words) {
    double sum = 0;
    for (const uint64_t q : SumOf({document}, {.max_words = max_words})) {
      sum += static_cast<double>(q);
    }
    return sum / bound * 6;  // the clip norm
  };
  EXPECT_NEAR(words(1), 1, 1e-4);
  EXPECT_NEAR(words(5), 5, 1e-4);
}

TEST_F(UnitSumTest, UnitsThatCannotBeUnsealedCountAsZeroAndRaiseTheAlarm) {
  const std::string path = folder_.Path("damaged");
  ASSERT_OK(corpus::WriteCorpus(path, corpus::ParamsOf(corpus::PrivacyUnit::kDocument),
                                corpus::PlainDocuments(3000), key_));
  auto store = corpus::CorpusStore::Open(path, key_);
  ASSERT_OK(store);
  bool unreadable = true;
  const Lattice whole = SumOf(**store, {}, &unreadable);
  EXPECT_FALSE(unreadable);

  // Opened anew, so that nothing is answered from a cache.
  store = corpus::CorpusStore::Open(path, key_);
  ASSERT_OK(store);

  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  const auto size = static_cast<int64_t>(std::filesystem::file_size(path));
  for (int64_t at = size / 2; at < 3 * size / 4; at += 100) {
    file.seekp(at);
    file.put('\x55');
  }
  file.close();
  const Lattice part = SumOf(**store, {.num_threads = 2}, &unreadable);
  EXPECT_TRUE(unreadable);
  for (size_t i = 0; i < whole.size(); ++i) EXPECT_LE(part[i], whole[i]);
  EXPECT_NE(part, whole);
}

// An owner of ten thousand documents in a corpus of forty.
TEST_F(UnitSumTest, AHugeUnitTakesNoMoreMemoryThanWasReserved) {
  std::vector<PlainDocument> documents = corpus::PlainDocuments(40);
  How how;
  how.privacy_unit = corpus::PrivacyUnit::kOwner;
  how.num_threads = 2;
  how.max_documents_per_unit = 5;
  SumOf(documents, how);  // whatever the process takes once
  const int64_t few = grown_;
  PlainDocument one = documents[0];
  one.owner = "huge";
  for (int i = 0; i < 10'000; ++i) {
    one.id = absl::StrCat("of the huge owner ", i);
    documents.push_back(one);
  }
  SumOf(documents, how);
  // The two sums themselves are freed; what stays is what buffers have grown by.
  EXPECT_LE(std::abs(grown_ - few), 16 << 10) << "bytes";
}

}  // namespace
}  // namespace topicwall::server

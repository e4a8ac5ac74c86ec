#include "server/executor/thread_executor.h"

#include <gtest/gtest.h>
#include <malloc.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/hex.h"
#include "base/sha256.h"
#include "model/models.h"
#include "proto/models/lda_options.h"
#include "server/mechanism/grid_scale.h"
#include "server/mechanism/mechanism_limits.h"
#include "server/mechanism/noise_mechanism.h"
#include "tests/server/corpus/small_corpus.h"
#include "tests/server/executor/exact_sum.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::executor {
namespace thread_executor_test {

using corpus::PlainDocument;
using ::topicwall::testing::StatusIs;

constexpr int kTopics = 3;
constexpr int kTerms = 5;  // of the small corpus

// The sum over a corpus of these documents, read where nobody else may read it.
class ThreadExecutorTest : public ::testing::Test {
 protected:
  struct How {
    int num_threads = 1;
    double sampling_rate = 1;
    int64_t max_words = 1000;
    int64_t max_documents_per_unit = 100;
    v1::PrivacyUnit privacy_unit = v1::PRIVACY_UNIT_DOCUMENT;
    int64_t decoded_bytes = 0;
    double held_out_share = 0;
    bool evaluation = false;  // 1×2 instead of K×V
    int num_shards = 1;
    double direction_noise = 0;
  };

  std::unique_ptr<corpus::CorpusStore> StoreOf(
      const std::vector<PlainDocument>& documents,
      v1::PrivacyUnit privacy_unit = v1::PRIVACY_UNIT_DOCUMENT) {
    const std::string path = folder_.Path(absl::StrCat("corpus-", next_file_++));
    EXPECT_OK(corpus::WriteCorpus(path, corpus::ParamsOf(privacy_unit), documents, key_));
    auto store = corpus::CorpusStore::Open(path, key_);
    EXPECT_OK(store);
    return *std::move(store);
  }

  Grid SumOf(const std::vector<PlainDocument>& documents, const How& how) {
    return SumOf(*StoreOf(documents, how.privacy_unit), how);
  }

  Grid SumOf(const corpus::CorpusStore& store, const How& how, bool* unreadable = nullptr) {
    const mechanism::ReleaseKeys keys = KeysFor(store, how);
    auto executor = ExecutorOf(store, how);
    const int64_t in_use = InUse();
    auto units = executor->Sum(OrderOf(keys.coins, how, AllShards(keys.coins)));
    EXPECT_OK(units);
    grown_ = InUse() - in_use;
    if (!units.ok()) return Grid(how.evaluation ? 2 : kTopics * kTerms);
    if (unreadable != nullptr) *unreadable = units->unreadable;
    return mechanism::PartialSumTestPeer::Grid(units->sum);
  }

  mechanism::PartialSum SumOfShards(const corpus::CorpusStore& store,
                                    const mechanism::ReleaseCoins& coins, const How& how,
                                    const std::vector<int>& shards) {
    auto units = ExecutorOf(store, how)->Sum(OrderOf(coins, how, shards));
    EXPECT_OK(units);
    EXPECT_FALSE(units->unreadable);
    return std::move(units->sum);
  }

  // Each by its own vector and nothing else, and that is no longer than M.
  void ExpectUnitsTakeOutTheirOwn(const How& how) {
    const std::vector<PlainDocument> all = corpus::PlainDocuments(40);
    const double bound = static_cast<double>(mechanism::IntegerSensitivity(1.24));
    const Grid sum = SumOf(all, how);
    for (size_t out = 0; out < all.size(); out += 7) {
      std::vector<PlainDocument> unit;
      std::vector<PlainDocument> rest;
      for (const PlainDocument& document : all) {
        const bool of_unit = how.privacy_unit == v1::PRIVACY_UNIT_OWNER
                                 ? document.owner == all[out].owner
                                 : document.id == all[out].id;
        (of_unit ? unit : rest).push_back(document);
      }
      const Grid alone = SumOf(unit, how);
      EXPECT_EQ(Plus(SumOf(rest, how), alone), sum) << all[out].id;
      EXPECT_LE(LengthOf(alone), bound);
    }
  }

  // One at a time: it works with members of this.
  std::unique_ptr<Executor> ExecutorOf(const corpus::CorpusStore& store, const How& how) {
    auto model = model::MakeModel(how.evaluation ? "document_completion" : "lda",
                                  proto::LdaOptionBytes(kTopics, {0.3}, 50, 1e-3),
                                  {.vocabulary_size = kTerms});
    EXPECT_OK(model);
    auto inference = (*model)->Bind(LogTopics(), 1);
    EXPECT_OK(inference);
    inference_ = *std::move(inference);
    auto decoded = corpus::DecodedBlocks::Fill(store, how.decoded_bytes);
    EXPECT_OK(decoded);
    decoded_ = *std::move(decoded);
    auto executor =
        ThreadExecutor::Reserve(*inference_, {.corpus = store,
                                              .decoded = decoded_,
                                              .bounds = BoundsOf(how),
                                              .has_directions = how.direction_noise != 0});
    EXPECT_OK(executor);
    return std::make_unique<ThreadExecutor>(*std::move(executor));
  }

  static WorkOrder OrderOf(const mechanism::ReleaseCoins& coins, const How& how,
                           std::vector<int> shards) {
    return {.coins = coins,
            .clip_norm = 6,
            .max_documents_per_unit = how.max_documents_per_unit,
            .shards = std::move(shards),
            .direction_noise = how.direction_noise};
  }

  static mechanism::ReleaseKeys KeysFor(const corpus::CorpusStore& store, const How& how) {
    auto keys =
        mechanism::SplitReceipt(mechanism::SmallReceipt([&how](ledger::ChargeTerms& terms) {
                                  terms.mechanism.sampling_rate = how.sampling_rate;
                                  terms.mechanism.max_words = how.max_words;
                                  terms.mechanism.held_out_share = how.held_out_share;
                                  terms.mechanism.held_out_only = how.evaluation;
                                  if (how.evaluation)
                                    terms.mechanism.weights = {0.5F, 2.0F};  // most are clipped
                                }),
                                how.num_shards, &store.held_out_key());
    EXPECT_OK(keys);
    return *std::move(keys);
  }

  static UnitBounds BoundsOf(const How& how) {
    const bool by_owner = how.privacy_unit == v1::PRIVACY_UNIT_OWNER;
    return {.unit = {.vocabulary_size = kTerms,
                     .max_words = how.max_words,
                     .max_documents = by_owner ? how.max_documents_per_unit : 1},
            .has_weights = how.evaluation,
            .num_threads = how.num_threads};
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

  std::unique_ptr<model::Inference> inference_;  // of the last executor
  corpus::DecodedBlocks decoded_;
  testing::TemporaryDirectory folder_;
  sealing::CustodianKey key_ = corpus::NewKey();
  int next_file_ = 0;
  int64_t grown_ = 0;  // bytes taken by the last sum, and not given back when it ended
};

// The whole guarantee in one equation: taking one unit out changes the sum by that
// unit's own vector and nothing else, and that vector is no longer than M.
TEST_F(ThreadExecutorTest, TakingOneUnitOutTakesOutExactlyItsOwnVector) {
  for (const How& how : {How{}, How{.sampling_rate = 0.5}, How{.max_words = 3}}) {
    ExpectUnitsTakeOutTheirOwn(how);
  }
}

TEST_F(ThreadExecutorTest, TakingOneUnitOutOfAnEvaluationTakesOutItsTwoNumbersAndNothingElse) {
  const auto owner = v1::PRIVACY_UNIT_OWNER;
  for (const How& how : {How{.held_out_share = 1, .evaluation = true},
                         How{.sampling_rate = 0.5, .held_out_share = 0.5, .evaluation = true},
                         How{.max_words = 3, .held_out_share = 0.5, .evaluation = true},
                         How{.max_documents_per_unit = 4,
                         .privacy_unit = owner,
                         .held_out_share = 1,
                         .evaluation = true}}) {
    ExpectUnitsTakeOutTheirOwn(how);
  }
}

// Whether a unit is in a sum is seen by what it alone adds to it.
TEST_F(ThreadExecutorTest, AUnitIsEitherTrainedOnOrEvaluatedInEveryVersionOfItsCorpus) {
  int evaluated = 0;
  const std::vector<PlainDocument> all = corpus::PlainDocuments(64);
  for (const PlainDocument& document : all) {
    const Grid training = SumOf({document}, {.held_out_share = 0.5});
    // Two tokens at least on one side and the other, but for chance: so it may add nothing.
    const bool trained = LengthOf(training) > 0;
    PlainDocument grown = document;  // in another version, with more words and another place
    for (lda::TermCount& entry : grown.counts) entry.count += 400;
    const Grid evaluation = SumOf({grown}, {.held_out_share = 0.5, .evaluation = true});
    EXPECT_EQ(LengthOf(evaluation) > 0, !trained) << document.id;
    evaluated += trained ? 0 : 1;
  }
  EXPECT_GT(evaluated, 0);  // each false alarm 2^-64
  EXPECT_LT(evaluated, 64);
}

TEST_F(ThreadExecutorTest, AnEvaluationHasTheSameBitsForAnyThreadsAndOrder) {
  std::vector<PlainDocument> documents = corpus::PlainDocuments(600);
  const How one{.held_out_share = 0.5, .evaluation = true};
  const Grid expected = SumOf(documents, one);
  EXPECT_GT(LengthOf(expected), 0);
  How more = one;
  more.num_threads = 3;
  EXPECT_EQ(SumOf(documents, more), expected);
  std::reverse(documents.begin(), documents.end());
  more.decoded_bytes = int64_t{1} << 30;
  EXPECT_EQ(SumOf(documents, more), expected);
}

TEST_F(ThreadExecutorTest, TakingOneOwnerOutTakesOutAllTheirDocumentsAndNothingElse) {
  const How how{.max_documents_per_unit = 4, .privacy_unit = v1::PRIVACY_UNIT_OWNER};
  const std::vector<PlainDocument> all = corpus::PlainDocuments(30);
  std::vector<PlainDocument> ann;
  std::vector<PlainDocument> others;
  for (const PlainDocument& document : all) {
    (document.owner == "ann" ? ann : others).push_back(document);
  }
  const Grid alone = SumOf(ann, how);
  EXPECT_EQ(Plus(SumOf(others, how), alone), SumOf(all, how));
  EXPECT_LE(LengthOf(alone), static_cast<double>(mechanism::IntegerSensitivity(1.24)));
}

TEST_F(ThreadExecutorTest, TheBitsAreTheSameForAnyNumberOfThreadsAndAnyOrderOfInput) {
  std::vector<PlainDocument> documents = corpus::PlainDocuments(600);  // three blocks
  const Grid expected = SumOf(documents, {.num_threads = 1});
  EXPECT_EQ(SumOf(documents, {.num_threads = 2}), expected);
  EXPECT_EQ(SumOf(documents, {.num_threads = 7}), expected);
  std::reverse(documents.begin(), documents.end());
  EXPECT_EQ(SumOf(documents, {.num_threads = 3}), expected);
}

// The integers and the bins of a sum, and nothing of how it was made.
std::string DigestOf(const mechanism::PartialSum& sum) {
  base::Sha256 hash;
  for (const uint64_t entry : mechanism::PartialSumTestPeer::Grid(sum)) hash.UpdateInteger(entry);
  for (const uint64_t bin : mechanism::PartialSumTestPeer::Histogram(sum)) hash.UpdateInteger(bin);
  return base::Hex(std::move(hash).Finish());
}

// Each shard by an executor of its own, as processes would, or all by one.
TEST_F(ThreadExecutorTest, OneDigestForAnyShardsThreadsAndOrder) {
  const auto store = StoreOf(corpus::PlainDocuments(3000));  // twelve blocks
  const std::vector<int> numbers = {1, 2, 4, 7};
  std::set<std::string> digests;
  for (size_t n = 0; n < 2 * numbers.size(); ++n) {
    const int num_shards = numbers[n % 4];
    How how{.num_threads = numbers[3 - n % 4],
            .sampling_rate = 0.7,
            .num_shards = num_shards,
            .direction_noise = n < 4 ? 0.0 : 2.0};
    const mechanism::ReleaseKeys keys = KeysFor(*store, how);
    digests.insert(DigestOf(SumOfShards(*store, keys.coins, how, AllShards(keys.coins))));
    std::vector<mechanism::PartialSum> sums;
    for (const int shard : AllShards(keys.coins)) {
      how.num_threads = numbers[static_cast<size_t>(shard) % numbers.size()];
      sums.push_back(SumOfShards(*store, keys.coins, how, {shard}));
    }
    if (n % 2 == 1) std::reverse(sums.begin(), sums.end());
    std::rotate(sums.begin(), sums.begin() + num_shards / 2, sums.end());
    for (size_t i = 1; i < sums.size(); ++i) mechanism::PartialSumTestPeer::Join(&sums[0], sums[i]);
    digests.insert(DigestOf(sums[0]));
  }
  EXPECT_EQ(digests.size(), 2u) << "one with direction noise and one without";
}

// More shards than blocks: some have none.
TEST_F(ThreadExecutorTest, ShardsWithoutABlockAddNothing) {
  const auto store = StoreOf(corpus::PlainDocuments(300));  // two blocks
  EXPECT_EQ(SumOf(*store, {.num_shards = 20}), SumOf(*store, {.num_shards = 1}));
}

TEST_F(ThreadExecutorTest, AReleaseOfAnyShardsIsTheSameAndOfSomeOfThemNone) {
  const auto store = StoreOf(corpus::PlainDocuments(3000));
  std::set<std::vector<float>> releases;
  for (const int num_shards : {1, 2, 4, 7}) {
    const How how{.num_shards = num_shards, .direction_noise = 2};
    mechanism::ReleaseKeys keys = KeysFor(*store, how);
    std::vector<int> shards = AllShards(keys.coins);
    shards.pop_back();
    mechanism::PartialSum sum = SumOfShards(*store, keys.coins, how, shards);
    ASSERT_THAT(mechanism::AddNoise(std::move(sum), std::move(keys.noise), 1),
                StatusIs(absl::StatusCode::kFailedPrecondition));
    // NOLINTNEXTLINE(bugprone-use-after-move): what is refused stays as it is
    mechanism::PartialSumTestPeer::Join(&sum,
                                        SumOfShards(*store, keys.coins, how, {num_shards - 1}));
    ASSERT_OK_AND_ASSIGN(const auto noisy,
                         mechanism::AddNoise(std::move(sum), std::move(keys.noise), 1));
    releases.insert({noisy.statistics().begin(), noisy.statistics().end()});
  }
  EXPECT_EQ(releases.size(), 1u);
}

TEST_F(ThreadExecutorTest, AModelWithoutDirectionsIsAskedForNone) {
  const auto store = StoreOf(corpus::PlainDocuments(10));
  ASSERT_OK_AND_ASSIGN(auto decoded, corpus::DecodedBlocks::Fill(*store, 0));
  ASSERT_OK_AND_ASSIGN(
      auto model, model::MakeModel("document_completion", proto::LdaOptionBytes(2, {0.3}, 5, 1e-3),
                                   {.vocabulary_size = kTerms}));
  ASSERT_OK_AND_ASSIGN(auto inference, model->Bind(std::vector<float>(2 * kTerms, -1), 1));
  EXPECT_THAT(ThreadExecutor::Reserve(*inference, {.corpus = *store,
                                                   .decoded = decoded,
                                                   .bounds = BoundsOf({.evaluation = true}),
                                                   .has_directions = true}),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST_F(ThreadExecutorTest, AShardThatTheReleaseHasNotIsRefused) {
  const auto store = StoreOf(corpus::PlainDocuments(10));
  const How how{.num_shards = 2};
  const mechanism::ReleaseKeys keys = KeysFor(*store, how);
  for (const int shard : {-1, 2}) {
    auto executor = ExecutorOf(*store, how);
    EXPECT_THAT(executor->Sum(OrderOf(keys.coins, how, {0, shard})),
                StatusIs(absl::StatusCode::kInvalidArgument))
        << shard;
    EXPECT_THAT(executor->Sum(OrderOf(keys.coins, how, {0})), StatusIs(absl::StatusCode::kInternal))
        << "its memory is used up";
  }
}

TEST(BlocksOfTest, EveryBlockIsInOneShardAndShardsAreAsLongAsOthersOrOneLess) {
  for (const int num_blocks : {0, 1, 6, 7, 12, 1000, 2'000'000'000}) {
    for (const int num_shards : {1, 2, 7, 13, mechanism::kMaxShards}) {
      int end = 0;
      for (int shard = 0; shard < num_shards; ++shard) {
        const corpus::BlockRange blocks = BlocksOf(shard, num_shards, num_blocks);
        ASSERT_EQ(blocks.first, end);
        end = blocks.end;
        const int size = blocks.end - blocks.first;
        ASSERT_TRUE(size == num_blocks / num_shards || size == num_blocks / num_shards + 1);
      }
      EXPECT_EQ(end, num_blocks);
    }
  }
}

TEST_F(ThreadExecutorTest, TheBitsAreTheSameWithAndWithoutBlocksKeptDecoded) {
  const std::string path = folder_.Path("decoded");
  ASSERT_OK(corpus::WriteCorpus(path, corpus::ParamsOf(v1::PRIVACY_UNIT_DOCUMENT),
                                corpus::PlainDocuments(3000), key_));  // twelve blocks
  ASSERT_OK_AND_ASSIGN(auto store, corpus::CorpusStore::Open(path, key_));
  corpus::UnitBlock block;
  corpus::CorpusStore::ReadSpace space;
  ASSERT_OK(store->ReadBlock(0, &block, &space));
  const int64_t one = block.BytesOfACopy();
  for (const double rate : {1.0, 0.3}) {
    const Grid expected = SumOf(*store, {.sampling_rate = rate});
    for (const int num_threads : {1, 2, 5}) {
      for (const int64_t bytes : {one, 5 * one, 100 * one}) {
        EXPECT_EQ(
            SumOf(*store,
                  {.num_threads = num_threads, .sampling_rate = rate, .decoded_bytes = bytes}),
            expected)
            << num_threads << " threads, " << bytes << " bytes at rate " << rate;
      }
    }
  }
}

TEST_F(ThreadExecutorTest, SamplingLeavesSomeOutAndWordCapsShortenTheRest) {
  const std::vector<PlainDocument> documents = corpus::PlainDocuments(100);
  const Grid everybody = SumOf(documents, {});
  EXPECT_NE(SumOf(documents, {.sampling_rate = 0.5}), everybody);
  EXPECT_NE(SumOf(documents, {.max_words = 2}), everybody);
}

// A unit within the clip norm has as long a vector as it has words.
TEST_F(ThreadExecutorTest, CutsToThePaidNumberOfWords) {
  PlainDocument document = corpus::PlainDocuments(1)[0];
  document.counts = {{1, 50}, {2, 50}};
  const double bound = static_cast<double>(mechanism::IntegerSensitivity(1.24));
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

TEST_F(ThreadExecutorTest, UnitsThatCannotBeUnsealedCountAsZeroAndRaiseTheAlarm) {
  const std::string path = folder_.Path("damaged");
  ASSERT_OK(corpus::WriteCorpus(path, corpus::ParamsOf(v1::PRIVACY_UNIT_DOCUMENT),
                                corpus::PlainDocuments(3000), key_));
  auto store = corpus::CorpusStore::Open(path, key_);
  ASSERT_OK(store);
  bool unreadable = true;
  const Grid whole = SumOf(**store, {}, &unreadable);
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
  const Grid part = SumOf(**store, {.num_threads = 2}, &unreadable);
  EXPECT_TRUE(unreadable);
  for (size_t i = 0; i < whole.size(); ++i) EXPECT_LE(part[i], whole[i]);
  EXPECT_NE(part, whole);
}

// It would be void otherwise, and can be computed again.
TEST_F(ThreadExecutorTest, UnitsThatCannotBeReadForWantOfMemoryEndTheSumAndAreNotDamaged) {
  const auto store = StoreOf(corpus::PlainDocuments(3000));
  const How how = {.num_threads = 2};
  const mechanism::ReleaseKeys keys = KeysFor(*store, how);
  auto executor = ExecutorOf(*store, how);
  const int64_t before = sqlite3_hard_heap_limit64(1);
  const auto units = executor->Sum(OrderOf(keys.coins, how, AllShards(keys.coins)));
  sqlite3_hard_heap_limit64(before);
  EXPECT_THAT(units, StatusIs(absl::StatusCode::kUnavailable));
}

// An owner of ten thousand documents in a corpus of forty.
TEST_F(ThreadExecutorTest, AHugeUnitTakesNoMoreMemoryThanWasReserved) {
  std::vector<PlainDocument> documents = corpus::PlainDocuments(40);
  How how;
  how.privacy_unit = v1::PRIVACY_UNIT_OWNER;
  how.num_threads = 2;
  how.max_documents_per_unit = 5;
  how.direction_noise = 2;
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

}  // namespace thread_executor_test
}  // namespace topicwall::executor

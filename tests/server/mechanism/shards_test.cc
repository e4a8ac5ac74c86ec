#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "tests/server/mechanism/small_release.h"

namespace topicwall::mechanism {
namespace shard_codec_test {

using ::topicwall::testing::StatusIs;
using Peer = PartialSumTestPeer;

constexpr std::size_t kHeader = 120;  // up to the shards

ReleaseMemory SmallMemory() {
  absl::StatusOr<ReleaseMemory> memory = ReleaseMemory::Reserve(
      {.shape = model::GridOf(kSmallTopics, kSmallVocabulary), .num_threads = 1});
  EXPECT_OK(memory);
  return *std::move(memory);
}

absl::StatusOr<PartialSum> Parsed(const ReleaseCoins& coins, const std::string& bytes) {
  return PartialSum::Parse(coins, SmallMemory(), {.clip_norm = kSmallClipNorm}, bytes);
}

// Everybody, in one of three shards.
PartialSum SumInShard(const ReleaseCoins& coins, int shard) {
  const SmallCorpus corpus;
  PartialSum sum = EmptySum(coins);
  corpus.AddTo(coins, &sum, corpus.everybody());
  EXPECT_OK(sum.CountShard(shard));
  return sum;
}

uint64_t NumberAt(const std::string& bytes, std::size_t place) {
  uint64_t number = 0;
  for (std::size_t i = 8; i-- > 0;) number = number << 8 | static_cast<uint8_t>(bytes[place + i]);
  return number;
}

TEST(ShardCodecTest, TheBytesAreThoseOfTheHeader) {
  const ReleaseKeys keys =
      SplitForTest(SmallReceipt([](ledger::ChargeTerms& terms) { terms.begun_at_ms = 1234; }), 3);
  const PartialSum sum = SumInShard(keys.coins, 1);
  const std::string bytes = sum.Serialise();
  const std::vector<uint64_t> grid = Peer::Grid(sum);
  ASSERT_EQ(bytes.size(), kHeader + 3 + 8 * (grid.size() + kNormHistogramBins));
  EXPECT_EQ(bytes.substr(0, 8), "TWPSUM02");
  EXPECT_EQ(NumberAt(bytes, 40), 1234U);
  EXPECT_EQ(NumberAt(bytes, 48), 3U);
  EXPECT_EQ(std::bit_cast<double>(NumberAt(bytes, 56)), kSmallClipNorm);
  EXPECT_EQ(NumberAt(bytes, 64), 0U);  // no direction noise
  EXPECT_EQ(NumberAt(bytes, 72), uint64_t{kSmallTopics} * kSmallVocabulary);
  EXPECT_EQ(NumberAt(bytes, 80), uint64_t{kSmallVocabulary});
  EXPECT_EQ(bytes.substr(88, 32), std::string(32, '\0'));  // no directions
  EXPECT_EQ(bytes.substr(kHeader, 3), std::string({0, 1, 0}));
  for (std::size_t i = 0; i < grid.size(); ++i) {
    EXPECT_EQ(NumberAt(bytes, kHeader + 3 + 8 * i), grid[i]) << i;
  }
  for (std::size_t bin = 0; bin < kNormHistogramBins; ++bin) {
    EXPECT_EQ(NumberAt(bytes, kHeader + 3 + 8 * (grid.size() + bin)), Peer::Histogram(sum)[bin]);
  }
}

TEST(ShardCodecTest, ASumComesBackWithItsShards) {
  const ReleaseKeys keys = SplitForTest(SmallReceipt(), 3);
  const PartialSum sum = SumInShard(keys.coins, 1);
  ASSERT_OK_AND_ASSIGN(const PartialSum parsed, Parsed(keys.coins, sum.Serialise()));
  EXPECT_EQ(parsed.Serialise(), sum.Serialise());
}

// The same release whether its parts were joined in one process or came from others.
TEST(ShardCodecTest, SumsOfOtherProcessesGiveTheSameRelease) {
  const auto release = [](bool elsewhere) {
    ReleaseKeys keys = SplitForTest(SmallReceipt(), 3);
    PartialSum sum = SumInShard(keys.coins, 0);
    for (const int shard : {2, 1}) {
      PartialSum other = SumInShard(keys.coins, shard);
      absl::StatusOr<PartialSum> parsed = Parsed(keys.coins, other.Serialise());
      EXPECT_OK(parsed);
      Peer::Join(&sum, elsewhere ? *parsed : other);
    }
    const auto noisy = AddNoise(std::move(sum), std::move(keys.noise), 1);
    EXPECT_OK(noisy);
    return std::vector<float>(noisy->statistics().begin(), noisy->statistics().end());
  };
  EXPECT_EQ(release(true), release(false));
}

TEST(ShardCodecTest, BytesOfAnotherReleaseAttemptOrShapeAreRefused) {
  const ReleaseKeys keys = SplitForTest(SmallReceipt(), 3);
  const std::string bytes = SumInShard(keys.coins, 0).Serialise();
  const auto refused = StatusIs(absl::StatusCode::kInvalidArgument);
  for (const Change& change : OtherReleases()) {
    EXPECT_THAT(Parsed(SplitForTest(SmallReceipt(change), 3).coins, bytes), refused);
  }
  EXPECT_THAT(Parsed(SplitForTest(SmallReceipt(NoChange, /*key=*/2), 3).coins, bytes), refused);
  EXPECT_THAT(Parsed(SplitForTest(SmallReceipt(), 4).coins, bytes), refused);
  EXPECT_THAT(PartialSum::Parse(keys.coins, SmallMemory(), {.clip_norm = 7}, bytes), refused);
  ASSERT_OK_AND_ASSIGN(
      ReleaseMemory wider,
      ReleaseMemory::Reserve(
          {.shape = model::GridOf(kSmallTopics, kSmallVocabulary + 1), .num_threads = 1}));
  EXPECT_THAT(PartialSum::Parse(keys.coins, std::move(wider), {.clip_norm = kSmallClipNorm}, bytes),
              refused);
  EXPECT_OK(Parsed(keys.coins, bytes));
}

// Along other directions than those of the noise units may be too long.
TEST(ShardCodecTest, ASumAlongOtherDirectionsIsRefused) {
  const ReleaseKeys keys = SplitForTest(SmallReceipt(), 1);
  const PartialSum::Params params = {.clip_norm = kSmallClipNorm, .direction_noise = 5};
  const auto memory_of = [](float first) {
    absl::StatusOr<ReleaseMemory> memory =
        ReleaseMemory::Reserve({.shape = model::GridOf(kSmallTopics, kSmallVocabulary),
                                .num_threads = 1,
                                .has_directions = true});
    EXPECT_OK(memory);
    EXPECT_OK(memory->TakeDirections([first](absl::Span<float> to) {
      std::fill(to.begin(), to.end(), 1.0F);
      to[0] = first;
      return true;
    }));
    return *std::move(memory);
  };
  ASSERT_OK_AND_ASSIGN(PartialSum sum, PartialSum::Create(keys.coins, memory_of(1), params));
  ASSERT_OK(sum.CountShard(0));
  const std::string bytes = sum.Serialise();
  EXPECT_OK(PartialSum::Parse(keys.coins, memory_of(1), params, bytes));
  EXPECT_THAT(PartialSum::Parse(keys.coins, memory_of(1.01F), params, bytes),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(ShardCodecTest, BytesThatAreNoSumAreRefused) {
  const ReleaseKeys keys = SplitForTest(SmallReceipt(), 3);
  const std::string bytes = SumInShard(keys.coins, 0).Serialise();
  const auto refused = StatusIs(absl::StatusCode::kInvalidArgument);
  for (std::size_t size = 0; size < bytes.size(); size += size < kHeader + 20 ? 1 : 97) {
    EXPECT_THAT(Parsed(keys.coins, bytes.substr(0, size)), refused) << size;
  }
  EXPECT_THAT(Parsed(keys.coins, bytes + '\0'), refused);
  for (const char times : {'\3', '\xff'}) {
    std::string often = bytes;
    often[kHeader + 1] = times;
    EXPECT_THAT(Parsed(keys.coins, often), refused);
  }
}

// Who takes part, the cuts and the model's bits are those of the coins that were written.
TEST(ShardCodecTest, CoinsThatWentThroughBytesChooseTheSameUnitsWithTheSameBits) {
  const SmallCorpus corpus;
  const ReleaseKeys keys = SplitForTest(SmallReceipt([](ledger::ChargeTerms& terms) {
                                          terms.mechanism.sampling_rate = 0.5;
                                          terms.mechanism.weights = {1.5F, 2.0F};
                                          terms.begun_at_ms = 99;
                                        }),
                                        3);
  ASSERT_OK_AND_ASSIGN(const ReleaseCoins read,
                       ReleaseCoins::Parse(keys.coins.Serialise(), nullptr));
  EXPECT_EQ(read.tag(), keys.coins.tag());
  EXPECT_EQ(read.mechanism().weights, keys.coins.mechanism().weights);
  EXPECT_EQ(read.mechanism().histogram_noise_multiplier, 3);
  EXPECT_EQ(read.mechanism().max_words, 1000);
  std::vector<SampledUnit> first, second;
  ASSERT_OK(keys.coins.Sample(corpus.ids(), &first));
  ASSERT_OK(read.Sample(corpus.ids(), &second));
  ASSERT_EQ(first.size(), second.size());
  EXPECT_GT(first.size(), 0U);
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first[i].id(), second[i].id());
  KeyedUnitBits bits = keys.coins.NewUnitBits(), same = read.NewUnitBits();
  bits.StartUnit(corpus.ids()[0]);
  same.StartUnit(corpus.ids()[0]);
  bits.StartDocument(0);
  same.StartDocument(0);
  EXPECT_EQ(bits.NextBits(64), same.NextBits(64));
  EXPECT_EQ(read.Serialise(), keys.coins.Serialise());
}

// Units of the other side would be those that the topics were made of.
TEST(ShardCodecTest, CoinsThatWentThroughBytesStayOnTheirSideOfWhoIsHeldOut) {
  const SmallCorpus corpus;
  const random::SecretKey key(std::array<uint8_t, random::SecretKey::kSize>{7});
  std::vector<std::size_t> drawn;
  for (const bool evaluates : {false, true}) {
    const auto keys = SplitReceipt(SmallReceipt([&](ledger::ChargeTerms& terms) {
                                     terms.mechanism.held_out_share = 0.4;
                                     terms.mechanism.held_out_only = evaluates;
                                   }),
                                   3, &key);
    ASSERT_OK(keys);
    ASSERT_OK_AND_ASSIGN(const ReleaseCoins read,
                         ReleaseCoins::Parse(keys->coins.Serialise(), &key));
    std::vector<SampledUnit> first, second;
    ASSERT_OK(keys->coins.Sample(corpus.ids(), &first));
    ASSERT_OK(read.Sample(corpus.ids(), &second));
    ASSERT_EQ(first.size(), second.size());
    for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first[i].id(), second[i].id());
    drawn.push_back(first.size());
  }
  EXPECT_EQ(drawn[0] + drawn[1], corpus.ids().size());
  EXPECT_LT(drawn[1], drawn[0]);
}

TEST(ShardCodecTest, BytesThatAreNoCoinsAreRefused) {
  const ReleaseKeys keys = SplitForTest(SmallReceipt(), 3);
  const std::string bytes = keys.coins.Serialise();
  std::string no_shards = bytes;
  for (std::size_t i = 48; i < 56; ++i) no_shards[i] = 0;
  std::string no_rate = bytes;  // ν comes after the keys
  for (std::size_t i = 152; i < 160; ++i) no_rate[i] = '\xff';
  for (const std::string& wrong : {std::string(), bytes.substr(0, bytes.size() - 1), bytes + "1",
                                   "x" + bytes.substr(1), no_shards, no_rate}) {
    EXPECT_THAT(ReleaseCoins::Parse(wrong, nullptr), StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

}  // namespace shard_codec_test
}  // namespace topicwall::mechanism

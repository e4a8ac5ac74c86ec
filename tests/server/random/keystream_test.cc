#include "server/random/keystream.h"

#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/hex.h"
#include "server/random/unit_coins.h"
#include "tests/server/random/numbered.h"
#include "tests/support/status_matchers.h"

namespace topicwall::random {

struct KeystreamTestPeer {
  static void BreakCipher(Keystream* stream) { EVP_CIPHER_CTX_reset(stream->context_.get()); }
};

namespace keystream_test {

using ::topicwall::base::Hex;
using ::topicwall::testing::StatusIs;

Keystream StreamOf(const SecretKey& key, uint64_t number) {
  absl::StatusOr<Keystream> stream = Keystream::Create(key, number);
  EXPECT_OK(stream);
  return *std::move(stream);
}

std::string FirstBytes(Keystream stream, int words) {
  std::vector<uint8_t> bytes;
  for (int i = 0; i < words; ++i) {
    const uint64_t word = stream.Next64();
    for (int byte = 0; byte < 8; ++byte) bytes.push_back(static_cast<uint8_t>(word >> 8 * byte));
  }
  return Hex(bytes);
}

// Golden: `openssl enc -aes-256-ctr -K 00…1f -iv <stream number><16 zeros>` of 48 zero bytes.
TEST(KeystreamTest, IsAes256InCounterMode) {
  EXPECT_EQ(FirstBytes(StreamOf(CountingKey(), 0), 6),
            "f29000b62a499fd0a9f39a6add2e7780f05d76ae4ab99fe5a6f69b3148c2363d"
            "0ebcb5deb52c83bd08a8a935182c9199");
  EXPECT_EQ(FirstBytes(StreamOf(CountingKey(), 0x0102030405060708), 6),
            "65627bd127f455618ff9d0f081df2db4e4a143bc51277a003d85d6825ad10fb2"
            "8a1f2eb08d17f56b8cc8d45d74fecf56");
}

// The block cipher by another of OpenSSL's modes: block c of stream s is AES(s ‖ c).
TEST(KeystreamTest, BlocksCountOnWithinTheStreamAcrossRefills) {
  const SecretKey key = CountingKey();
  ASSERT_OK_AND_ASSIGN(UnitCoins cipher, UnitCoins::Create(key));
  Keystream stream = StreamOf(key, 5);
  for (int block = 0; block < 1000; ++block) {  // four buffers of 4 KiB
    UnitId input{};
    input[7] = 5;
    input[14] = static_cast<uint8_t>(block >> 8);
    input[15] = static_cast<uint8_t>(block);
    std::array<uint64_t, 1> expected;
    ASSERT_OK(cipher.Toss({&input, 1}, absl::MakeSpan(expected)));
    EXPECT_EQ(stream.Next64(), expected[0]) << block;
    stream.Next64();  // the block's other half
  }
}

TEST(KeystreamTest, StreamsAndKeysDiffer) {
  const SecretKey other(std::array<uint8_t, 32>{9});
  const std::set<std::string> streams = {
      FirstBytes(StreamOf(CountingKey(), 0), 2), FirstBytes(StreamOf(CountingKey(), 1), 2),
      FirstBytes(StreamOf(CountingKey(), uint64_t{1} << 63), 2), FirstBytes(StreamOf(other, 0), 2)};
  EXPECT_EQ(streams.size(), 4U);
}

TEST(KeystreamTest, NextBitsAreTheHighBitsOfADraw) {
  Keystream whole = StreamOf(CountingKey(), 3);
  Keystream parts = StreamOf(CountingKey(), 3);
  for (int count = 1; count <= 64; ++count) {
    EXPECT_EQ(parts.NextBits(count), whole.Next64() >> (64 - count)) << count;
  }
}

TEST(KeystreamTest, NextBelowStaysBelowAndReachesTheEnds) {
  Keystream stream = StreamOf(CountingKey(), 4);
  for (uint64_t bound : {uint64_t{1}, uint64_t{2}, uint64_t{3}, uint64_t{10}}) {
    std::set<uint64_t> seen;
    for (int i = 0; i < 400; ++i) seen.insert(stream.NextBelow(bound));
    // One of 10 values missing after 400 draws: false alarm 10·0.9^400 < 1e-17.
    EXPECT_EQ(seen.size(), bound);
    EXPECT_EQ(*seen.rbegin(), bound - 1);
  }
  const uint64_t large = (uint64_t{1} << 63) + 1;
  for (int i = 0; i < 1000; ++i) EXPECT_LT(stream.NextBelow(large), large);
}

// Without rejection, a bound of 3·2^62 maps the 2^64 draws onto results of which every third has
// two chances and the others one: a residue then has 1/2 instead of 1/3. 90,000 draws, a residue
// counted with standard deviation sqrt(90000·2/9) = 141: six of them, false alarm 2e-9·3,
// catch any residue off by more than 1 % (absolute), so also this one.
TEST(KeystreamTest, NextBelowRejectsWhatWouldBias) {
  Keystream stream = StreamOf(CountingKey(), 6);
  std::array<int, 3> residues{};
  for (int i = 0; i < 90'000; ++i) ++residues[stream.NextBelow(uint64_t{3} << 62) % 3];
  for (int count : residues) EXPECT_NEAR(count, 30'000, 6 * 141);
}

// A remainder instead maps two draws onto each of the lowest 2^62 results and one onto each other:
// half of the results then lie in the lowest third. Bound and counts as above, and the same catch.
TEST(KeystreamTest, NextBelowPrefersNoPartOfTheRange) {
  Keystream stream = StreamOf(CountingKey(), 9);
  std::array<int, 3> thirds{};
  for (int i = 0; i < 90'000; ++i) ++thirds[stream.NextBelow(uint64_t{3} << 62) >> 62];
  for (int count : thirds) EXPECT_NEAR(count, 30'000, 6 * 141);
}

// Each of the 64 bit positions is a fair coin: 64 counts of 100,000 coins, standard deviation
// 158; 7 of them, false alarm 64·2.6e-12 = 2e-10; catches a coin off by 1.2 % or more.
TEST(KeystreamTest, EveryBitIsFair) {
  Keystream stream = StreamOf(CountingKey(), 7);
  std::array<int, 64> ones{};
  for (int i = 0; i < 100'000; ++i) {
    const uint64_t word = stream.Next64();
    for (std::size_t bit = 0; bit < 64; ++bit) ones[bit] += static_cast<int>(word >> bit & 1);
  }
  for (int count : ones) EXPECT_NEAR(count, 50'000, 7 * 158);
}

TEST(KeystreamTest, AFailureOfTheCipherIsRememberedAndEndsNoLoop) {
  Keystream stream = StreamOf(CountingKey(), 8);
  KeystreamTestPeer::BreakCipher(&stream);
  EXPECT_OK(stream.status()) << "nothing was drawn yet";
  for (int i = 0; i < 2000; ++i) stream.Next64();
  stream.NextBelow((uint64_t{1} << 63) + 1);
  EXPECT_THAT(stream.status(), StatusIs(absl::StatusCode::kInternal));
}

}  // namespace keystream_test
}  // namespace topicwall::random

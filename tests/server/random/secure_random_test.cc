// The generator's interface that lets a test break it is deprecated, not removed.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "server/random/secure_random.h"

#include <openssl/rand.h>

#include <algorithm>
#include <vector>

#include "server/random/secret_key.h"
#include "tests/support/status_matchers.h"

namespace topicwall::random {
namespace {

using ::testing::Each;
using ::topicwall::testing::StatusIs;

// While one lives, OpenSSL's generator fails after `working_calls` calls.
class BrokenGenerator {
 public:
  explicit BrokenGenerator(int working_calls) {
    calls_left = working_calls;
    static const RAND_METHOD kBroken = {nullptr, &Bytes, nullptr, nullptr, &Bytes, &Status};
    RAND_set_rand_method(&kBroken);
  }
  ~BrokenGenerator() { RAND_set_rand_method(nullptr); }
  BrokenGenerator(const BrokenGenerator&) = delete;
  BrokenGenerator& operator=(const BrokenGenerator&) = delete;

 private:
  static int Bytes(unsigned char* bytes, int count) {
    std::fill(bytes, bytes + count, static_cast<unsigned char>(7));
    return calls_left-- > 0 ? 1 : 0;
  }
  static int Status() { return 1; }

  static inline int calls_left = 0;
};

TEST(SecureRandomTest, DrawsDifferentBytesEachTime) {
  // False alarm 2^-128.
  absl::StatusOr<std::array<uint8_t, 16>> first = Random128();
  absl::StatusOr<std::array<uint8_t, 16>> second = Random128();
  ASSERT_OK(first);
  ASSERT_OK(second);
  EXPECT_NE(*first, *second);
  absl::StatusOr<std::array<uint8_t, 32>> third = Random256();
  absl::StatusOr<std::array<uint8_t, 32>> fourth = Random256();
  ASSERT_OK(third);
  ASSERT_OK(fourth);
  EXPECT_NE(*third, *fourth);
}

TEST(SecureRandomTest, FillsEveryByteOfALongSpan) {
  // Every stretch of 16 bytes in 200,000 has a non-zero byte: false alarm < 2^-110.
  std::vector<uint8_t> bytes(200'000, 0);
  ASSERT_OK(FillRandom(absl::MakeSpan(bytes)));
  int zeros = 0;
  for (uint8_t byte : bytes) {
    zeros = byte == 0 ? zeros + 1 : 0;
    ASSERT_LT(zeros, 16);
  }
}

TEST(SecureRandomTest, FillsNothingOfAnEmptySpan) { EXPECT_OK(FillRandom(absl::Span<uint8_t>())); }

TEST(SecureRandomTest, AFailingGeneratorIsAnErrorAndLeavesZeros) {
  std::vector<uint8_t> bytes(200'000, 1);
  const BrokenGenerator broken(/*working_calls=*/1);
  EXPECT_THAT(FillRandom(absl::MakeSpan(bytes)), StatusIs(absl::StatusCode::kInternal));
  EXPECT_THAT(bytes, Each(0)) << "also the part that was drawn before the failure";
}

TEST(SecureRandomTest, NoKeyOrNameIsMadeWithoutRandomness) {
  const BrokenGenerator broken(/*working_calls=*/0);
  EXPECT_THAT(Random128(), StatusIs(absl::StatusCode::kInternal));
  EXPECT_THAT(Random256(), StatusIs(absl::StatusCode::kInternal));
  EXPECT_THAT(SecretKey::Generate(), StatusIs(absl::StatusCode::kInternal));
}

}  // namespace
}  // namespace topicwall::random

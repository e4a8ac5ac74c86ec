#include "server/random/secret_key.h"

#include <array>
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include "base/hex.h"
#include "tests/support/status_matchers.h"

namespace topicwall::random {
namespace {

using ::topicwall::base::Hex;

static_assert(!std::is_copy_constructible_v<SecretKey> && !std::is_copy_assignable_v<SecretKey>);
static_assert(!std::is_default_constructible_v<SecretKey>);
static_assert(std::is_nothrow_move_constructible_v<SecretKey>);

constexpr std::array<uint8_t, 32> kBytes = {1, 2, 3, 4, 5, 6, 7, 8};
const char kZeros[] = "0000000000000000000000000000000000000000000000000000000000000000";

TEST(SecretKeyTest, HoldsTheBytesItWasGiven) {
  const SecretKey key(kBytes);
  EXPECT_EQ(Hex(key.ExposeBytes()), Hex(kBytes));
}

TEST(SecretKeyTest, GeneratesAnotherKeyEachTime) {
  absl::StatusOr<SecretKey> first = SecretKey::Generate();
  absl::StatusOr<SecretKey> second = SecretKey::Generate();
  ASSERT_OK(first);
  ASSERT_OK(second);
  EXPECT_NE(Hex(first->ExposeBytes()), Hex(second->ExposeBytes()));
}

TEST(SecretKeyTest, MovingLeavesNothingBehind) {
  SecretKey key(kBytes);
  SecretKey moved(std::move(key));
  EXPECT_EQ(Hex(key.ExposeBytes()), kZeros);  // NOLINT(bugprone-use-after-move): the claim
  SecretKey assigned(std::array<uint8_t, 32>{});
  assigned = std::move(moved);
  EXPECT_EQ(Hex(moved.ExposeBytes()), kZeros);  // NOLINT(bugprone-use-after-move): the claim
  EXPECT_EQ(Hex(assigned.ExposeBytes()), Hex(kBytes));
}

TEST(SecretKeyTest, MovingOntoItselfKeepsTheKey) {
  SecretKey key(kBytes);
  SecretKey& same = key;
  key = std::move(same);
  EXPECT_EQ(Hex(key.ExposeBytes()), Hex(kBytes));
}

TEST(SecretKeyTest, DestructionWipesTheMemory) {
  // Storage that outlives the key, so that looking at it afterwards is defined.
  alignas(SecretKey) std::array<unsigned char, sizeof(SecretKey)> storage;
  storage.fill(0xAA);
  auto* key = new (storage.data()) SecretKey(kBytes);
  key->~SecretKey();
  const volatile unsigned char* after = storage.data();
  for (std::size_t i = 0; i < storage.size(); ++i) EXPECT_EQ(after[i], 0) << i;
}

}  // namespace
}  // namespace topicwall::random

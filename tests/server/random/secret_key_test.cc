#include "server/random/secret_key.h"

#include <gmock/gmock.h>

#include <array>
#include <cinttypes>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

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

// The kernel's word: KiB of this process that are locked.
int64_t LockedKib() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    int64_t kib = -1;
    if (word == "VmLck:" && status >> kib) return kib;
  }
  return -1;
}

// The flags of the mapping that `address` is in, as /proc/self/smaps has them.
std::string FlagsOf(const void* address) {
  std::ifstream smaps("/proc/self/smaps");
  const auto wanted = reinterpret_cast<uintptr_t>(address);
  bool inside = false;
  std::string line;
  while (std::getline(smaps, line)) {
    uintptr_t from = 0;
    uintptr_t to = 0;
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " ", &from, &to) == 2) {
      inside = from <= wanted && wanted < to;
    }
    if (inside && line.rfind("VmFlags:", 0) == 0) return line;
  }
  return "";
}

constexpr std::array<uint8_t, 32> kNowhereZero = {11, 12, 13, 14, 15, 16, 17, 18, 21, 22, 23,
                                                  24, 25, 26, 27, 28, 31, 32, 33, 34, 35, 36,
                                                  37, 38, 41, 42, 43, 44, 45, 46, 47, 48};

// The allocator writes two addresses of its own to the front of what is free.
void ExpectWiped(const volatile uint8_t* where) {
  std::array<uint8_t, SecretKey::kSize> now;
  for (std::size_t i = 0; i < now.size(); ++i) now[i] = where[i];
  EXPECT_NE(Hex(absl::MakeSpan(now).first(16)), Hex(absl::MakeSpan(kNowhereZero).first(16)));
  EXPECT_EQ(Hex(absl::MakeSpan(now).last(16)), std::string(32, '0'));
}

TEST(SecretKeyTest, DestructionWipesTheMemory) {
  // The heap's memory stays where it is, so that looking at it afterwards is defined.
  const volatile uint8_t* where = nullptr;
  {
    const SecretKey key(kNowhereZero);
    where = key.ExposeBytes().data();
    EXPECT_EQ(where[20], kNowhereZero[20]);
  }
  ExpectWiped(where);
}

TEST(SecretKeyTest, WhatAnotherKeyIsPutOverIsWiped) {
  SecretKey key(kNowhereZero);
  const volatile uint8_t* const where = key.ExposeBytes().data();
  key = SecretKey(kBytes);
  ExpectWiped(where);
  EXPECT_EQ(Hex(key.ExposeBytes()), Hex(kBytes));
}

TEST(SecretKeyTest, LiesInLockedMemoryThatNoDumpHas) {
  const SecretKey key(kBytes);
  ASSERT_TRUE(SecretKey::AreLocked()) << "ulimit -l is below 256";
  EXPECT_GE(LockedKib(), int64_t{SecretKey::kHeapBytes / 1024});
  EXPECT_THAT(FlagsOf(key.ExposeBytes().data()),
              ::testing::AllOf(::testing::HasSubstr(" lo"), ::testing::HasSubstr(" dd")));
}

TEST(SecretKeyTest, EightThousandFitAndOneTooManyIsRefusedAndHarmsNone) {
  std::vector<SecretKey> keys;
  const auto make_too_many = [&keys] {
    for (std::size_t i = 0; i <= SecretKey::kHeapBytes / SecretKey::kSize; ++i) {
      keys.emplace_back(kBytes);
    }
  };
  EXPECT_THROW(make_too_many(), std::bad_alloc);
  EXPECT_GE(keys.size(), 8000u);
  EXPECT_EQ(Hex(keys.front().ExposeBytes()), Hex(kBytes));
  keys.pop_back();
  EXPECT_EQ(Hex(SecretKey(kBytes).ExposeBytes()), Hex(kBytes));
}

}  // namespace
}  // namespace topicwall::random

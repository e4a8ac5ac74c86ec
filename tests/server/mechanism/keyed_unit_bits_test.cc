#include "server/mechanism/keyed_unit_bits.h"

#include <array>
#include <cstdint>
#include <set>
#include <vector>

#include "server/random/key_derivation.h"
#include "tests/support/status_matchers.h"

namespace topicwall::mechanism {
namespace keyed_unit_bits_test {

using ::topicwall::testing::StatusIs;

random::SecretKey Key(uint8_t number) { return random::SecretKey(std::array<uint8_t, 32>{number}); }

std::vector<uint64_t> Bits(uint8_t key_number, const random::UnitId& unit, int document) {
  const random::SecretKey key = Key(key_number);
  KeyedUnitBits bits(&key);
  bits.StartUnit(unit);
  bits.StartDocument(document);
  std::vector<uint64_t> drawn;
  for (const int count : {64, 1, 37}) drawn.push_back(bits.NextBits(count));
  EXPECT_OK(bits.status());
  return drawn;
}

TEST(KeyedUnitBitsTest, AStreamIsAFunctionOfKeyUnitAndDocument) {
  const std::set<std::vector<uint64_t>> streams = {Bits(1, {7}, 0), Bits(2, {7}, 0),
                                                   Bits(1, {8}, 0), Bits(1, {7}, 1)};
  EXPECT_EQ(streams.size(), 4u);
  EXPECT_EQ(Bits(1, {7}, 0), Bits(1, {7}, 0));
}

// Whatever came before, on this thread or another, a document's bits are its own.
TEST(KeyedUnitBitsTest, WhatWasDrawnBeforeDoesNotMatter) {
  const random::SecretKey key = Key(1);
  KeyedUnitBits bits(&key);
  bits.StartUnit({9});
  for (int document = 0; document < 5; ++document) {
    bits.StartDocument(document);
    for (int i = 0; i <= document; ++i) bits.NextBits(64);
  }
  bits.StartUnit({7});
  bits.StartDocument(3);
  EXPECT_EQ(bits.NextBits(64), Bits(1, {7}, 3)[0]);
  bits.StartDocument(0);
  EXPECT_EQ(bits.NextBits(64), Bits(1, {7}, 0)[0]);
}

// A model that breaks its contract must not go on with the bits of the unit before.
TEST(KeyedUnitBitsTest, NoDocumentIsNoBitsAndAnError) {
  const random::SecretKey key = Key(1);
  KeyedUnitBits bits(&key);
  bits.StartUnit({7});
  bits.StartDocument(0);
  EXPECT_OK(bits.status());
  bits.StartUnit({8});
  EXPECT_EQ(bits.NextBits(64), 0u);
  EXPECT_THAT(bits.status(), StatusIs(absl::StatusCode::kInternal));
  bits.StartDocument(0);
  EXPECT_EQ(bits.NextBits(64), 0u);
  EXPECT_THAT(bits.status(), StatusIs(absl::StatusCode::kInternal)) << "it stays";
}

}  // namespace keyed_unit_bits_test
}  // namespace topicwall::mechanism

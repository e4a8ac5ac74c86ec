#include "server/mechanism/lattice_rows.h"

#include <gtest/gtest.h>

#include <vector>

namespace topicwall::mechanism {
namespace {

constexpr std::size_t kTerms = 5;

// A lattice of 64-bit integers beside the one of halves.
struct TwoLattices {
  explicit TwoLattices(std::size_t num_topics)
      : k(num_topics), low(kTerms * k), high(kTerms * k), plain(kTerms * k) {}

  void Add(const std::vector<uint32_t>& terms, const std::vector<uint32_t>& topics,
           const std::vector<uint64_t>& values) {
    AddRows({.low = low.data(), .high = high.data(), .num_topics = k},
            {.terms = terms, .topics = topics, .values = values.data()});
    for (std::size_t i = 0; i < terms.size(); ++i) {
      for (std::size_t a = 0; a < topics.size(); ++a) {
        plain[terms[i] * k + topics[a]] += values[i * topics.size() + a];
      }
    }
  }

  std::vector<uint64_t> Halves() const {
    std::vector<uint64_t> sums(low.size());
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = (uint64_t{high[i]} << 32) | low[i];
    return sums;
  }

  std::size_t k;
  std::vector<uint32_t> low;
  std::vector<uint32_t> high;
  std::vector<uint64_t> plain;
};

// Catches a loop for one number of topics that leaves one out, and a lost carry: values near 2^37,
// a hundred of them, pass 2^32 at almost every addition.
TEST(LatticeRowsTest, AddsEveryEntryExactlyForAnyNumberOfTopics) {
  for (std::size_t num_topics = 0; num_topics <= 40; ++num_topics) {
    TwoLattices lattices(2 * num_topics + 1);
    std::vector<uint32_t> topics;
    for (std::size_t a = 0; a < num_topics; ++a) topics.push_back(static_cast<uint32_t>(2 * a + 1));
    uint64_t value = 0x123456789;
    for (int round = 0; round < 100; ++round) {
      const std::vector<uint32_t> terms = {static_cast<uint32_t>(round % 2), 2, 4};
      std::vector<uint64_t> values;
      for (std::size_t i = 0; i < terms.size() * num_topics; ++i) {
        value = value * 6364136223846793005u + 1442695040888963407u;
        values.push_back(value >> 27);
      }
      lattices.Add(terms, topics, values);
    }
    EXPECT_EQ(lattices.Halves(), lattices.plain) << num_topics << " topics";
  }
}

// Rows are added several at a time, and asked for before: every number of them, to the last row of
// the lattice.
TEST(LatticeRowsTest, AddsAnyNumberOfRows) {
  constexpr uint32_t kRows = 45;
  constexpr std::size_t kTopics = 3;
  for (uint32_t num_terms = 0; num_terms <= kRows; ++num_terms) {
    std::vector<uint32_t> terms;
    for (uint32_t i = 0; i < num_terms; ++i) terms.push_back(kRows - num_terms + i);
    std::vector<uint64_t> values;
    for (std::size_t i = 0; i < num_terms * 2; ++i) values.push_back((i + 1) * 0x17ffffff);
    std::vector<uint32_t> low(kRows * kTopics), high(kRows * kTopics);
    AddRows({.low = low.data(), .high = high.data(), .num_topics = kTopics},
            {.terms = terms, .topics = std::vector<uint32_t>{0, 2}, .values = values.data()});
    for (uint32_t term = 0; term < kRows; ++term) {
      for (std::size_t topic = 0; topic < kTopics; ++topic) {
        const std::size_t entry = term * kTopics + topic;
        const bool is_there = term >= kRows - num_terms && topic != 1;
        const uint64_t expected =
            is_there ? values[(term - (kRows - num_terms)) * 2 + topic / 2] : 0;
        EXPECT_EQ((uint64_t{high[entry]} << 32) | low[entry], expected) << num_terms;
      }
    }
  }
}

TEST(LatticeRowsTest, AUnitWithoutTermsChangesNothing) {
  TwoLattices lattices(3);
  lattices.Add({}, {1, 2}, {});
  EXPECT_EQ(lattices.Halves(), std::vector<uint64_t>(3 * kTerms, 0));
}

}  // namespace
}  // namespace topicwall::mechanism

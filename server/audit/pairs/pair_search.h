// Makes up neighbouring pairs: at random over everything that documents, custodian and analyst
// may choose, and by changing one thing about a pair that was bad already.
//
//   PairSearch search(*std::move(choices), kSmallShapes);   // audit_seed.h
//   NeighbouringPair pair = search.Random();
//   pair = search.Varied(pair);
//
// Ends of ranges are drawn far more often than a uniform choice would. The same choices make the
// same pairs, so that what was found is found again.
//
// Threads: one. PUBLIC: made up.
#ifndef TOPICWALL_SERVER_AUDIT_PAIRS_PAIR_SEARCH_H_
#define TOPICWALL_SERVER_AUDIT_PAIRS_PAIR_SEARCH_H_

#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "server/audit/pairs/neighbouring_pair.h"
#include "server/random/keystream.h"

namespace topicwall::audit {

// K and V are drawn evenly from these.
struct PairShapes {
  int min_terms;
  int max_terms;
  int min_topics;
  int max_topics;
};
// Thousands of pairs in a minute.
inline constexpr PairShapes kSmallShapes = {
    .min_terms = 1, .max_terms = 40, .min_topics = 1, .max_topics = 6};
// As in use: some seconds a pair. Documents are sparse, of up to some thousand terms.
inline constexpr PairShapes kProductionShapes = {
    .min_terms = 50'000, .max_terms = 66'000, .min_topics = 100, .max_topics = 110};

class PairSearch {
 public:
  PairSearch(random::Keystream choices, const PairShapes& shapes)
      : stream_(std::move(choices)), shapes_(shapes) {}

  NeighbouringPair Random();
  // With another unit, other neighbours, other topics or another mechanism.
  NeighbouringPair Varied(NeighbouringPair pair);

 private:
  double Uniform() { return static_cast<double>(stream_.NextBits(53)) * 0x1p-53; }
  bool OneIn(uint64_t n) { return stream_.NextBelow(n) == 0; }
  int Between(int low, int high) {
    return low + static_cast<int>(stream_.NextBelow(static_cast<uint64_t>(high - low) + 1));
  }
  double LogUniform(double low, double high);
  template <typename Value>
  Value OneOf(std::initializer_list<Value> values) {
    return *(values.begin() + stream_.NextBelow(values.size()));
  }
  std::vector<lda::TermCount> Counts(int vocabulary_size);

  void ChooseOthers(NeighbouringPair* pair);
  void ChooseUnit(NeighbouringPair* pair);
  void ChooseTopics(NeighbouringPair* pair);
  void ChooseMechanism(NeighbouringPair* pair);

  random::Keystream stream_;
  const PairShapes shapes_;
  int64_t made_ = 0;
};

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_PAIRS_PAIR_SEARCH_H_

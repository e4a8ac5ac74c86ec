// Makes up neighbouring pairs: at random over everything that documents, custodian and analyst
// may choose, and by changing one thing about a pair that was bad already.
//
//   TW_ASSIGN_OR_RETURN(PairSearch search, PairSearch::Create());
//   NeighbouringPair pair = search.Random();
//   pair = search.Varied(pair);
//
// Ends of ranges are drawn far more often than a uniform choice would. The sequence is the same in
// every run, so that what was found is found again.
//
// Threads: one. PUBLIC: made up.
#ifndef TOPICWALL_SERVER_AUDIT_PAIR_SEARCH_H_
#define TOPICWALL_SERVER_AUDIT_PAIR_SEARCH_H_

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "absl/status/statusor.h"
#include "server/audit/neighbouring_pair.h"
#include "server/random/keystream.h"

namespace topicwall::audit {

class PairSearch {
 public:
  static absl::StatusOr<PairSearch> Create();

  NeighbouringPair Random();
  // With another unit, other neighbours, other topics or another mechanism.
  NeighbouringPair Varied(NeighbouringPair pair);

 private:
  explicit PairSearch(random::Keystream stream) : stream_(std::move(stream)) {}

  double Uniform() { return static_cast<double>(stream_.NextBits(53)) * 0x1p-53; }
  bool OneIn(uint64_t n) { return stream_.NextBelow(n) == 0; }
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
  int64_t made_ = 0;
};

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_PAIR_SEARCH_H_

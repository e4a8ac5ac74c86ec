#include "model/completion/token_halves.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace topicwall::completion {
namespace {

// Among so many fair coins.
// Coins, not a binomial draw: that would need libm, whose last bit is the machine's.
uint32_t Heads(uint32_t coins, model::UnitBits& bits) {
  uint32_t heads = 0;
  while (coins > 0) {
    const uint32_t at_once = std::min<uint32_t>(coins, 64);
    heads += static_cast<uint32_t>(std::popcount(bits.NextBits(static_cast<int>(at_once))));
    coins -= at_once;
  }
  return heads;
}

}  // namespace

void TokenHalves::Split(lda::DocumentView document, model::UnitBits& bits) {
  observed_.clear();
  scored_.clear();
  for (const lda::TermCount& entry : document) {
    const uint32_t heads = Heads(entry.count, bits);
    const uint32_t tails = entry.count - heads;
    if (heads > 0) observed_.push_back({.term = entry.term, .count = heads});
    if (tails > 0) scored_.push_back({.term = entry.term, .count = tails});
  }
}

}  // namespace topicwall::completion

#include "server/mechanism/token_halves.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "server/random/key_derivation.h"
#include "server/random/keystream.h"

namespace topicwall::mechanism {
namespace {

// Among so many fair coins.
uint32_t Heads(uint32_t coins, random::Keystream& stream) {
  uint32_t heads = 0;
  while (coins > 0) {
    const uint32_t at_once = std::min<uint32_t>(coins, 64);
    heads += static_cast<uint32_t>(std::popcount(stream.NextBits(static_cast<int>(at_once))));
    coins -= at_once;
  }
  return heads;
}

}  // namespace

absl::StatusOr<TokenHalves::Halves> TokenHalves::Split(const random::UnitId& unit,
                                                       int document_number,
                                                       lda::DocumentView document,
                                                       Workspace* workspace) const {
  absl::StatusOr<random::SecretKey> key = random::Derive(key_, "halves of a document", unit);
  if (!key.ok()) return key.status();
  absl::StatusOr<random::Keystream> stream =
      random::Keystream::Create(*key, static_cast<uint64_t>(document_number));
  if (!stream.ok()) return stream.status();
  workspace->observed_.clear();
  workspace->scored_.clear();
  for (const lda::TermCount& entry : document) {
    const uint32_t heads = Heads(entry.count, *stream);
    const uint32_t tails = entry.count - heads;
    if (heads > 0) workspace->observed_.push_back({.term = entry.term, .count = heads});
    if (tails > 0) workspace->scored_.push_back({.term = entry.term, .count = tails});
  }
  if (!stream->status().ok()) return stream->status();
  return Halves{.observed = workspace->observed_, .scored = workspace->scored_};
}

}  // namespace topicwall::mechanism

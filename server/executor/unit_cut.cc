// Both cuts are uniform choices without replacement, in integers from exactly uniform draws.
// Privacy would bear any choice that is a function of the unit and its own bits (joint convexity);
// the analyst would not: a cut that prefers the beginning of a document, or its frequent words,
// biases the topics.
#include "server/executor/unit_cut.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <numeric>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "server/mechanism/mechanism_limits.h"
#include "server/random/key_derivation.h"
#include "server/random/keystream.h"

namespace topicwall::executor {
namespace {

// A key for each unit and a stream for each document: no two documents of a corpus share bits.
absl::StatusOr<random::Keystream> StreamOf(const random::SecretKey& cut_key,
                                           absl::string_view purpose, const random::UnitId& unit,
                                           uint64_t number) {
  absl::StatusOr<random::SecretKey> key = random::Derive(cut_key, purpose, unit);
  if (!key.ok()) return key.status();
  return random::Keystream::Create(*key, number);
}

// urn[i], counted from 1, is the number of tokens of the lowbit(i) terms that end with the
// i-th: sums, draws and removals in O(log D) (Fenwick 1994).
// Filled in O(D): each node hands its finished sum on to the one node that contains it next.
void FillUrn(lda::DocumentView document, std::vector<uint64_t>* urn) {
  urn->assign(document.size() + 1, 0);
  for (std::size_t i = 1; i < urn->size(); ++i) {
    (*urn)[i] += document[i - 1].count;
    const std::size_t parent = i + (i & (0 - i));
    if (parent < urn->size()) (*urn)[parent] += (*urn)[i];
  }
}

// Takes token `number` (from 0, in term order) out of the urn and returns its term's place.
// On the way down a step that is not taken is a node that holds the token: exactly those lose one.
std::size_t TakeToken(uint64_t number, std::vector<uint64_t>* urn) {
  std::size_t place = 0;
  for (std::size_t step = std::bit_floor(urn->size() - 1); step > 0; step /= 2) {
    const std::size_t next = place + step;
    if (next >= urn->size()) continue;
    if ((*urn)[next] <= number) {
      number -= (*urn)[next];
      place = next;
    } else {
      --(*urn)[next];  // the token lies in this node's range
    }
  }
  return place;
}

}  // namespace

absl::StatusOr<UnitCut> UnitCut::Create(const random::SecretKey* cut_key, int64_t max_words) {
  absl::Status status = mechanism::ValidateMaxWords(max_words);
  if (!status.ok()) return status;
  return UnitCut(*cut_key, max_words);
}

absl::StatusOr<lda::DocumentView> UnitCut::CutWords(const random::UnitId& unit, int document_number,
                                                    lda::DocumentView document,
                                                    Workspace* workspace) const {
  const int64_t tokens = lda::TokenCount(document);
  if (tokens <= max_words_) return document;
  absl::StatusOr<random::Keystream> stream =
      StreamOf(cut_key_, "words of a document", unit, static_cast<uint64_t>(document_number));
  if (!stream.ok()) return stream.status();
  FillUrn(document, &workspace->urn_);
  std::vector<lda::TermCount>& kept = workspace->kept_;
  kept.assign(document.begin(), document.end());
  for (lda::TermCount& entry : kept) entry.count = 0;
  for (int64_t drawn = 0; drawn < max_words_; ++drawn) {
    // One token fewer each time: the next number is below what is left, so that it always finds
    // one.
    const uint64_t number = stream->NextBelow(static_cast<uint64_t>(tokens - drawn));
    ++kept[TakeToken(number, &workspace->urn_)].count;
  }
  if (!stream->status().ok()) return stream->status();
  // A document's terms have counts of at least 1, and stay ascending.
  kept.erase(std::remove_if(kept.begin(), kept.end(),
                            [](const lda::TermCount& entry) { return entry.count == 0; }),
             kept.end());
  return lda::DocumentView(kept);
}

absl::Status UnitCut::ChooseDocuments(const random::UnitId& unit, int num_documents,
                                      int max_documents, std::vector<int>* chosen) const {
  chosen->resize(static_cast<std::size_t>(std::max(num_documents, 0)));
  std::iota(chosen->begin(), chosen->end(), 0);
  if (num_documents <= max_documents) return absl::OkStatus();
  absl::StatusOr<random::Keystream> stream = StreamOf(cut_key_, "documents of a unit", unit, 0);
  if (!stream.ok()) return stream.status();
  // The first places of a Fisher-Yates shuffle.
  const auto wanted = static_cast<std::size_t>(std::max(max_documents, 0));
  for (std::size_t i = 0; i < wanted; ++i) {
    std::swap((*chosen)[i], (*chosen)[i + stream->NextBelow(chosen->size() - i)]);
  }
  chosen->resize(wanted);
  // A set was chosen, not an order: a model sees its documents by ascending numbers, cut or not.
  std::sort(chosen->begin(), chosen->end());
  return stream->status();
}

}  // namespace topicwall::executor

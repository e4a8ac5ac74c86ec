// Which terms are probably forms of one word, by their spelling: "filter", "filters", "filtering".
//
//   RelatedTerms related = FindRelatedTerms(vocabulary);     // once a fit
//   Denoise(noisy, unigram, {.related_terms = related});     // noise_denoiser.h
//
// Two terms are related if they begin alike, in at least kShortestStem letters, differ in at most
// kLongestEnding, and enough other words of the vocabulary differ in the same two endings: that
// "s" and "ing" are endings nobody says, 187 pairs do. So no language is known here, and of words
// that are no language's few are related, or those that are turn out to say nothing of one another
// (term_coupling.h). The kind of a relation is how common its endings are and whether its stem is
// long.
//
// Letters are code points of UTF-8; a byte that is none counts as one. PUBLIC: of the word list
// alone. Pure. Cost: some 2 µs a term; at most kMostOfAStem²/2 relations a stem.
// Source: endings that come in pairs are the paradigms of Goldsmith, Unsupervised learning of the
// morphology of a natural language (2001).
#ifndef TOPICWALL_MODEL_LDA_DENOISE_PRIOR_RELATED_TERMS_H_
#define TOPICWALL_MODEL_LDA_DENOISE_PRIOR_RELATED_TERMS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace topicwall::lda {

inline constexpr int kKindsOfRelation = 8;
inline constexpr int kShortestStem = 3;
inline constexpr int kLongestEnding = 5;
inline constexpr std::size_t kMostOfAStem = 40;  // a stem of more words is none
inline constexpr std::size_t kMostOfAFamily = 64;

struct RelatedPair {
  uint32_t first;   // a term, below `second`
  uint32_t second;  // another one
  uint32_t kind;    // below kKindsOfRelation
};

using RelatedTerms = std::vector<RelatedPair>;

// By `first`, then by `second`; no pair twice.
RelatedTerms FindRelatedTerms(absl::Span<const std::string> vocabulary);

// INVALID_ARGUMENT unless they are such of a vocabulary of V terms, in that order.
absl::Status CheckRelatedTerms(absl::Span<const RelatedPair> related, int vocabulary_size);

// The relations of each term, from either side, and the families of terms that are related, be it
// through others. A relation that would make a family of more than kMostOfAFamily is left out:
// what is known of a family is in memory at once.
class RelationsOfTerms {
 public:
  struct Relation {
    uint32_t place;  // of the other one in their family
    uint32_t kind;
  };

  // Checked, of a vocabulary of so many terms.
  RelationsOfTerms(absl::Span<const RelatedPair> related, std::size_t vocabulary_size);

  absl::Span<const Relation> of(std::size_t term) const {
    return absl::MakeConstSpan(relations_)
        .subspan(begins_[term], begins_[term + 1] - begins_[term]);
  }

  // Each term is in one, many of them alone. Rising.
  const std::vector<std::vector<uint32_t>>& families() const { return families_; }

 private:
  std::vector<std::size_t> begins_;  // V + 1
  std::vector<Relation> relations_;
  std::vector<std::vector<uint32_t>> families_;
};

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_DENOISE_PRIOR_RELATED_TERMS_H_

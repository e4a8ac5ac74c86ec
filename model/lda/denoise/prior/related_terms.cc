// Every word is put under each stem that it may have, and two words are related under their longest
// common one. A pair of endings is counted before its words are related, so all pairs are held
// once.
#include "model/lda/denoise/prior/related_terms.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace topicwall::lda {
namespace {

// A pair of endings is of the first of these classes whose number of pairs of words it has; one
// that has not the last relates nothing.
constexpr std::array<std::size_t, 4> kCommonEndings = {100, 30, 10, 3};
constexpr std::size_t kLongStem = 5;
static_assert(kKindsOfRelation == 2 * kCommonEndings.size());

struct Form {
  absl::string_view ending;
  std::size_t stem_letters;
  uint32_t term;
};

bool BeginsALetter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

// The stems of a word, with what is left of it.
std::vector<std::pair<absl::string_view, Form>> StemsOf(absl::string_view word, uint32_t term) {
  std::size_t letters =
      static_cast<std::size_t>(std::count_if(word.begin(), word.end(), BeginsALetter));
  std::vector<std::pair<absl::string_view, Form>> stems;
  std::size_t at = word.size();
  for (int cut = 0; cut <= kLongestEnding && letters >= kShortestStem; ++cut, --letters) {
    stems.push_back({word.substr(0, at), {word.substr(at), letters, term}});
    do {
      if (at == 0) return stems;
      --at;
    } while (!BeginsALetter(word[at]));
  }
  return stems;
}

absl::string_view FirstLetter(absl::string_view text) {
  std::size_t end = text.empty() ? 0 : 1;
  while (end < text.size() && !BeginsALetter(text[end])) ++end;
  return text.substr(0, end);
}

// Of one stem and no longer one.
bool PartHere(const Form& left, const Form& right) {
  return left.ending.empty() || FirstLetter(left.ending) != FirstLetter(right.ending);
}

using Endings = std::pair<absl::string_view, absl::string_view>;

struct Candidate {
  Endings endings;
  std::size_t stem_letters;
  uint32_t first, second;
};

std::vector<Candidate> Candidates(absl::Span<const std::string> vocabulary) {
  std::map<absl::string_view, std::vector<Form>> forms_of;
  for (std::size_t term = 0; term < vocabulary.size(); ++term) {
    for (const auto& [stem, form] : StemsOf(vocabulary[term], static_cast<uint32_t>(term))) {
      forms_of[stem].push_back(form);
    }
  }
  std::vector<Candidate> candidates;
  for (const auto& [stem, forms] : forms_of) {
    if (forms.size() > kMostOfAStem) continue;
    for (std::size_t i = 0; i < forms.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (!PartHere(forms[i], forms[j])) continue;
        // Which of the two words comes first is chance: in both orders it is one pair of endings.
        candidates.push_back({.endings = std::minmax(forms[i].ending, forms[j].ending),
                              .stem_letters = forms[i].stem_letters,
                              .first = std::min(forms[i].term, forms[j].term),
                              .second = std::max(forms[i].term, forms[j].term)});
      }
    }
  }
  return candidates;
}

// Sets of terms that grow together, each known by its first.
class Families {
 public:
  explicit Families(std::size_t terms) : up_(terms), sizes_(terms, 1) {
    std::iota(up_.begin(), up_.end(), 0);
  }

  uint32_t FirstOf(uint32_t term) {
    while (up_[term] != term) term = up_[term] = up_[up_[term]];
    return term;
  }

  // False, and nothing is changed, if they would be more than kMostOfAFamily.
  bool Join(uint32_t one, uint32_t other) {
    const auto [first, second] = std::minmax({FirstOf(one), FirstOf(other)});
    if (first == second) return true;
    if (sizes_[first] + sizes_[second] > kMostOfAFamily) return false;
    sizes_[first] += sizes_[second];
    up_[second] = first;
    return true;
  }

 private:
  std::vector<uint32_t> up_;        // towards the first
  std::vector<std::size_t> sizes_;  // of firsts
};

}  // namespace

RelatedTerms FindRelatedTerms(absl::Span<const std::string> vocabulary) {
  const std::vector<Candidate> candidates = Candidates(vocabulary);
  std::map<Endings, std::size_t> pairs_of;
  for (const Candidate& candidate : candidates) ++pairs_of[candidate.endings];
  RelatedTerms related;
  for (const Candidate& candidate : candidates) {
    const std::size_t pairs = pairs_of[candidate.endings];
    const auto* const found = std::find_if(kCommonEndings.begin(), kCommonEndings.end(),
                                           [&](std::size_t fewest) { return pairs >= fewest; });
    if (found == kCommonEndings.end()) continue;
    const auto common = static_cast<uint32_t>(found - kCommonEndings.begin());
    related.push_back({.first = candidate.first,
                       .second = candidate.second,
                       .kind = 2 * common + (candidate.stem_letters >= kLongStem ? 1 : 0)});
  }
  std::sort(related.begin(), related.end(), [](const RelatedPair& left, const RelatedPair& right) {
    return std::tie(left.first, left.second) < std::tie(right.first, right.second);
  });
  return related;
}

absl::Status CheckRelatedTerms(absl::Span<const RelatedPair> related, int vocabulary_size) {
  const RelatedPair* before = nullptr;
  for (const RelatedPair& pair : related) {
    const bool is_ordered = before == nullptr || std::tie(before->first, before->second) <
                                                     std::tie(pair.first, pair.second);
    if (!(pair.first < pair.second && int64_t{pair.second} < vocabulary_size &&
          pair.kind < kKindsOfRelation && is_ordered)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "related_terms must rise, be below ", vocabulary_size, " and of a kind below ",
          kKindsOfRelation, "; got ", pair.first, ", ", pair.second, " of kind ", pair.kind, "."));
    }
    before = &pair;
  }
  return absl::OkStatus();
}

RelationsOfTerms::RelationsOfTerms(absl::Span<const RelatedPair> related,
                                   std::size_t vocabulary_size)
    : begins_(vocabulary_size + 1, 0) {
  Families families(vocabulary_size);
  RelatedTerms kept;
  for (const RelatedPair& pair : related) {
    if (families.Join(pair.first, pair.second)) kept.push_back(pair);
  }
  std::vector<std::size_t> family_of(vocabulary_size);
  std::vector<uint32_t> places(vocabulary_size);
  for (uint32_t v = 0; v < vocabulary_size; ++v) {
    const uint32_t first = families.FirstOf(v);
    if (first == v) {
      family_of[v] = families_.size();
      families_.emplace_back();
    }
    std::vector<uint32_t>& family = families_[family_of[first]];
    places[v] = static_cast<uint32_t>(family.size());
    family.push_back(v);
  }
  for (const RelatedPair& pair : kept) {
    ++begins_[pair.first + 1];
    ++begins_[pair.second + 1];
  }
  for (std::size_t v = 0; v < vocabulary_size; ++v) begins_[v + 1] += begins_[v];
  relations_.resize(begins_.back());
  std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
  for (const RelatedPair& pair : kept) {
    relations_[next[pair.first]++] = {places[pair.second], pair.kind};
    relations_[next[pair.second]++] = {places[pair.first], pair.kind};
  }
}

}  // namespace topicwall::lda

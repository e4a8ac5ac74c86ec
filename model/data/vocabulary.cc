#include "model/data/vocabulary.h"

#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "model/data/tokenizer.h"
#include "model/data/utf8.h"

namespace topicwall::lda {
namespace {

absl::Status TermError(size_t index, absl::string_view rule, absl::string_view term) {
  return absl::InvalidArgumentError(absl::StrCat("vocabulary term ", index + 1, " ", rule,
                                                 "; got \"", absl::CHexEscape(term.substr(0, 40)),
                                                 "\""));
}

}  // namespace

absl::StatusOr<Vocabulary> Vocabulary::Create(std::vector<std::string> terms) {
  for (size_t i = 0; i < terms.size(); ++i) {
    if (!IsOneToken(terms[i])) {
      return TermError(i,
                       "must be one token of words-1 (valid UTF-8 of lower-case ASCII letters and "
                       "non-ASCII characters)",
                       terms[i]);
    }
  }
  return CreateDistinct(std::move(terms));
}

absl::StatusOr<Vocabulary> Vocabulary::CreateOpaque(std::vector<std::string> terms) {
  for (size_t i = 0; i < terms.size(); ++i) {
    // In a vocabulary's file, and in its digest, a line is a term.
    if (terms[i].empty() || !IsValidUtf8(terms[i]) ||
        terms[i].find_first_of("\r\n") != std::string::npos) {
      return TermError(i, "must be valid UTF-8 of at least one character without line breaks",
                       terms[i]);
    }
  }
  return CreateDistinct(std::move(terms));
}

absl::StatusOr<Vocabulary> Vocabulary::CreateDistinct(std::vector<std::string> terms) {
  constexpr size_t kMostTerms = std::numeric_limits<int32_t>::max();  // matrices count in int
  if (terms.empty() || terms.size() > kMostTerms) {
    return absl::InvalidArgumentError(
        absl::StrCat("vocabulary must have 1 to 2^31 - 1 terms; got ", terms.size()));
  }
  Vocabulary vocabulary;
  vocabulary.terms_ = std::move(terms);
  vocabulary.numbers_.reserve(vocabulary.terms_.size());
  for (size_t i = 0; i < vocabulary.terms_.size(); ++i) {
    const std::string& term = vocabulary.terms_[i];
    if (!vocabulary.numbers_.emplace(term, static_cast<uint32_t>(i)).second) {
      return TermError(i, "must be different from all before it", term);
    }
  }
  return vocabulary;
}

std::optional<uint32_t> Vocabulary::Find(absl::string_view term) const {
  const auto found = numbers_.find(term);
  if (found == numbers_.end()) return std::nullopt;
  return found->second;
}

}  // namespace topicwall::lda

#include "server/corpus/ingest/document_reader.h"

#include "absl/strings/string_view.h"
#include "model/data/tokenizer.h"
#include "model/data/vocabulary.h"

namespace topicwall::corpus {

// Each says which rule was broken and nothing of what was found: the texts go into messages and
// JSON.
absl::string_view Describe(Problem problem) {
  switch (problem) {
    case Problem::kNone:
      return "has no problem";
    case Problem::kTooLong:
      return "is longer than 16 MiB";
    case Problem::kNotUtf8:
      return "is not valid UTF-8";
    case Problem::kNotJson:
      return "is not one JSON object with each field once";
    case Problem::kNoId:
      return "has no \"id\" that is a non-empty string";
    case Problem::kNoOwner:
      return "has no \"owner\" that is a non-empty string";
    case Problem::kNoText:
      return "has no \"text\" that is a string";
    case Problem::kEmpty:
      return "is empty";
    case Problem::kOutOfVocabulary:
      return "has no word of the vocabulary";
    case Problem::kBadCount:
      return "has a count below 1 or above 4294967295";
    case Problem::kBadTerm:
      return "has a term number outside the vocabulary, or twice";
    case Problem::kBadVector:
      return "has no vector of as many finite numbers as there are dimensions";
    case Problem::kUnreadable:
      return "cannot be read";
  }
  return "has an unknown problem";
}

Problem CountText(absl::string_view text, const lda::Vocabulary& vocabulary,
                  SourceDocument* document) {
  if (text.empty()) return Problem::kEmpty;
  if (!lda::CountTerms(text, vocabulary, &document->counts).ok()) return Problem::kNotUtf8;
  // A document without a known word would be a unit that adds nothing but is counted among the
  // units.
  return document->counts.empty() ? Problem::kOutOfVocabulary : Problem::kNone;
}

}  // namespace topicwall::corpus

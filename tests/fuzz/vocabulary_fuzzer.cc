// A vocabulary file (server/corpus/ingest/vocabulary_file.h) for texts and for counts.
#include "absl/strings/str_cat.h"
#include "model/data/tokenizer.h"
#include "model/data/utf8.h"
#include "server/corpus/ingest/vocabulary_file.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/memory_file.h"

namespace topicwall::fuzz {
namespace {

// A term is shown, and a line holds 4,096 bytes at most.
const RefusalRules& Rules() {
  static const RefusalRules& rules = *new RefusalRules{
      .codes = {absl::StatusCode::kInvalidArgument}, .longest_message = 4096 + 300};
  return rules;
}

std::string AsFile(const lda::Vocabulary& vocabulary) {
  std::string text;
  for (const std::string& term : vocabulary.terms()) absl::StrAppend(&text, term, "\n");
  return text;
}

void RequireVocabulary(const lda::Vocabulary& vocabulary) {
  Require(vocabulary.size() >= 1, "a vocabulary has a term");
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    const std::string& term = vocabulary.terms()[i];
    Require(vocabulary.Find(term) == static_cast<uint32_t>(i), "every term is found by its number");
    Require(!term.empty() && lda::IsValidUtf8(term) && term.find('\n') == std::string::npos,
            "a term is a text without line breaks");
  }
}

Verdict Run(absl::string_view input) {
  static MemoryFile& file = *new MemoryFile();
  file.Replace(input);
  const auto labels = corpus::ReadVocabularyFile(file.path(), corpus::TermUse::kLabels);
  const auto tokens = corpus::ReadVocabularyFile(file.path(), corpus::TermUse::kTokens);
  if (!labels.ok()) {
    Require(!tokens.ok(), "what is no list of labels is no list of tokens");
    Refuse(tokens.status(), Rules());
    return Refuse(labels.status(), Rules());
  }
  RequireVocabulary(*labels);
  if (!tokens.ok()) {
    Refuse(tokens.status(), Rules());
  } else {
    for (const std::string& term : tokens->terms()) {
      Require(lda::IsOneToken(term), "a term for texts is one token");
    }
  }
  file.Replace(AsFile(*labels));
  const auto again = corpus::ReadVocabularyFile(file.path(), corpus::TermUse::kLabels);
  Require(again.ok() && again->terms() == labels->terms(), "a vocabulary reads back from its file");
  return Verdict::kAccepted;
}

std::vector<std::string> Seeds() {
  return {"cat\ndog\n", "cat\r\ndog", "two words\n42\n\xC3\xA9t\xC3\xA9\n",
          "\xEF\xBB\xBF\xEF\xBB\xBF"
          "cat\n"};
}

[[maybe_unused]] const bool registered =
    Register({.name = "vocabulary", .run = Run, .seeds = Seeds});

}  // namespace
}  // namespace topicwall::fuzz

// `topicwall count`: text as counts of a given word list, for models of counted corpora, whose
// tokenizer nobody knows. No wall is asked. What the words of the list were made by is the
// analyst's to know: they are found here by words-1 (model/data/tokenizer.h), whole and in lower
// case, and those that it can never find are told.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "client/commands/command.h"
#include "client/evaluate/document_reader.h"
#include "client/fit/fit_outcome.h"
#include "client/fit/model_directory.h"
#include "model/data/tokenizer.h"

namespace topicwall::client {
namespace {

struct CountFlags {
  std::string words;  // a file, or the folder of a model
  std::string documents;
  std::string format = "jsonl";
};

absl::StatusOr<lda::Vocabulary> WordsOf(const std::string& path) {
  // As they are: a counted corpus' words need not be what a tokenizer makes.
  if (!HoldsFit(path)) return ReadVocabulary(path, lda::kCountsTokenizerName);
  TW_ASSIGN_OR_RETURN(const v1::ModelFile file, ReadModelSoFar(path));
  return lda::Vocabulary::CreateOpaque({file.terms().begin(), file.terms().end()});
}

// What text can never give a count of.
std::string UnfindableText(const lda::Vocabulary& words) {
  const auto& terms = words.terms();
  const auto first = std::find_if_not(terms.begin(), terms.end(), lda::IsOneToken);
  if (first == terms.end()) return "";
  return absl::StrCat(std::count_if(first, terms.end(),
                                    [](const std::string& term) { return !lda::IsOneToken(term); }),
                      " of the ", terms.size(),
                      " words are never found in text, which is cut into words of letters in lower "
                      "case; the first is \"",
                      *first, "\".");
}

// Bag-of-words of the UCI repository.
std::string UciOf(const lda::DocumentList& documents, size_t words) {
  std::string uci = absl::StrCat(documents.size(), "\n", words, "\n", documents.entries.size());
  for (size_t d = 0; d < documents.size(); ++d) {
    for (const lda::TermCount& entry : documents[d]) {
      // Documents without a known word have no line; the first number of the file counts them all
      // the same.
      absl::StrAppend(&uci, "\n", d + 1, " ", entry.term + 1, " ", entry.count);
    }
  }
  return uci;
}

std::string CountsJson(const lda::DocumentList& documents, const lda::Vocabulary& words) {
  std::vector<base::JsonObject> items;
  for (size_t d = 0; d < documents.size(); ++d) {
    std::vector<base::JsonObject> counts;
    for (const lda::TermCount& entry : documents[d]) {
      counts.push_back(base::JsonObject()
                           .SetString("word", words.terms()[entry.term])
                           .SetInteger("count", entry.count));
    }
    items.push_back(base::JsonObject()
                        .SetInteger("document", static_cast<int64_t>(d) + 1)
                        .SetObjects("counts", counts));
  }
  return base::JsonObject().SetObjects("documents", items).Text();
}

absl::Status RunCount(const CountFlags& flags, const Invocation& invocation, Terminal& terminal) {
  TW_ASSIGN_OR_RETURN(const lda::Vocabulary words, WordsOf(flags.words));
  TW_ASSIGN_OR_RETURN(const lda::DocumentList documents,
                      ReadDocuments(flags.documents, FormatOf(flags.format),
                                    {.vocabulary = words, .tokenizer = lda::kTokenizerName}));
  const std::string unfindable = UnfindableText(words);
  if (!unfindable.empty()) terminal.Remark(unfindable);
  terminal.Print(invocation.json ? CountsJson(documents, words) : UciOf(documents, words.size()));
  return absl::OkStatus();
}

}  // namespace

void AddCount(base::Command app, Invocation& invocation) {
  auto [command, flags] = AddCommand(
      app, invocation,
      {.name = "count",
       .description =
           "Count the words of a list in documents of your own, as UCI bag-of-words: what "
           "models of counted corpora take in place of text (--format uci)",
       .example = "topicwall count words.txt --documents mine.jsonl > mine.uci\n"
                  "  topicwall count notes.model --documents mine.jsonl > mine.uci"},
      RunCount);
  command.Add("words", flags->words, "Word list, a word a line, or folder of a model").Required();
  command.Add("--documents", flags->documents, "Documents of your own").Required();
  AddFormat(command, &flags->format);
}

}  // namespace topicwall::client

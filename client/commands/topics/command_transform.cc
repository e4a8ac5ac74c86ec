// `topicwall transform`: of which topics documents of one's own are. No wall is asked, and nothing
// of the documents leaves this machine. The arithmetic is that of `topicwall perplexity`.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/csv.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "client/commands/command.h"
#include "client/evaluate/document_reader.h"
#include "client/evaluate/document_shares.h"
#include "client/fit/model_file.h"

namespace topicwall::client {
namespace {

struct TransformFlags {
  std::string model;
  std::string documents;
  std::string format = "jsonl";
};

struct Transformed {
  size_t topics;
  std::vector<int64_t> words;  // of each document, that the model knows
  std::vector<double> proportions;
};

absl::StatusOr<Transformed> TransformDocuments(const TransformFlags& flags, Terminal& terminal) {
  TW_ASSIGN_OR_RETURN(const v1::ModelFile file, ReadModelShown(flags.model, terminal));
  TW_RETURN_IF_ERROR(CheckIsOfWords(file));
  TW_ASSIGN_OR_RETURN(const lda::Vocabulary vocabulary, VocabularyOf(file));
  TW_ASSIGN_OR_RETURN(const lda::DocumentList documents,
                      ReadDocuments(flags.documents, FormatOf(flags.format),
                                    {.vocabulary = vocabulary, .tokenizer = file.tokenizer()}));
  Transformed result = {
      .topics = static_cast<size_t>(file.num_topics()), .words = {}, .proportions = {}};
  for (size_t d = 0; d < documents.size(); ++d) {
    result.words.push_back(lda::TokenCount(documents[d]));
  }
  TW_ASSIGN_OR_RETURN(result.proportions, SharesOfDocuments(file, documents));
  return result;
}

// A header, then a row for each document.
std::string CsvOf(const Transformed& result) {
  std::string csv = "document,known_words";
  for (size_t k = 0; k < result.topics; ++k) absl::StrAppend(&csv, ",topic_", k + 1);
  for (size_t d = 0; d < result.words.size(); ++d) {
    // Lines end as RFC 4180 has them, in which CSV is read by spreadsheets too.
    absl::StrAppend(&csv, "\r\n", d + 1, ",", result.words[d]);
    for (size_t k = 0; k < result.topics; ++k) {
      absl::StrAppend(&csv, ",", base::CsvNumber(result.proportions[d * result.topics + k]));
    }
  }
  return csv;
}

std::string JsonTextOf(const Transformed& result) {
  std::vector<base::JsonObject> documents;
  for (size_t d = 0; d < result.words.size(); ++d) {
    std::vector<std::string> proportions;
    for (size_t k = 0; k < result.topics; ++k) {
      proportions.push_back(base::JsonNumber(result.proportions[d * result.topics + k]));
    }
    documents.push_back(base::JsonObject()
                            .SetInteger("document", static_cast<int64_t>(d) + 1)
                            .SetInteger("known_words", result.words[d])
                            .SetRaw("topics", base::JsonArray(proportions)));
  }
  return base::JsonObject().SetObjects("documents", documents).Text();
}

absl::Status Transform(const TransformFlags& flags, const Invocation& invocation,
                       Terminal& terminal) {
  TW_ASSIGN_OR_RETURN(const Transformed result, TransformDocuments(flags, terminal));
  terminal.Print(invocation.json ? JsonTextOf(result) : CsvOf(result));
  return absl::OkStatus();
}

}  // namespace

void AddTransform(base::Command app, Invocation& invocation) {
  auto [command, flags] = AddCommand(
      app, invocation,
      {.name = "transform",
       .description =
           "Of which topics each document of your own is, as CSV: its number, words that "
           "the model knows, and the share of each topic (of a mixture, how likely the document is "
           "of it); without such a word, what the model expects of any document. With --json, "
           "topics is the list of shares",
       .example = "topicwall transform notes.model --documents mine.jsonl > mine.csv"},
      Transform);
  command.Add("model", flags->model, "Folder of the model").Required();
  command.Add("--documents", flags->documents, "Documents of your own").Required();
  AddFormat(command, &flags->format);
}

}  // namespace topicwall::client

// `topicwall learn-prior`: the topics of a model with another α, one number for each topic. The
// model is written to a folder of its own; the first one stays what was released and paid for. What
// α says of the documents it says without noise, and `fit --init` shows it to the wall: hence the
// help's last sentence.
#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "base/threads/for_each_block.h"
#include "client/commands/command.h"
#include "client/evaluate/document_reader.h"
#include "client/fit/model_directory.h"
#include "client/fit/model_file.h"
#include "model/lda/topics/learned_prior.h"

namespace topicwall::client {
namespace {

struct LearnPriorFlags {
  std::string model;
  std::string documents;
  std::string format = "jsonl";
  std::string out;
};

struct Learned {
  lda::LearnedPrior prior;
  int64_t documents;  // with a known word
};

std::string TextOf(const Learned& learned, const std::string& out) {
  const absl::Span<const double> alphas = learned.prior.prior.values();
  const auto [smallest, largest] = std::minmax_element(alphas.begin(), alphas.end());
  const std::string source =
      absl::StrFormat("%d documents in %d rounds", learned.documents, learned.prior.rounds);
  return absl::StrFormat("%s: the same topics with alpha %s, from %.4f to %.4f, %.4f in all.", out,
                         learned.prior.is_kept
                             ? absl::StrCat("as it was: the one learned from ", source,
                                            " predicts worse, and alpha is kept")
                             : absl::StrCat("learned from ", source),
                         *smallest, *largest, std::accumulate(alphas.begin(), alphas.end(), 0.0));
}

std::string JsonTextOf(const Learned& learned, const std::string& out) {
  std::vector<std::string> alphas;
  for (const double alpha : learned.prior.prior.values()) alphas.push_back(base::JsonNumber(alpha));
  return base::JsonObject()
      .SetString("model", out)
      .SetInteger("documents", learned.documents)
      .SetInteger("rounds", learned.prior.rounds)
      .SetBool("kept", learned.prior.is_kept)
      .SetRaw("document_topic_prior", base::JsonArray(alphas))
      .Text();
}

// Empty ones have no say in α, and would make it look better founded than it is.
int64_t CountNonEmpty(const lda::DocumentList& documents) {
  int64_t count = 0;
  for (size_t i = 0; i < documents.size(); ++i) count += documents[i].empty() ? 0 : 1;
  return count;
}

absl::StatusOr<Learned> Learn(const LearnPriorFlags& flags, const v1::ModelFile& file) {
  TW_ASSIGN_OR_RETURN(const lda::TopicModel model, ModelOf(file));
  TW_ASSIGN_OR_RETURN(const lda::Vocabulary vocabulary, VocabularyOf(file));
  TW_ASSIGN_OR_RETURN(const lda::DocumentList documents,
                      ReadDocuments(flags.documents, FormatOf(flags.format),
                                    {.vocabulary = vocabulary, .tokenizer = file.tokenizer()}));
  TW_ASSIGN_OR_RETURN(
      lda::LearnedPrior prior,
      lda::LearnDocumentTopicPrior(model, documents, {.num_threads = lda::NumProcessors()}));
  return Learned{.prior = std::move(prior), .documents = CountNonEmpty(documents)};
}

absl::Status RunLearnPrior(const LearnPriorFlags& flags, const Invocation& invocation,
                           Terminal& terminal) {
  TW_ASSIGN_OR_RETURN(v1::ModelFile file, ReadModelShown(flags.model, terminal));
  TW_RETURN_IF_ERROR(CheckIsOfTopics(file, flags.model));
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<ModelDirectory> directory,
                      // Before the work: a folder that is taken should not be found out after it.
                      ModelDirectory::OpenNew(flags.out));
  TW_ASSIGN_OR_RETURN(const Learned learned, Learn(flags, file));
  // One that is kept was not learned from these documents, and says nothing of them.
  if (!learned.prior.is_kept) {
    const absl::Span<const double> alphas = learned.prior.prior.values();
    file.mutable_document_topic_prior()->Assign(alphas.begin(), alphas.end());
    file.set_prior_documents(learned.documents);
  }
  TW_RETURN_IF_ERROR(directory->Finish(file));
  terminal.Print(invocation.json ? JsonTextOf(learned, flags.out) : TextOf(learned, flags.out));
  return absl::OkStatus();
}

}  // namespace

void AddLearnPrior(base::Command app, Invocation& invocation) {
  auto [command, flags] = AddCommand(
      app, invocation,
      {.name = "learn-prior",
       .description = "Learn from documents of your own how common each topic of a model is (its "
                      "alpha); writes a model that perplexity and fit --init take. Whoever gets "
                      "that model, or a request made with it, learns that much of the documents",
       .example = "topicwall learn-prior notes.model --documents mine.jsonl --out tuned.model"},
      RunLearnPrior);
  command.Add("model", flags->model, "Folder of the model").Required();
  command.Add("--documents", flags->documents, "Documents of your own").Required();
  AddFormat(command, &flags->format);
  command.Add("--out", flags->out, "Folder of the new model").Required();
}

}  // namespace topicwall::client

// `topicwall perplexity`: of documents of one's own (here; free, no wall is asked), or of units
// behind the wall (wall_perplexity.cc; a plan that is paid for). Perplexities can only be compared
// on the same tokens, so a unigram's is computed beside the model's; behind the wall that would be
// a plan of its own.
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "base/table.h"
#include "client/commands/command.h"
#include "client/commands/topics/gaussian_text.h"
#include "client/commands/wall_perplexity.h"
#include "client/evaluate/document_reader.h"
#include "client/evaluate/evaluator.h"
#include "client/exit_code.h"
#include "client/fit/fit_spec.h"
#include "client/fit/model_file.h"

namespace topicwall::client {
namespace {

struct PerplexityFlags {
  std::string model;
  std::string documents;
  std::string unigram_documents;  // empty: the model's own marginal
  std::string format = "jsonl";
  uint64_t seed = 1;
  WallPerplexityFlags wall;
};

// Said with the number, for the three are of different worth: public text is not of the corpus, and
// the model's own marginal is as noisy as the model.
std::string UnigramSource(const PerplexityFlags& flags, const v1::ModelFile& file) {
  if (!flags.unigram_documents.empty()) {
    return absl::StrCat("counts of ", flags.unigram_documents, ", not private");
  }
  return file.term_probabilities().empty() ? "the model's own marginal"
                                           : "the private word frequencies of its fit";
}

// The bound is shown where it can be held beside the paper's figures. Under topics whose prior is
// as small as ours it is e to the power of one over that, which says nothing of them.
std::string TextOf(const Evaluation& result, const v1::ModelFile& file,
                   const std::string& unigram_source) {
  base::Table table;
  table.AddRow({"document completion", absl::StrFormat("%.1f", result.completion.perplexity),
                absl::StrCat(result.completion.tokens, " tokens scored, topics from the others")});
  table.AddRow({"unigram", absl::StrFormat("%.1f", result.unigram.perplexity),
                absl::StrCat("the same tokens under ", unigram_source)});
  if (result.bound.has_value() && file.algorithm() == kPaper) {
    table.AddRow({"variational bound", absl::StrFormat("%.1f", result.bound->perplexity),
                  absl::StrCat(result.bound->tokens, " tokens, each also seen")});
  }
  if (result.whole_documents.has_value()) {
    table.AddRow({"whole documents", absl::StrFormat("%.1f", result.whole_documents->perplexity),
                  absl::StrCat(result.whole_documents->tokens,
                               " tokens, all of a document at once: not to compare with topics")});
  }
  return absl::StrCat("perplexity (natural base, lower is better) of ", result.documents,
                      " documents",
                      result.empty_documents > 0
                          ? absl::StrCat("; ", result.empty_documents, " more have no known word")
                          : "",
                      "\n", table.Text(2));
}

std::string JsonTextOf(const Evaluation& result, const v1::ModelFile& file,
                       const std::string& unigram_source) {
  base::JsonObject object;
  SetStanding(file, object);
  object.SetInteger("documents", result.documents)
      .SetInteger("empty_documents", result.empty_documents)
      .SetString("base", "e")
      .SetNumber("document_completion", result.completion.perplexity)
      .SetInteger("document_completion_tokens", result.completion.tokens)
      .SetNumber("unigram", result.unigram.perplexity)
      .SetString("unigram_source", unigram_source);
  if (result.bound.has_value()) {
    object.SetNumber("variational_bound", result.bound->perplexity)
        .SetInteger("variational_bound_tokens", result.bound->tokens);
  }
  if (result.whole_documents.has_value()) {
    object.SetNumber("whole_documents", result.whole_documents->perplexity)
        .SetInteger("whole_documents_tokens", result.whole_documents->tokens);
  }
  return object.Text();
}

absl::Status ShowPerplexity(const PerplexityFlags& flags, const Invocation& invocation,
                            Terminal& terminal) {
  TW_ASSIGN_OR_RETURN(const v1::ModelFile file, ReadModelShown(flags.model, terminal));
  if (file.has_gaussian()) {
    // A density of vectors is no perplexity: its seed, format and unigram mean nothing there.
    TW_ASSIGN_OR_RETURN(const std::string text,
                        LogLikelihoodText(file, flags.documents, invocation.json));
    terminal.Print(text);
    return absl::OkStatus();
  }
  TW_ASSIGN_OR_RETURN(const lda::TopicModel model, ModelOf(file));
  TW_ASSIGN_OR_RETURN(const lda::Vocabulary vocabulary, VocabularyOf(file));
  const DocumentFormat format = FormatOf(flags.format);
  const TermRule rule = {.vocabulary = vocabulary, .tokenizer = file.tokenizer()};
  TW_ASSIGN_OR_RETURN(const lda::DocumentList documents,
                      ReadDocuments(flags.documents, format, rule));
  EvaluationOptions options = {.seed = flags.seed, .term_probabilities = CorpusOf(file)};
  lda::DocumentList unigram;
  if (!flags.unigram_documents.empty()) {
    TW_ASSIGN_OR_RETURN(unigram, ReadDocuments(flags.unigram_documents, format, rule));
    // It would be a fair die with as many sides as there are words, and nobody would see it.
    if (lda::TokenCount(unigram) == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("unigram-documents must have words of the model's list; ",
                       flags.unigram_documents, " has none. Name other text, or leave it out."));
    }
    options.unigram_documents = &unigram;
  }
  const absl::Span<const double> components = file.component_weights();
  TW_ASSIGN_OR_RETURN(const Evaluation result,
                      components.empty() ? Evaluate(model, documents, options)
                                         : EvaluateMixture(model, components, documents, options));
  const std::string source = UnigramSource(flags, file);
  terminal.Print(invocation.json ? JsonTextOf(result, file, source) : TextOf(result, file, source));
  return absl::OkStatus();
}

absl::Status RunPerplexity(const PerplexityFlags& flags, const Invocation& invocation,
                           Terminal& terminal) {
  // Never by default: one of the two spends budget.
  if (flags.documents.empty() == flags.wall.corpus.empty()) {
    return UsageError("one of --documents and --behind-the-wall is required.");
  }
  if (!flags.wall.corpus.empty()) {
    return ShowWallPerplexity(flags.model, flags.wall, invocation, terminal);
  }
  // Whoever gives a price means the paid one, and has forgotten the flag that says so.
  if (HasWallFlags(flags.wall)) {
    return UsageError(
        "documents of your own cost nothing: prices and shares are of "
        "--behind-the-wall.");
  }
  return ShowPerplexity(flags, invocation, terminal);
}

}  // namespace

void AddPerplexity(base::Command app, Invocation& invocation) {
  auto [command, flags] = AddWallCommand(
      app, invocation,
      {.name = "perplexity",
       .description = "How well a model predicts documents of your own, with a unigram beside it; "
                      "or units held out behind the wall, which is paid for",
       .example = "topicwall perplexity notes.model --documents mine.jsonl\n"
                  "  topicwall perplexity notes.model --behind-the-wall notes --spend 0.02"},
      RunPerplexity);
  command.Add("model", flags->model, "Folder of the model").Required();
  command.Add("--documents", flags->documents,
              "Documents of your own to score; of a model of vectors JSON lines with a vector, or "
              ".npy");
  command.Add("--unigram-documents", flags->unigram_documents,
              "Public text to count the unigram from (otherwise the private one of the fit, or the "
              "model's own marginal)");
  AddFormat(command, &flags->format);
  command.Add("--seed", flags->seed, "Of the split of a document's tokens").ShowDefault();
  AddWallPerplexityFlags(command, flags->wall);
}

}  // namespace topicwall::client

// topicwall-study: compares ways to train private topics on public documents. See --help.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <string>
#include <utility>

#include "accountant/status_macros.h"
#include "client/document_reader.h"
#include "client/plain_fit.h"
#include "deploy/study/noise_allocation.h"
#include "deploy/study/private_training.h"
#include "deploy/study/recipe.h"
#include "deploy/study/score.h"
#include "deploy/study/simulated_wall.h"
#include "lda/held_out_perplexity.h"
#include "lda/vocabulary.h"

namespace topicwall::study {
namespace {

struct Arguments {
  std::string documents, held_out, vocabulary, recipes = "-";
  int64_t most_documents = 0;
  double yardstick = 0;
  int num_threads = 1;
  bool choices = false;
};

// What every recipe is trained on and judged by.
struct Experiment {
  lda::DocumentList documents;
  lda::TokenSplit split;
  int vocabulary_size = 0;
  std::vector<double> unigram;
};

absl::StatusOr<lda::Vocabulary> ReadVocabulary(const std::string& path, bool opaque) {
  std::ifstream file(path);
  std::vector<std::string> terms;
  for (std::string line; std::getline(file, line);) terms.push_back(line);
  return opaque ? lda::Vocabulary::CreateOpaque(std::move(terms))
                : lda::Vocabulary::Create(std::move(terms));
}

bool IsText(const std::string& path) {
  return path.size() > 6 && path.compare(path.size() - 6, 6, ".jsonl") == 0;
}

// At most so many of the documents, at even distances: a corpus may be in the order of its years.
void TakeSome(int64_t most, lda::DocumentList* documents) {
  const size_t all = documents->size(), wanted = static_cast<size_t>(most);
  if (most <= 0 || wanted >= all) return;
  lda::DocumentList some;
  for (size_t i = 0; i < wanted; ++i) some.Append((*documents)[i * all / wanted]);
  *documents = std::move(some);
}

absl::StatusOr<Experiment> Read(const Arguments& arguments) {
  TW_ASSIGN_OR_RETURN(const lda::Vocabulary vocabulary,
                      ReadVocabulary(arguments.vocabulary, !IsText(arguments.documents)));
  const client::TermRule rule = {.vocabulary = vocabulary, .tokenizer = "words-1"};
  const auto read = [&rule](const std::string& path) {
    return client::ReadDocuments(
        path, IsText(path) ? client::DocumentFormat::kJsonl : client::DocumentFormat::kUci, rule);
  };
  Experiment experiment;
  TW_ASSIGN_OR_RETURN(experiment.documents, read(arguments.documents));
  TW_ASSIGN_OR_RETURN(const lda::DocumentList held_out, read(arguments.held_out));
  TakeSome(arguments.most_documents, &experiment.documents);
  experiment.split = lda::SplitTokens(held_out, /*seed=*/1);
  experiment.vocabulary_size = static_cast<int>(vocabulary.size());
  TW_ASSIGN_OR_RETURN(
      experiment.unigram,
      lda::SmoothedTermProbabilities(experiment.documents, experiment.vocabulary_size, 0.1));
  return experiment;
}

absl::Status RunPlainly(const Recipe& recipe, const Experiment& experiment,
                        const Arguments& arguments) {
  TW_ASSIGN_OR_RETURN(const lda::TopicModel model,
                      client::FitPlainly({.documents = experiment.documents,
                                          .vocabulary_size = experiment.vocabulary_size},
                                         {.num_topics = static_cast<int>(recipe.num_topics),
                                          .passes = static_cast<int>(recipe.online),
                                          .seed = static_cast<uint64_t>(recipe.seed)}));
  TW_ASSIGN_OR_RETURN(const Scores scores,
                      ScoreModel(model, experiment.split, arguments.num_threads));
  std::printf("%7.1f %7.1f | %s\n", scores.perplexity, scores.document_perplexity,
              recipe.text.c_str());
  std::fflush(stdout);
  return absl::OkStatus();
}

absl::Status RunRecipe(const Recipe& recipe, const Experiment& experiment,
                       const Arguments& arguments, const Scores& unigram) {
  const std::clock_t start = std::clock();
  SimulatedWall wall({.documents = experiment.documents,
                      .vocabulary_size = experiment.vocabulary_size,
                      .seed = static_cast<uint64_t>(recipe.seed) * 104729 + 7,
                      .num_threads = arguments.num_threads});
  TW_ASSIGN_OR_RETURN(const Trained trained,
                      TrainPrivately(recipe, {.wall = wall,
                                              .vocabulary_size = experiment.vocabulary_size,
                                              .true_unigram = experiment.unigram,
                                              .num_threads = arguments.num_threads}));
  TW_ASSIGN_OR_RETURN(const Scores scores,
                      ScoreModel(trained.model, experiment.split, arguments.num_threads));
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  const Scores private_unigram = ScoreUnigram(trained.unigram, experiment.split.scored);
  std::printf("%7.1f %7.1f ", scores.perplexity, scores.document_perplexity);
  if (arguments.yardstick > 0) {
    std::printf("%6.2f ",
                100 * GapClosed(scores.perplexity, unigram.perplexity, arguments.yardstick));
  }
  std::printf("uni %.1f C %.2f kept %.3f noise %.2f junk %d cpu %.1f | %s\n",
              private_unigram.perplexity, trained.clip_norm, trained.kept_words,
              trained.noise_deviation, trained.junk_topics, seconds, recipe.text.c_str());
  std::fflush(stdout);
  return absl::OkStatus();
}

absl::Status Run(const Arguments& arguments) {
  TW_ASSIGN_OR_RETURN(const Experiment experiment, Read(arguments));
  const Scores unigram = ScoreUnigram(experiment.unigram, experiment.split.scored);
  std::printf("documents %zu words %lld terms %d; unigram %.1f, by document %.1f\n",
              experiment.documents.size(),
              static_cast<long long>(lda::TokenCount(experiment.documents)),
              experiment.vocabulary_size, unigram.perplexity, unigram.document_perplexity);
  std::ifstream file;
  if (arguments.recipes != "-") file.open(arguments.recipes);
  std::istream& lines = arguments.recipes == "-" ? std::cin : file;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    TW_ASSIGN_OR_RETURN(const Recipe recipe, ParseRecipe(line));
    TW_RETURN_IF_ERROR(recipe.online > 0 ? RunPlainly(recipe, experiment, arguments)
                                         : RunRecipe(recipe, experiment, arguments, unigram));
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace topicwall::study

int main(int argc, char** argv) {
  topicwall::study::Arguments arguments;
  CLI::App app{"Trains private topics by the recipes given, one a line, and scores them."};
  app.add_option("--documents", arguments.documents, "training documents (UCI, or .jsonl)");
  app.add_option("--held-out", arguments.held_out, "documents to score");
  app.add_option("--vocabulary", arguments.vocabulary, "one term a line");
  app.add_option("--recipes", arguments.recipes, "file of recipes; - = standard input");
  app.add_option("--most-documents", arguments.most_documents, "use only the first of them");
  app.add_option("--yardstick", arguments.yardstick, "perplexity of the non-private model");
  app.add_option("--threads", arguments.num_threads);
  app.add_flag("--choices", arguments.choices, "list what a recipe may say, and stop");
  CLI11_PARSE(app, argc, argv);
  if (arguments.choices) {
    for (const std::string& choice : topicwall::study::RecipeChoices()) std::puts(choice.c_str());
    return 0;
  }
  const absl::Status status = topicwall::study::Run(arguments);
  if (status.ok()) return 0;
  std::cerr << "topicwall-study: " << status.message() << "\n";
  return 1;
}

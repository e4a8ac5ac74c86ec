// topicwall-study: compares ways to train private topics on public documents. See --help.
#include <topicwall_version.h>

#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <utility>

#include "base/command_line.h"
#include "base/standard_streams.h"
#include "base/status_macros.h"
#include "deploy/study/calibration.h"
#include "deploy/study/experiment.h"
#include "deploy/study/outcome.h"
#include "deploy/study/recipe.h"
#include "deploy/study/topic_matching.h"

namespace topicwall::study {
namespace {

struct Arguments {
  ExperimentFiles files;
  std::string recipes = "-";
  double yardstick = 0;
  int num_threads = 1;
  bool json = false;
  bool choices = false;
  bool calibrate = false;
};

void Say(const std::string& line) { base::Print(line + "\n"); }

// Runs the recipes as they come, and calls `take` with what each gave.
template <typename Take>
absl::Status ForEachRecipe(std::istream& lines, const Arguments& arguments,
                           const Experiment& experiment, const Take& take) {
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    TW_ASSIGN_OR_RETURN(const Recipe recipe, ParseRecipe(line));
    TW_ASSIGN_OR_RETURN(const Outcome outcome,
                        RunRecipe(recipe, experiment, arguments.num_threads));
    TW_RETURN_IF_ERROR(take(outcome));
  }
  return absl::OkStatus();
}

// The words of all models stand beside those of the first.
absl::Status RunAll(std::istream& lines, const Arguments& arguments, const Experiment& experiment) {
  const Scores unigram = ScoreUnigram(experiment.unigram, experiment.split.scored);
  Say(JsonOf(experiment, unigram));
  std::optional<Reference> reference;
  return ForEachRecipe(lines, arguments, experiment, [&](const Outcome& outcome) {
    if (!reference.has_value()) {
      reference =
          Reference{.model = outcome.trained.model, .topics = TypicalTopics(outcome.trained.model)};
    }
    Say(arguments.json ? JsonOf(outcome, experiment, *reference)
                       : TextOf(outcome, unigram, arguments.yardstick));
    return absl::OkStatus();
  });
}

// What is said of the fits, beside what is true, once all of them are there.
absl::Status Calibrate(std::istream& lines, const Arguments& arguments,
                       const Experiment& experiment) {
  Calibration calibration(experiment, arguments.num_threads);
  TW_RETURN_IF_ERROR(
      ForEachRecipe(lines, arguments, experiment,
                    [&calibration](const Outcome& outcome) { return calibration.Add(outcome); }));
  for (size_t i = 0; arguments.json && i < calibration.num_fits(); ++i) {
    Say(calibration.JsonOfFit(i));
  }
  if (!arguments.json) Say(calibration.Tables());
  return absl::OkStatus();
}

absl::Status RunFrom(std::istream& lines, const Arguments& arguments,
                     const Experiment& experiment) {
  return arguments.calibrate ? Calibrate(lines, arguments, experiment)
                             : RunAll(lines, arguments, experiment);
}

absl::Status Run(const Arguments& arguments) {
  TW_ASSIGN_OR_RETURN(const Experiment experiment, ReadExperiment(arguments.files));
  if (arguments.recipes == "-") return RunFrom(std::cin, arguments, experiment);
  std::ifstream file(arguments.recipes);
  if (!file) return absl::NotFoundError(arguments.recipes + " cannot be read.");
  return RunFrom(file, arguments, experiment);
}

}  // namespace
}  // namespace topicwall::study

int main(int argc, char** argv) {
  topicwall::base::OccupyStandardStreams();
  topicwall::study::Arguments arguments;
  topicwall::base::CommandLine line(
      {.program = "topicwall-study",
       .version = topicwall::kVersion,
       .description = "Trains topics by the recipes given, one a line, and scores them."});
  topicwall::base::Command app = line.root();
  app.Add("--documents", arguments.files.documents, "training documents (UCI, or .jsonl)");
  app.Add("--held-out", arguments.files.held_out, "documents to score");
  app.Add("--vocabulary", arguments.files.vocabulary, "one term a line");
  app.Add("--recipes", arguments.recipes, "file of recipes; - = standard input");
  app.Add("--most-documents", arguments.files.most_documents,
          "use only so many of them, at even distances");
  app.AddFlag("--by-owner", arguments.files.by_owner,
              "the privacy unit is the \"owner\" of a line, with all of its documents");
  app.Add("--yardstick", arguments.yardstick, "perplexity of the non-private model");
  app.Add("--threads", arguments.num_threads, "of the E-step").Positive();
  app.AddFlag("--json", arguments.json, "one JSON object a recipe");
  app.AddFlag("--calibrate", arguments.calibrate,
              "instead of scores: how often what is said of words and topics is true "
              "(calibration.h)");
  app.AddFlag("--choices", arguments.choices, "list what a recipe may say, and stop");
  const std::optional<int> code = line.Parse(argc, argv);
  if (code.has_value()) return *code;
  if (arguments.choices) {
    for (const std::string& choice : topicwall::study::RecipeChoices()) {
      topicwall::study::Say(choice);
    }
    return topicwall::base::CodeAfterPrinting("topicwall-study", 0);
  }
  const absl::Status status = topicwall::study::Run(arguments);
  if (status.ok()) return topicwall::base::CodeAfterPrinting("topicwall-study", 0);
  std::cerr << "topicwall-study: " << status.message() << "\n";
  return 1;
}

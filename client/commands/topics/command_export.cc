// `topicwall export`: a model for other programs. What it says and how far to believe it go along.
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/durable_file.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "client/commands/command.h"
#include "client/topics/model_export.h"

namespace topicwall::client {
namespace {

struct ExportFlags {
  std::string model;
  std::string format;
  std::string output;
};

absl::Status Export(const ExportFlags& flags, const Invocation& invocation, Terminal& terminal) {
  TW_ASSIGN_OR_RETURN(const v1::ModelFile file, ReadModelShown(flags.model, terminal));
  TW_ASSIGN_OR_RETURN(const TopicReading reading, TopicReading::Of(file));
  // Whole in memory before the file is touched: what cannot be exported leaves the old one.
  TW_ASSIGN_OR_RETURN(const std::string bytes, ExportModel(reading, flags.format));
  TW_RETURN_IF_ERROR(base::ReplaceOutputDurably(flags.output, bytes));
  const int topics = reading.model().num_topics();
  terminal.Print(invocation.json
                     ? base::JsonObject()
                           .SetString("output", flags.output)
                           .SetString("format", flags.format)
                           .SetInteger("topics", topics)
                           .SetInteger("terms", static_cast<int64_t>(reading.terms().size()))
                           .SetInteger("bytes", static_cast<int64_t>(bytes.size()))
                           .Text()
                     : absl::StrCat(flags.output, ": ", topics, " topics over ",
                                    reading.terms().size(), " words as ", flags.format, ", ",
                                    bytes.size(), " bytes."));
  return absl::OkStatus();
}

}  // namespace

void AddExport(base::Command app, Invocation& invocation) {
  auto flags = std::make_shared<ExportFlags>();
  base::Command command = AddCommand(
      app, invocation,
      {.name = "export",
       .description =
           "A model as a file for other programs: npz (arrays for numpy.load), csv (a "
           "row for each topic and word), mm (Matrix Market, topics by words) or pyldavis "
           "(JSON, its arguments: pyLDAvis.prepare(**json.load(file))). Replaces the "
           "file if there is one. For gensim and scikit-learn see the Python package",
       .example = "topicwall export notes.model --to npz --output notes.npz"});
  command.Add("model", flags->model, "Folder of the model").Required();
  command
      .AddParsed(
          "--to",
          [flags](const std::string& format) {
            flags->format = format;
            return CheckExportFormat(format);
          },
          "Format")
      .Called(absl::StrJoin(ExportFormats(), "|"))
      .Required();
  command.Add("--output", flags->output, "File to write").Required();
  Runs(command, invocation, flags, Export);
}

}  // namespace topicwall::client

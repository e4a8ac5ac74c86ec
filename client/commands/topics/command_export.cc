// `topicwall export`: a model for other programs. What it says and how far to believe it go along.
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/durable_file.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "client/commands/command.h"
#include "client/topics/gaussian_export.h"
#include "client/topics/model_export.h"
#include "client/topics/topic_reading.h"

namespace topicwall::client {
namespace {

struct ExportFlags {
  std::string model;
  std::string format;
  std::string output;
};

absl::StatusOr<std::string> BytesOf(const v1::ModelFile& file, const std::string& format) {
  if (file.has_gaussian()) return ExportGaussians(file, format);
  TW_ASSIGN_OR_RETURN(const TopicReading reading, TopicReading::Of(file));
  return ExportModel(reading, format);
}

absl::Status Export(const ExportFlags& flags, const Invocation& invocation, Terminal& terminal) {
  TW_ASSIGN_OR_RETURN(const v1::ModelFile file, ReadModelShown(flags.model, terminal));
  // Whole in memory before the file is touched: what cannot be exported leaves the old one.
  TW_ASSIGN_OR_RETURN(const std::string bytes, BytesOf(file, flags.format));
  TW_RETURN_IF_ERROR(base::ReplaceOutputDurably(flags.output, bytes));
  const bool of_vectors = file.has_gaussian();
  terminal.Print(invocation.json
                     ? base::JsonObject()
                           .SetString("output", flags.output)
                           .SetString("format", flags.format)
                           .SetInteger(of_vectors ? "components" : "topics", file.num_topics())
                           .SetInteger(of_vectors ? "dimensions" : "terms", file.vocabulary_size())
                           .SetInteger("bytes", static_cast<int64_t>(bytes.size()))
                           .Text()
                     : absl::StrCat(flags.output, ": ", file.num_topics(),
                                    of_vectors ? " components of " : " topics over ",
                                    file.vocabulary_size(),
                                    of_vectors ? " dimensions as " : " words as ", flags.format,
                                    ", ", bytes.size(), " bytes."));
  return absl::OkStatus();
}

}  // namespace

void AddExport(base::Command app, Invocation& invocation) {
  auto [command, flags] = AddCommand(
      app, invocation,
      {.name = "export",
       .description =
           "A model as a file for other programs: npz (arrays for numpy.load), csv (a "
           "row for each topic and word), mm (Matrix Market, topics by words) or pyldavis "
           "(JSON, its arguments: pyLDAvis.prepare(**json.load(file))); of a mixture of Gaussians "
           "npz or csv (a row for each component and dimension). Replaces the "
           "file if there is one. For gensim and scikit-learn see the Python package",
       .example = "topicwall export notes.model --to npz --output notes.npz\n"
                  "  topicwall export faces.model --to csv --output faces.csv"},
      Export);
  command.Add("model", flags->model, "Folder of the model").Required();
  command
      .AddParsed(
          "--to",
          [flags = flags](const std::string& format) {
            flags->format = format;
            return CheckExportFormat(format);
          },
          "Format")
      .Called(absl::StrJoin(ExportFormats(), "|"))
      .Required();
  command.Add("--output", flags->output, "File to write").Required();
}

}  // namespace topicwall::client

// `topicwall report`, without a wall.
#include "client/report/report.h"

#include <topicwall_version.h>

#include <string>
#include <utility>
#include <vector>

#include "base/durable_file.h"
#include "base/status_macros.h"
#include "client/audit/ledger_export.h"
#include "client/python/bindings.h"
#include "client/python/errors.h"
#include "client/report/page/page.h"
#include "client/wall/receipt_book.h"

namespace py = pybind11;

namespace topicwall::client {
namespace {

struct ReportFiles {
  std::string model, output, compare, events;
  std::vector<std::string> prevalences;
};

absl::Status Write(const ReportFiles& files) {
  ReportSources sources = {.model = files.model,
                           .prevalences = files.prevalences,
                           .compare = files.compare,
                           .ledger = {},
                           .program_version = kVersion};
  if (!files.events.empty()) {
    TW_ASSIGN_OR_RETURN(const std::string key, NotedKeyOf(files.model));
    TW_ASSIGN_OR_RETURN(OpenedExport opened, OpenExport(files.events, {key}));
    // From a file, and no wall: where entries of others are sealed, the page says "at least" of
    // what is spent.
    sources.ledger = std::move(opened.entries);
  }
  TW_ASSIGN_OR_RETURN(const v1::Report report, GatherReport(sources));
  return base::ReplaceOutputDurably(files.output, RenderPage(report));
}

}  // namespace

void BindReport(py::module_& module) {
  module.def(
      "write_report",
      [](const std::string& model, const std::string& output, const std::string& compare,
         const std::string& events, const std::vector<std::string>& prevalences) {
        ThrowUnlessOk(Unlocked([&] {
          return Write({.model = model,
                        .output = output,
                        .compare = compare,
                        .events = events,
                        .prevalences = prevalences});
        }));
      },
      py::arg("model"), py::arg("output"), py::arg("compare") = "", py::arg("events") = "",
      py::arg("prevalences") = std::vector<std::string>());
}

}  // namespace topicwall::client

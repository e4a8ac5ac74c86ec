#include "server/admin/command_ingest.h"

#include <filesystem>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "accountant/status_macros.h"
#include "server/admin/custody.h"
#include "server/admin/durable_file.h"
#include "server/wall_config.h"

namespace topicwall::admin {
namespace {

Outcome Describe(const IngestFlags& flags, const corpus::ImportReport& report,
                 const std::optional<std::string>& replaced) {
  const std::string version = corpus::VersionHex(report.version);
  Outcome outcome;
  outcome.text =
      absl::StrCat("Corpus ", flags.corpus, " is sealed, version ", version,
                   ".\nDocuments: ", report.accepted, ", privacy units: ", report.num_units, "\n");
  std::vector<std::string> places;
  for (const corpus::RejectedDocument& rejected : report.first_rejected) {
    places.push_back(corpus::Describe(rejected));
  }
  if (report.rejected > 0) absl::StrAppend(&outcome.text, "Left out: ", report.rejected, "\n");
  for (const std::string& place : places) absl::StrAppend(&outcome.text, "  ", place, "\n");
  const int64_t unnamed = report.rejected - static_cast<int64_t>(places.size());
  if (unnamed > 0) absl::StrAppend(&outcome.text, "  and ", unnamed, " more\n");
  absl::StrAppend(&outcome.text,
                  "These numbers depend on the documents: they are for you, not for analysts.\n");
  outcome.json.Text("corpus", flags.corpus)
      .Text("version", version)
      .Count("accepted", report.accepted)
      .Count("units", report.num_units)
      .Count("rejected", report.rejected)
      .Texts("first_rejected", places);
  if (replaced.has_value()) {
    outcome.json.Text("replaced_version", *replaced);
    outcome.warnings.push_back(
        absl::StrCat("version ", *replaced,
                     " is gone. If it had a budget, that stays in the ledger as it is: "
                     "open-budget will ask whether the new version joins it or adds to it."));
  }
  return outcome;
}

// For the report; a damaged file may be replaced as well.
std::string VersionName(const std::string& path) {
  const absl::StatusOr<std::optional<std::string>> version = VersionOfFile(path);
  return version.ok() && version->has_value() ? Hex(**version) : "(unreadable)";
}

}  // namespace

absl::StatusOr<Outcome> IngestCorpus(const IngestFlags& flags,
                                     const corpus::ImportProgress& progress) {
  TW_ASSIGN_OR_RETURN(const Custody custody, OpenCustody(flags.config));
  TW_RETURN_IF_ERROR(server::FindCorpusConfig(custody.config, flags.corpus).status());
  TW_ASSIGN_OR_RETURN(const ledger::DataDirectoryLock lock, Lock(custody.config));
  const std::string target = server::CorpusFile(custody.config, flags.corpus);
  std::error_code ignored;
  const bool there = std::filesystem::exists(std::filesystem::symlink_status(target, ignored));
  if (!there || !flags.replace) {
    if (there) {
      return absl::AlreadyExistsError(
          absl::StrCat(target, " exists. To ingest another version in its place, add --replace."));
    }
    TW_ASSIGN_OR_RETURN(const corpus::ImportReport report,
                        corpus::Ingest(flags.documents, custody.key, target, progress));
    return Describe(flags, report, std::nullopt);
  }
  // Beside the old one until it is whole; what an interrupted attempt left there goes.
  const std::string replacement = target + ".replacement";
  std::filesystem::remove(replacement, ignored);
  const std::string replaced = VersionName(target);
  TW_ASSIGN_OR_RETURN(const corpus::ImportReport report,
                      corpus::Ingest(flags.documents, custody.key, replacement, progress));
  TW_RETURN_IF_ERROR(RenameDurably(replacement, target));
  return Describe(flags, report, replaced);
}

}  // namespace topicwall::admin

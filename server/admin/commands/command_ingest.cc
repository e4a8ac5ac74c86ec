// A new corpus is made under its own name, where the writer puts it whole or not at all. One that
// takes the place of another is made beside it and renamed over it at the end, so that there is a
// whole corpus at every moment, and still the old one if the ingestion is refused.
//
// The lock is held from the first look to the rename: a budget that somebody opened for the old
// version meanwhile would not have been asked about.
#include "server/admin/commands/command_ingest.h"

#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/durable_file.h"
#include "base/hex.h"
#include "base/status_macros.h"
#include "model/data/attributes.h"
#include "model/data/bounded_vector.h"
#include "server/admin/custody.h"
#include "server/corpus/ingest/attribute_file.h"
#include "server/wall_config.h"

namespace topicwall::admin {
namespace {

Outcome Describe(const IngestFlags& flags, const corpus::IngestParams& documents,
                 const corpus::ImportReport& report, const std::optional<std::string>& replaced) {
  const std::string version = corpus::VersionHex(report.version);
  Outcome outcome;
  outcome.text =
      absl::StrCat("Corpus ", flags.corpus, " is sealed, version ", version,
                   ".\nDocuments: ", report.accepted, ", privacy units: ", report.num_units, "\n");
  std::vector<std::string> attributes;
  for (const model::Attribute& attribute : documents.attributes) {
    attributes.push_back(attribute.name);
  }
  if (!attributes.empty()) {
    absl::StrAppend(&outcome.text, "Attributes: ", absl::StrJoin(attributes, ", "), "\n");
  }
  if (documents.vectors.has_value()) {
    absl::StrAppend(&outcome.text, "Vectors: ", documents.vectors->dimension,
                    " dimensions, norm bound ", documents.vectors->norm_bound, "\n");
    outcome.json.SetInteger("vector_dimension", documents.vectors->dimension)
        .SetNumber("vector_norm_bound", documents.vectors->norm_bound);
  }
  // Numbers and places only, and only here: the same text in a log would tell those who read logs
  // how many documents there are, and which of them were bad.
  std::vector<std::string> places;
  for (const corpus::RejectedDocument& rejected : report.first_rejected) {
    places.push_back(corpus::Describe(rejected));
  }
  if (report.repeated_lines > 0) {
    absl::StrAppend(&outcome.text, "Lines with the name of an earlier one: ", report.repeated_lines,
                    "\n");
  }
  if (report.cut_units > 0) {
    absl::StrAppend(&outcome.text, "Privacy units too large to be held whole: ", report.cut_units,
                    "\n");
  }
  if (report.rejected > 0) absl::StrAppend(&outcome.text, "Left out: ", report.rejected, "\n");
  for (const std::string& place : places) absl::StrAppend(&outcome.text, "  ", place, "\n");
  const int64_t unnamed = report.rejected - static_cast<int64_t>(places.size());
  if (unnamed > 0) absl::StrAppend(&outcome.text, "  and ", unnamed, " more\n");
  absl::StrAppend(&outcome.text,
                  "These numbers depend on the documents: they are for you, not for analysts.\n");
  outcome.json.SetString("corpus", flags.corpus)
      .SetString("version", version)
      .SetStrings("attributes", attributes)
      .SetInteger("accepted", report.accepted)
      .SetInteger("units", report.num_units)
      .SetInteger("repeated_lines", report.repeated_lines)
      .SetInteger("cut_units", report.cut_units)
      .SetInteger("rejected", report.rejected)
      .SetStrings("first_rejected", places);
  if (replaced.has_value()) {
    outcome.json.SetString("replaced_version", *replaced);
    outcome.warnings.push_back(
        absl::StrCat("version ", *replaced,
                     " is gone. If it had a budget, that stays in the ledger as it is: "
                     "open-budget will ask whether the new version joins it or adds to it."));
  }
  return outcome;
}

// What of the version's is not at its end, and what to do first.
absl::StatusOr<std::string> Unfinished(ledger::FoldedLedger& ledger,
                                       const accountant::ledger::BudgetState& budget,
                                       const std::string& version) {
  int plans = 0;
  for (const auto& [id, plan] : budget.plans()) {
    const bool is_open = plan.state != v1::PlanState::CANCELLED &&
                         std::cmp_less(plan.charges.size(), plan.reserved_iterations);
    plans += is_open && plan.terms.spec().corpus_version() == version ? 1 : 0;
  }
  TW_ASSIGN_OR_RETURN(const auto under_way, ledger.UnderWay(version));
  std::string text;
  if (!under_way.empty()) {
    absl::StrAppend(&text, " Releases that are paid and not computed: ", under_way.size(),
                    ". Nobody can compute them any more; to have them first, answer no, and let "
                    "their analysts ask for them until status tells of none under way.");
  }
  if (plans > 0) {
    absl::StrAppend(&text, " Plans that still hold a reservation: ", plans,
                    ". What they have not used comes back only by `topicwall cancel` or "
                    "cancel-plan (`status` lists them), or, where nothing of it was charged, "
                    "after its days.");
  }
  return text;
}

// What is told before `corpus_status`'s file is replaced.
absl::StatusOr<std::string> WhatFollows(ledger::FoldedLedger& ledger,
                                        const ledger::CorpusStatus& corpus_status,
                                        v1::PrivacyUnit new_unit) {
  TW_ASSIGN_OR_RETURN(const accountant::ledger::BudgetState budget,
                      ledger.StateOf(corpus_status.corpus_version));
  std::string text = absl::StrCat(
      "Corpus ", corpus_status.corpus, ", version ", base::Hex(corpus_status.corpus_version),
      ", has budget ", corpus_status.budget_id,
      ". Once its file is replaced nothing more can be computed of that version; what the budget "
      "has spent stays spent.");
  TW_ASSIGN_OR_RETURN(const std::string unfinished,
                      Unfinished(ledger, budget, corpus_status.corpus_version));
  absl::StrAppend(&text, unfinished,
                  " The new version has no budget until open-budget gives it one: ");
  // The budget's unit and not the old file's: joining is joining the budget.
  const v1::PrivacyUnit old_unit = budget.opening().privacy_unit();
  if (old_unit == new_unit) {
    absl::StrAppend(&text, "--join ", corpus_status.corpus,
                    " lets it spend from this one; one of its own adds up with it.");
  } else {
    absl::StrAppend(&text, "it CANNOT join this one, whose privacy unit is the ", NameOf(old_unit),
                    " and not the ", NameOf(new_unit),
                    "; only one of its own remains, and the two have no sum.");
  }
  return text;
}

// Asks if the version whose file is to be replaced has a budget. One that cannot be told, since
// the file is damaged, may be any of that name.
absl::Status ConfirmReplacing(const Custody& custody, const IngestFlags& flags,
                              const std::string& target) {
  // No ledger, no budget that could be lost. A ledger that cannot be read may hold one: an error.
  const auto ledger = OpenLedgerToRead(custody.config);
  if (absl::IsNotFound(ledger.status())) return absl::OkStatus();
  if (!ledger.ok()) return ledger.status();
  const absl::StatusOr<std::optional<std::string>> version = VersionOfFile(target);
  TW_ASSIGN_OR_RETURN(const std::vector<ledger::CorpusStatus> statuses, (*ledger)->Corpora());
  std::string question;
  for (const ledger::CorpusStatus& corpus_status : statuses) {
    const bool is_it = version.ok() ? *version == corpus_status.corpus_version
                                    : corpus_status.corpus == flags.corpus;
    if (!is_it) continue;
    TW_ASSIGN_OR_RETURN(const std::string text,
                        WhatFollows(**ledger, corpus_status, flags.documents.privacy_unit));
    absl::StrAppend(&question, text, "\n");
  }
  // A version without a budget was never promised anything, and may go without a question.
  if (question.empty()) return absl::OkStatus();
  return Confirm(absl::StrCat(question, "Replace it?"), flags.yes, flags.dialogue);
}

// For the report; a damaged file may be replaced as well.
std::string VersionName(const std::string& path) {
  const absl::StatusOr<std::optional<std::string>> version = VersionOfFile(path);
  return version.ok() && version->has_value() ? base::Hex(**version) : "(unreadable)";
}

absl::StatusOr<std::optional<model::VectorSpace>> SpaceOf(const IngestFlags& flags) {
  if (!flags.dimension.has_value() && !flags.norm_bound.has_value()) {
    return std::optional<model::VectorSpace>();
  }
  // What is missing is 0, and refused.
  const model::VectorSpace space = {.dimension = flags.dimension.value_or(0),
                                    .norm_bound = flags.norm_bound.value_or(0)};
  TW_RETURN_IF_ERROR(CheckVectorSpace(space));
  return std::optional(space);
}

}  // namespace

absl::StatusOr<Outcome> IngestCorpus(const IngestFlags& flags,
                                     const corpus::ImportProgress& progress) {
  TW_ASSIGN_OR_RETURN(const Custody custody, OpenCustody(flags.config));
  TW_ASSIGN_OR_RETURN(const v1::CorpusConfig config,
                      server::FindCorpusConfig(custody.config, flags.corpus));
  corpus::IngestParams documents = flags.documents;
  // By the wall's limit and not by the file: with more units a plan's exact sum could wrap.
  documents.max_units = server::MaxUnits(config.limits());
  if (!flags.attributes.empty()) {
    TW_ASSIGN_OR_RETURN(documents.attributes, corpus::ReadAttributeFile(flags.attributes));
  }
  TW_ASSIGN_OR_RETURN(documents.vectors, SpaceOf(flags));
  TW_ASSIGN_OR_RETURN(const store::DataDirectoryLock lock, Lock(custody.config));
  const std::string target = server::CorpusFile(custody.config, flags.corpus);
  std::error_code ignored;
  const bool there = std::filesystem::exists(std::filesystem::symlink_status(target, ignored));
  if (!there || !flags.replace) {
    if (there) {
      return absl::AlreadyExistsError(
          absl::StrCat(target, " exists. To ingest another version in its place, add --replace."));
    }
    TW_ASSIGN_OR_RETURN(const corpus::ImportReport report,
                        corpus::Ingest(documents, custody.key, target, progress));
    return Describe(flags, documents, report, std::nullopt);
  }
  // Before the documents are read, which may take hours.
  TW_RETURN_IF_ERROR(ConfirmReplacing(custody, flags, target));
  // Beside the old one until it is whole; what an interrupted attempt left there goes.
  const std::string replacement = target + ".replacement";
  std::filesystem::remove(replacement, ignored);
  // While it is still there.
  const std::string replaced = VersionName(target);
  TW_ASSIGN_OR_RETURN(const corpus::ImportReport report,
                      corpus::Ingest(documents, custody.key, replacement, progress));
  TW_RETURN_IF_ERROR(base::RenameDurably(replacement, target, base::IfExists::kReplace));
  return Describe(flags, documents, report, replaced);
}

}  // namespace topicwall::admin

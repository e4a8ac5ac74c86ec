// First what the server would not start with, as errors, by the very functions that it calls
// itself; then corpus by corpus what it would not serve; last what can only be measured. Warnings
// are for a person to weigh: a wall that is being set up has no ledger yet, and another machine may
// be the one that will serve.
//
// How many documents there are is no input to what is timed. A release_interval_ms that was chosen
// by the true number of units would tell that number to everybody who reads it: what is timed is
// the size that is stated in public, or nothing.
#include "server/admin/commands/command_check_config.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "model/models.h"
#include "server/admin/custody.h"
#include "server/admin/release_timing.h"
#include "server/admin/separation.h"
#include "server/admin/store_timing.h"
#include "server/corpus/corpus_store.h"
#include "server/executor/unit_memory.h"
#include "server/gate/server_credentials.h"
#include "server/ledger/ledger_keys.h"
#include "server/log/storage_watch.h"
#include "server/release/processors.h"
#include "server/sandbox/sandbox.h"
#include "server/vault/start_checks.h"
#include "server/wall_config.h"

namespace topicwall::admin {
namespace {

// A machine is not always as idle as it is now: the slowest of so many runs, times this.
constexpr int kRuns = 3;
constexpr double kBusyFactor = 2;
// What the server sets aside for storing if the configuration does not say.
constexpr int64_t kDefaultStoreMs = 30;
constexpr double kMebibyte = 1 << 20;

// What is found out about one corpus, a line of it at a time.
struct Findings {
  std::string text;
  base::JsonObject json;
  std::vector<std::string> warnings;
  absl::Status served;  // as of OpenToServe
};

ReleaseShape LargestRelease(const v1::WallConfig& config, const v1::CorpusConfig& corpus,
                            const corpus::CorpusDescription& description) {
  const model::CorpusShape shape = corpus::ShapeOf(description);
  // Both limits hold at once: the one on parameters a term, and the one on the bytes of a matrix.
  const int64_t parameters_that_fit =
      config.max_matrix_bytes() / (shape.vocabulary_size * static_cast<int64_t>(sizeof(float)));
  const bool owner = description.privacy_unit == corpus::PrivacyUnit::kOwner;
  const v1::Limits& limits = corpus.limits();
  return {
      .limits = {.vocabulary_size = shape.vocabulary_size,
                 .words = limits.max_tokens(),
                 .parameters_per_term = std::max<int64_t>(
                     1, std::min<int64_t>(limits.max_parameters_per_term(), parameters_that_fit)),
                 .iterations = limits.max_model_iterations(),
                 .vector_dimension = shape.vector_dimension},
      .units = corpus.nominal_size(),
      .documents_per_unit = owner ? limits.max_documents_per_unit() : 1,
      .threads = config.e_step_threads(),
      .attribute_sizes = shape.attribute_sizes};
}

// Of the model that takes most.
absl::StatusOr<int64_t> MemoryOfRelease(const ReleaseShape& shape) {
  int64_t most = 0;
  for (const std::string& name : model::ModelNamesFor(shape.corpus())) {
    TW_ASSIGN_OR_RETURN(const std::vector<model::WorstCase> cases,
                        model::WorstCases(name, shape.limits));
    TW_ASSIGN_OR_RETURN(const std::unique_ptr<model::StatisticModel> model,
                        model::MakeModel(name, cases.front().options, shape.corpus()));
    most = std::max(most, executor::WorstReleaseBytes(
                              *model, {.unit = {.vocabulary_size = shape.limits.vocabulary_size,
                                                .max_words = shape.limits.words,
                                                .max_documents = shape.documents_per_unit},
                                       .has_weights = true,
                                       .num_threads = shape.threads,
                                       .attribute_sizes = shape.attribute_sizes,
                                       .vector_dimension = shape.limits.vector_dimension}));
  }
  return most;
}

absl::StatusOr<ReleaseTiming> TimeSlowest(const ReleaseShape& shape) {
  TW_ASSIGN_OR_RETURN(ReleaseTiming slowest, TimeWorstRelease(shape));
  for (int run = 1; run < kRuns; ++run) {
    TW_ASSIGN_OR_RETURN(const ReleaseTiming timing, TimeWorstRelease(shape));
    if (timing.seconds > slowest.seconds) slowest = timing;
  }
  return slowest;
}

absl::Status CompareWithInterval(const v1::CorpusConfig& corpus, const ReleaseShape& shape,
                                 Findings* findings) {
  // As the server computes: off the processors that it keeps free.
  const release::Processors processors = release::Processors::OfThisProcess();
  // The threads that are started from here on inherit it.
  processors.KeepFree();
  // The error, if there is one, is looked at below: this thread must have its processors back
  // first.
  const absl::StatusOr<ReleaseTiming> timed = TimeSlowest(shape);
  processors.UseAll();
  TW_ASSIGN_OR_RETURN(const ReleaseTiming timing, timed);
  const double milliseconds = std::ceil(1000 * kBusyFactor * timing.seconds);
  TW_ASSIGN_OR_RETURN(const int64_t most_bytes, MemoryOfRelease(shape));
  const auto bytes = static_cast<double>(most_bytes);
  findings->json.SetNumber("worst_case_ms", milliseconds)
      .SetNumber("worst_case_bytes", bytes)
      .SetInteger("release_interval_ms", corpus.release_interval_ms());
  absl::StrAppendFormat(
      &findings->text,
      "  worst case of a release: %.0f ms (slowest of %d runs, times %.0f; stated size %d, %d "
      "parameters a term, %d tokens, %d iterations; %d documents timed; %s) and %.0f MB, "
      "release_interval_ms %d\n",
      milliseconds, kRuns, kBusyFactor, corpus.nominal_size(), shape.limits.parameters_per_term,
      shape.limits.words, shape.limits.iterations, timing.documents_timed,
      absl::StrJoin(timing.cases, ", "), std::ceil(bytes / 1e6), corpus.release_interval_ms());
  // A warning and no error: only this machine was measured, and only for some seconds.
  if (!(static_cast<double>(corpus.release_interval_ms()) >= milliseconds)) {
    findings->warnings.push_back(absl::StrFormat(
        "corpora[%s].release_interval_ms must be longer than the worst case of a release, about "
        "%.0f ms on this machine; got %d. Lengthen it or lower the limits: the third release "
        "that misses its instant pauses the corpus.",
        corpus.name(), milliseconds, corpus.release_interval_ms()));
  }
  return absl::OkStatus();
}

absl::Status CompareWithStoreTime(const v1::WallConfig& config, const v1::CorpusConfig& corpus,
                                  Findings* findings) {
  TW_ASSIGN_OR_RETURN(const double measured, StoreMsPerMebibyte(config.data_directory()));
  const double wanted = std::ceil(kStoreFactor * measured);
  const int64_t given =
      corpus.has_store_ms_per_mebibyte() ? corpus.store_ms_per_mebibyte() : kDefaultStoreMs;
  findings->json.SetNumber("store_ms_per_mebibyte", wanted);
  absl::StrAppendFormat(&findings->text,
                        "  storing: %.1f ms a mebibyte measured, store_ms_per_mebibyte %d\n",
                        measured, given);
  if (!(static_cast<double>(given) >= wanted)) {
    findings->warnings.push_back(absl::StrFormat(
        "corpora[%s].store_ms_per_mebibyte must be at least %.0f on this disk, %.0f times what "
        "storing took; got %d.",
        corpus.name(), wanted, kStoreFactor, given));
  }
  return absl::OkStatus();
}

absl::Status CheckTiming(const v1::WallConfig& config, const v1::CorpusConfig& corpus,
                         const corpus::CorpusDescription& description, Findings* findings) {
  if (corpus.timing_protection() == v1::TIMING_PROTECTION_NONE) {
    findings->warnings.push_back(
        absl::StrCat("corpora[", corpus.name(),
                     "].timing_protection is NONE: the time of a release depends on "
                     "the documents. Only for analysts you trust with that."));
    return absl::OkStatus();
  }
  TW_RETURN_IF_ERROR(CompareWithStoreTime(config, corpus, findings));
  if (!corpus.has_nominal_size()) {
    absl::StrAppend(&findings->text,
                    "  no nominal_size is stated, so the worst case of a release is not timed\n");
    return absl::OkStatus();
  }
  return CompareWithInterval(corpus, LargestRelease(config, corpus, description), findings);
}

absl::Status CheckBudget(const Custody& custody, ledger::FoldedLedger* ledger,
                         const std::string& version, Findings* findings) {
  v1::CorpusState state = v1::CORPUS_STATE_NO_BUDGET;
  if (ledger != nullptr) {
    TW_ASSIGN_OR_RETURN(const ledger::CorpusStatus corpus_status, ledger->StatusOfCorpus(version));
    TW_ASSIGN_OR_RETURN(const ledger::LedgerKeys keys, ledger::LedgerKeys::Of(custody.key));
    state = corpus_status.state;
    // A corpus that was ingested under this key opens, also where the ledger was made with another
    // one: every receipt would then be signed by somebody whom no analyst knows.
    if (!corpus_status.signing_key.empty() &&
        corpus_status.signing_key != keys.signing.public_key()) {
      return absl::FailedPreconditionError(
          absl::StrCat("key_file must be the custodian's key that the ledger was made with; ",
                       custody.config.key_file(), " is another one"));
    }
  }
  findings->json.SetBool("budget", state != v1::CORPUS_STATE_NO_BUDGET);
  absl::StrAppend(&findings->text, state == v1::CORPUS_STATE_NO_BUDGET
                                       ? "  no budget yet: topicwall-admin open-budget\n"
                                       : "  has a budget\n");
  return absl::OkStatus();
}

absl::StatusOr<Findings> CheckCorpus(const Custody& custody, ledger::FoldedLedger* ledger,
                                     const v1::CorpusConfig& corpus) {
  Findings findings;
  findings.json.SetString("corpus", corpus.name());
  const auto store = server::OpenToServe(custody.config, corpus.name(), custody.key);
  findings.served = store.status();
  findings.json.SetBool("ingested", !absl::IsNotFound(store.status())).SetBool("ready", store.ok());
  if (!store.ok()) {
    // What is wrong with more than this corpus is wrong with the server.
    if (!server::IsOfOneCorpus(store.status())) return store.status();
    findings.text = absl::StrCat("Corpus ", corpus.name(),
                                 absl::IsNotFound(store.status())
                                     ? ": not ingested yet: topicwall-admin ingest\n"
                                     : ": cannot be served\n");
    findings.warnings.push_back(
        absl::StrCat("corpus ", corpus.name(), " would not be served: ", store.status().message()));
    return findings;
  }
  const corpus::CorpusDescription& description = (*store)->description();
  findings.text = absl::StrCat("Corpus ", corpus.name(), ": opens and verifies, ",
                               description.vocabulary->size(), " terms\n");
  TW_RETURN_IF_ERROR(
      CheckBudget(custody, ledger,
                  std::string(description.version.begin(), description.version.end()), &findings));
  TW_RETURN_IF_ERROR(CheckTiming(custody.config, corpus, description, &findings));
  return findings;
}

// With corpora that are there and cannot be served, and none that can, there is no server.
absl::Status CheckCorpora(const CheckConfigFlags& flags, const Custody& custody,
                          ledger::FoldedLedger* ledger, Outcome* outcome) {
  std::vector<base::JsonObject> corpora;
  absl::Status damaged;
  bool any_served = false;
  for (const v1::CorpusConfig& corpus : custody.config.corpora()) {
    if (flags.progress) flags.progress(absl::StrCat("checking corpus ", corpus.name(), " ..."));
    TW_ASSIGN_OR_RETURN(Findings findings, CheckCorpus(custody, ledger, corpus));
    any_served = any_served || findings.served.ok();
    // The first one stays. A corpus that is not ingested yet is no damage.
    if (!absl::IsNotFound(findings.served)) damaged.Update(findings.served);
    absl::StrAppend(&outcome->text, findings.text);
    corpora.push_back(std::move(findings.json));
    for (std::string& warning : findings.warnings) outcome->warnings.push_back(std::move(warning));
  }
  outcome->json.SetObjects("corpora", corpora);
  return any_served ? absl::OkStatus() : damaged;
}

void CheckDisk(const v1::WallConfig& config, Outcome* outcome) {
  const auto free = server::FreeBytes(config.data_directory());
  if (!free.has_value()) return;
  const double mebibytes = static_cast<double>(*free) / kMebibyte;
  outcome->json.SetInteger("free_bytes", *free);
  absl::StrAppendFormat(&outcome->text, "Disk: %.0f MiB free\n", mebibytes);
  if (*free >= server::StorageWatch::kFewestBytes) return;
  outcome->warnings.push_back(absl::StrFormat(
      "the disk of data_directory has %.0f MiB left; a wall wants %.0f at least", mebibytes,
      static_cast<double>(server::StorageWatch::kFewestBytes) / kMebibyte));
}

}  // namespace

absl::StatusOr<Outcome> CheckConfig(const CheckConfigFlags& flags) {
  TW_ASSIGN_OR_RETURN(const Custody custody, OpenCustody(flags.config));
  TW_RETURN_IF_ERROR(server::CheckDataDirectory(custody.config));
  TW_RETURN_IF_ERROR(server::CheckTlsFiles(custody.config.tls()));
  // To read: a server may be running, and a check must not be what takes its lock.
  const auto ledger = OpenLedgerToRead(custody.config);
  if (!ledger.ok() && !absl::IsNotFound(ledger.status())) return ledger.status();
  Outcome outcome;
  outcome.text = absl::StrCat("Configuration, certificates and key ", custody.key.key_id(),
                              ": good\nLedger: ", ledger.ok() ? "verifies" : "not there yet", "\n");
  outcome.json.SetString("key_id", custody.key.key_id()).SetBool("ledger", ledger.ok());
  if (!ledger.ok()) {
    outcome.warnings.push_back(
        "there is no ledger yet; the server starts once topicwall-admin open-budget made one");
  }
  TW_RETURN_IF_ERROR(CheckSeparation(custody.config, sandbox::OfferedByThisKernel(), &outcome));
  CheckDisk(custody.config, &outcome);
  TW_RETURN_IF_ERROR(CheckCorpora(flags, custody, ledger.ok() ? ledger->get() : nullptr, &outcome));
  outcome.bad_news = flags.strict && !outcome.warnings.empty();
  return outcome;
}

}  // namespace topicwall::admin

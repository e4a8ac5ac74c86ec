#include "server/admin/command_check_config.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "accountant/status_macros.h"
#include "server/admin/custody.h"
#include "server/admin/release_timing.h"
#include "server/corpus/corpus_store.h"
#include "server/server_credentials.h"
#include "server/wall_config.h"

namespace topicwall::admin {
namespace {

// What is found out about one corpus, a line of it at a time.
struct Findings {
  std::string text;
  JsonObject json;
  std::vector<std::string> warnings;
};

ReleaseShape LargestRelease(const v1::WallConfig& config, const v1::CorpusConfig& corpus,
                            const corpus::CorpusDescription& description) {
  const auto vocabulary_size = static_cast<int64_t>(description.vocabulary->size());
  const int64_t topics_that_fit =
      config.max_matrix_bytes() / (vocabulary_size * static_cast<int64_t>(sizeof(float)));
  const bool owner = description.privacy_unit == corpus::PrivacyUnit::kOwner;
  const v1::Limits& limits = corpus.limits();
  return {.num_topics = static_cast<int>(
              std::max<int64_t>(1, std::min<int64_t>(limits.max_topics(), topics_that_fit))),
          .vocabulary_size = vocabulary_size,
          .words = limits.max_words(),
          .max_e_step_iterations = limits.max_e_step_iterations(),
          .units = corpus.nominal_size(),
          .documents_per_unit = owner ? limits.max_documents_per_unit() : 1,
          .threads = config.e_step_threads()};
}

absl::Status CompareWithInterval(const v1::CorpusConfig& corpus, const ReleaseShape& shape,
                                 Findings* findings) {
  TW_ASSIGN_OR_RETURN(const ReleaseTiming timing, TimeWorstRelease(shape));
  const double milliseconds = std::ceil(1000 * timing.seconds);
  findings->json.Number("worst_case_ms", milliseconds)
      .Count("release_interval_ms", corpus.release_interval_ms());
  absl::StrAppendFormat(
      &findings->text,
      "  worst case of a release: %.0f ms (stated size %d, %d topics, %d words, %d iterations; "
      "%d documents timed%s), release_interval_ms %d\n",
      milliseconds, corpus.nominal_size(), shape.num_topics, shape.words,
      shape.max_e_step_iterations, timing.documents_timed,
      timing.in_double ? ", in double precision too" : "", corpus.release_interval_ms());
  if (!(static_cast<double>(corpus.release_interval_ms()) >= milliseconds)) {
    findings->warnings.push_back(absl::StrFormat(
        "corpora[%s].release_interval_ms must be longer than the worst case of a release, about "
        "%.0f ms on this machine; got %d. Lengthen it or lower the limits: the third release "
        "that misses its instant pauses the corpus.",
        corpus.name(), milliseconds, corpus.release_interval_ms()));
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
  if (!corpus.has_nominal_size()) {
    absl::StrAppend(&findings->text,
                    "  no nominal_size is stated, so the worst case of a release is not timed\n");
    return absl::OkStatus();
  }
  return CompareWithInterval(corpus, LargestRelease(config, corpus, description), findings);
}

absl::Status CheckBudget(ledger::SqliteLedger* ledger, const std::string& version,
                         Findings* findings) {
  v1::CorpusState state = v1::CORPUS_STATE_NO_BUDGET;
  if (ledger != nullptr) {
    TW_ASSIGN_OR_RETURN(const ledger::CorpusStanding standing, ledger->Standing(version));
    state = standing.state;
  }
  findings->json.Flag("budget", state != v1::CORPUS_STATE_NO_BUDGET);
  absl::StrAppend(&findings->text, state == v1::CORPUS_STATE_NO_BUDGET
                                       ? "  no budget yet: topicwall-admin open-budget\n"
                                       : "  has a budget\n");
  return absl::OkStatus();
}

absl::StatusOr<Findings> CheckCorpus(const Custody& custody, ledger::SqliteLedger* ledger,
                                     const v1::CorpusConfig& corpus) {
  Findings findings;
  findings.json.Text("corpus", corpus.name());
  const auto store =
      corpus::CorpusStore::Open(server::CorpusFile(custody.config, corpus.name()), custody.key);
  findings.json.Flag("ingested", store.ok());
  if (absl::IsNotFound(store.status())) {
    findings.text =
        absl::StrCat("Corpus ", corpus.name(), ": not ingested yet: topicwall-admin ingest\n");
    return findings;
  }
  if (!store.ok()) return store.status();
  const corpus::CorpusDescription& description = (*store)->description();
  findings.text = absl::StrCat("Corpus ", corpus.name(), ": opens, ",
                               description.vocabulary->size(), " terms\n");
  TW_RETURN_IF_ERROR(CheckBudget(
      ledger, std::string(description.version.begin(), description.version.end()), &findings));
  TW_RETURN_IF_ERROR(CheckTiming(custody.config, corpus, description, &findings));
  return findings;
}

}  // namespace

absl::StatusOr<Outcome> CheckConfig(const CheckConfigFlags& flags) {
  TW_ASSIGN_OR_RETURN(const Custody custody, OpenCustody(flags.config));
  TW_RETURN_IF_ERROR(server::CheckTlsFiles(custody.config.tls()));
  const auto ledger = OpenLedgerToRead(custody.config);
  if (!ledger.ok() && !absl::IsNotFound(ledger.status())) return ledger.status();
  Outcome outcome;
  outcome.text = absl::StrCat("Configuration, certificates and key ", custody.key.key_id(),
                              ": good\nLedger: ", ledger.ok() ? "verifies" : "not there yet", "\n");
  outcome.json.Text("key_id", custody.key.key_id()).Flag("ledger", ledger.ok());
  std::vector<JsonObject> corpora;
  for (const v1::CorpusConfig& corpus : custody.config.corpora()) {
    TW_ASSIGN_OR_RETURN(Findings findings,
                        CheckCorpus(custody, ledger.ok() ? ledger->get() : nullptr, corpus));
    absl::StrAppend(&outcome.text, findings.text);
    corpora.push_back(std::move(findings.json));
    for (std::string& warning : findings.warnings) outcome.warnings.push_back(std::move(warning));
  }
  outcome.json.Objects("corpora", corpora);
  return outcome;
}

}  // namespace topicwall::admin

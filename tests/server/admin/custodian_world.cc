#include "tests/server/admin/custodian_world.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "server/admin/commands/command_open_budget.h"
#include "server/sealing/custodian_key.h"
#include "server/wall_config.h"
#include "tests/support/ledger_for_tests.h"
#include "tests/support/status_matchers.h"

namespace topicwall::admin {
namespace {

constexpr char kConfig[] = R"(custodian_id: "library"
listen_address: "127.0.0.1:0"
tls { certificate: "tls/server.pem" private_key: "tls/server.key" client_ca: "tls/ca.pem" }
data_directory: "data"
key_file: "corpus.key"
e_step_threads: 2
max_matrix_bytes: 1048576
principals {
  name: "alice" role: ANALYST access { corpus: "notes" }
}
)";

constexpr char kCorpusConfig[] = R"(
  nominal_size: 10
  limits {
    max_tokens: 20 max_documents_per_unit: 2 max_parameters_per_term: 3 max_iterations: 10
    max_model_iterations: 5 min_noise_multiplier: 0.5 max_releases: 100 queue_length: 2
  }
  timing_protection: TIMING_PROTECTION_SCHEDULE
  release_interval_ms: 3600000
}
)";

}  // namespace

CustodianWorld::CustodianWorld() {
  std::string config = kConfig;
  for (const char* corpus : {"notes", "letters", "cards"}) {
    absl::StrAppend(&config, "corpora {\n  name: \"", corpus, "\"", kCorpusConfig);
  }
  Write("wall.textproto", config);
  Write("words.txt", "apple\nbread\ncheese\n");
  std::filesystem::create_directory(Path("data"));
  auto key = sealing::CustodianKey::Generate();
  EXPECT_OK(key);
  EXPECT_OK(key->WriteNew(Path("corpus.key")));
}

void CustodianWorld::Write(const std::string& name, const std::string& text) const {
  testing::WriteWholeFile(Path(name), text);
}

std::string CustodianWorld::Read(const std::string& name) const {
  return testing::ReadWholeFile(Path(name));
}

bool CustodianWorld::Exists(const std::string& name) const {
  return std::filesystem::exists(Path(name));
}

int CustodianWorld::Mode(const std::string& name) const {
  struct stat status;
  return stat(Path(name).c_str(), &status) == 0 ? static_cast<int>(status.st_mode & 0777) : -1;
}

void CustodianWorld::MakeCertificates(const std::string& options) const {
  const std::string command =
      absl::StrCat(TOPICWALL_SOURCE_DIR, "/deploy/make-certificates --output ", Path("tls"),
                   " --analyst alice ", options, " >", Path("certificates.log"), " 2>&1");
  ASSERT_EQ(std::system(command.c_str()), 0) << Read("certificates.log");
}

Finished CustodianWorld::Run(const std::string& arguments) const {
  const std::string command =
      absl::StrCat("cd ", folder_.path(), " && ", TOPICWALL_BINARY_DIR, "/topicwall-admin ",
                   arguments, " </dev/null >", Path("out"), " 2>", Path("err"));
  const int status = std::system(command.c_str());
  return {.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
          .output = Read("out"),
          .errors = Read("err")};
}

std::string CustodianWorld::WriteDocuments(const std::vector<std::string>& owners,
                                           const std::string& copy) const {
  std::string lines;
  for (const std::string& owner : owners) {
    absl::StrAppend(&lines, "{\"id\": \"", copy, "/", owner, "\", \"owner\": \"", owner,
                    "\", \"text\": \"apple bread\"}\n");
  }
  Write(copy + ".jsonl", lines);
  return Path(copy + ".jsonl");
}

IngestFlags CustodianWorld::FlagsFor(const std::string& corpus,
                                     const std::string& documents) const {
  return {.config = config(),
          .corpus = corpus,
          .documents = {.format = corpus::DocumentFormat::kJsonLines,
                        .documents = documents,
                        .vocabulary = Path("words.txt"),
                        .privacy_unit = v1::PRIVACY_UNIT_OWNER,
                        .strict = false},
          .replace = false};
}

absl::StatusOr<Outcome> CustodianWorld::Ingest(const std::string& corpus,
                                               const std::vector<std::string>& owners) const {
  return IngestCorpus(FlagsFor(corpus, WriteDocuments(owners, corpus)), nullptr);
}

void CustodianWorld::DamageLastBlock(const std::string& corpus) const {
  const std::string name = absl::StrCat("data/", corpus, ".corpus");
  std::string bytes = Read(name);
  char& byte = bytes[bytes.size() - 20];
  byte = static_cast<char>(byte ^ 1);
  Write(name, bytes);
}

absl::StatusOr<Outcome> CustodianWorld::Open(const std::string& corpus) const {
  return OpenBudget({.config = config(),
                     .corpus = corpus,
                     .budget = accountant::PrivacyParams{.epsilon = 2.44, .delta = 1e-6},
                     .vouchers = {},
                     .join = "",
                     .yes = true});
}

absl::Status CustodianWorld::IngestAndOpen(const std::string& corpus,
                                           const std::vector<std::string>& owners) const {
  TW_RETURN_IF_ERROR(Ingest(corpus, owners).status());
  return Open(corpus).status();
}

std::unique_ptr<ledger::FoldedLedger> CustodianWorld::Ledger() const {
  auto custody = OpenCustody(config());
  EXPECT_OK(custody);
  auto lock = Lock(custody->config);
  EXPECT_OK(lock);
  auto ledger = OpenLedgerToWrite(*custody, *std::move(lock));
  EXPECT_OK(ledger);
  return ledger.ok() ? *std::move(ledger) : nullptr;
}

absl::StatusOr<ledger::CorpusStatus> CustodianWorld::StatusOfCorpus(
    const std::string& corpus) const {
  auto config_read = server::ReadWallConfig(config());
  if (!config_read.ok()) return config_read.status();
  auto ledger = OpenLedgerToRead(*config_read);
  if (!ledger.ok()) return ledger.status();
  auto statuses = (*ledger)->Corpora();
  if (!statuses.ok()) return statuses.status();
  return FindBudgeted(*config_read, *statuses, corpus);
}

std::string CustodianWorld::ReserveAndChargeOne(const std::string& corpus, int iterations) const {
  auto corpus_status = StatusOfCorpus(corpus);
  EXPECT_OK(corpus_status);
  v1::ReleaseSpec plan = testing::SmallPlan(iterations);
  plan.set_corpus(corpus);
  plan.set_corpus_version(corpus_status->corpus_version);
  const auto ledger = Ledger();
  static int requests = 0;
  auto reserved = ledger->Reserve(testing::ReserveRequestFor("alice", ++requests, plan));
  EXPECT_OK(reserved);
  EXPECT_OK(ledger->Charge(testing::ChargeRequestFor(*reserved, 1)));
  return reserved->plan_id();
}

}  // namespace topicwall::admin

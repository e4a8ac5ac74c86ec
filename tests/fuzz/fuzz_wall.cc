#include "tests/fuzz/fuzz_wall.h"

#include <google/protobuf/text_format.h>

#include <chrono>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "proto/grpc_status.h"
#include "server/admin/commands/command_open_budget.h"
#include "server/wall_config.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/server/corpus/small_corpus.h"

// What OpenSSL keeps for each thread of gRPC's, which are still there when the process ends.
extern "C" const char* __lsan_default_suppressions() { return "leak:libcrypto.so\n"; }

namespace topicwall::fuzz {
namespace {

constexpr char kConfig[] = R"(
custodian_id: "fuzz" listen_address: "127.0.0.1:0"
tls { certificate: "tls/server.pem" private_key: "tls/server.key" client_ca: "tls/ca.pem" }
data_directory: "data" key_file: "corpus.key" event_log: "events.jsonl"
principals {
  name: "spiffe://topicwall/analyst/alice" role: ANALYST access { corpus: "notes" }
}
principals {
  name: "spiffe://topicwall/analyst/bob" role: ANALYST
  access { corpus: "notes" epsilon_cap: 1 }
}
principals { name: "spiffe://topicwall/auditor/ann" role: AUDITOR access { corpus: "notes" } }
corpora {
  name: "notes" timing_protection: TIMING_PROTECTION_NONE
  limits {
    max_tokens: 50 max_documents_per_unit: 2 max_parameters_per_term: 4 max_iterations: 3
    max_model_iterations: 10 min_noise_multiplier: 1 max_releases: 100000 queue_length: 2
  }
}
e_step_threads: 1 max_matrix_bytes: 1000
)";

// Certificates take a second to make, and one set does for every wall of this process.
const std::string& TlsFolder() {
  static const testing::TemporaryDirectory directory;
  static const std::string folder = [] {
    std::string made = directory.path() + "/tls";
    const std::string command =
        absl::StrCat(TOPICWALL_SOURCE_DIR, "/deploy/make-certificates --output ", made,
                     " --analyst alice --analyst bob --auditor ann >/dev/null 2>&1");
    Require(std::system(command.c_str()) == 0, "certificates can be made");
    return made;
  }();
  return folder;
}

std::unique_ptr<grpc::GenericStub> StubOf(const std::string& name, const std::string& address) {
  const std::string base = absl::StrCat(TlsFolder(), "/");
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = testing::ReadWholeFile(base + "ca.pem");
  options.pem_cert_chain = testing::ReadWholeFile(base + name + ".pem");
  options.pem_private_key = testing::ReadWholeFile(base + name + ".key");
  return std::make_unique<grpc::GenericStub>(
      grpc::CreateChannel(address, grpc::SslCredentials(options)));
}

std::string BytesOf(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  Require(buffer.Dump(&slices).ok(), "a reply has bytes");
  std::string bytes;
  for (const grpc::Slice& slice : slices) {
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return bytes;
}

// Waits for the one operation that is under way; false if it failed.
bool Done(grpc::CompletionQueue& queue) {
  void* tag = nullptr;
  bool ok = false;
  Require(queue.Next(&tag, &ok), "a call ends");
  return ok;
}

int64_t SteadyMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

// Its own: a server that goes down interrupts its clock for good.
FuzzWall::FuzzWall()
    : clock_(release::MakeClock(
          {.wall_ms = [] { return absl::ToUnixMillis(absl::Now()); }, .steady_ms = SteadyMs})) {
  std::filesystem::copy(TlsFolder(), folder_.path() + "/tls");
  MakeCorpusAndBudget();
  auto wall = server::Wall::Open(Config(), *clock_);
  Require(wall.ok(), absl::StrCat("a new wall opens: ", wall.status().ToString()));
  wall_ = *std::move(wall);
  vault_ = std::make_unique<server::Vault>(wall_.get());
  auto started = server::WallServer::Start(Config(), *vault_, wall_->log());
  Require(started.ok(), absl::StrCat("it serves: ", started.status().ToString()));
  server_ = *std::move(started);
  for (const char* name : {"alice", "bob", "ann"}) {
    stubs_[name] = StubOf(name, server_->address());
  }
}

FuzzWall::~FuzzWall() {
  stubs_.clear();
  queue_.Shutdown();
  void* tag = nullptr;
  bool ok = false;
  while (queue_.Next(&tag, &ok)) {
  }
}

v1::WallConfig FuzzWall::Config() const {
  return *server::ReadWallConfig(folder_.path() + "/wall.textproto");
}

void FuzzWall::MakeCorpusAndBudget() {
  testing::WriteWholeFile(folder_.path() + "/wall.textproto", kConfig);
  std::filesystem::create_directory(folder_.path() + "/data");
  const sealing::CustodianKey key = corpus::NewKey();
  Require(key.WriteNew(folder_.path() + "/corpus.key").ok(), "a key can be written");
  const auto written = corpus::WriteCorpus(server::CorpusFile(Config(), "notes"),
                                           corpus::ParamsOf(v1::PRIVACY_UNIT_DOCUMENT),
                                           corpus::PlainDocuments(24), key);
  Require(written.ok(), "a corpus can be written");
  version_.assign(written->version.begin(), written->version.end());
  const auto opened = admin::OpenBudget({.config = folder_.path() + "/wall.textproto",
                                         .corpus = "notes",
                                         .budget = accountant::PrivacyParams{8, 1e-6},
                                         .vouchers = {},
                                         .join = "",
                                         .yes = true});
  Require(opened.ok(), absl::StrCat("a budget opens: ", opened.status().ToString()));
}

Answer FuzzWall::Call(const std::string& name, const std::string& method,
                      const std::vector<std::string>& parts) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
  const auto call = stubs_[name]->PrepareCall(
      &context, absl::StrCat("/topicwall.v1.PrivacyWall/", method), &queue_);
  call->StartCall(nullptr);
  bool open = Done(queue_);
  for (size_t i = 0; open && i < parts.size(); ++i) {
    const grpc::Slice slice(parts[i]);
    call->Write(grpc::ByteBuffer(&slice, 1), nullptr);
    open = Done(queue_);
  }
  if (open) {
    call->WritesDone(nullptr);
    Done(queue_);
  }
  Answer answer;
  for (;;) {
    grpc::ByteBuffer reply;
    call->Read(&reply, nullptr);
    if (!Done(queue_)) break;
    answer.replies.push_back(BytesOf(reply));
  }
  grpc::Status status;
  call->Finish(&status, nullptr);
  Done(queue_);
  answer.status = proto::FromGrpcStatus(status);
  return answer;
}

v1::BudgetStatus FuzzWall::Budget() {
  auto budget = wall_->ledger().Budget(
      {.corpus_version = version_, .reader = {.principal = "ann", .is_auditor = true}});
  Require(budget.ok(), "the budget can be read");
  return *std::move(budget);
}

}  // namespace topicwall::fuzz

#include "tests/e2e/wall_world.h"

#include <google/protobuf/util/json_util.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "proto/matrix_codec.h"
#include "proto/request_digest.h"
#include "tests/support/topic_plans.h"

namespace topicwall::testing {
namespace {

constexpr std::chrono::seconds kStartTimeout{60};

// Three planted topics of ten words each. A word is letters only, as words-1 wants it.
}  // namespace

std::string WallWorld::Word(int number) {
  return absl::StrCat("word", std::string(1, static_cast<char>('a' + number / 10)),
                      std::string(1, static_cast<char>('a' + number % 10)));
}

WallWorld::WallWorld(WorldOptions options) : options_(std::move(options)) {
  WriteCorpus();
  WriteConfig();
  std::vector<std::string> make_certificates =
      Words(absl::StrCat(TOPICWALL_SOURCE_DIR "/deploy/make-certificates --output ", Path("tls"),
                         " --auditor ann --analyst alice --analyst bob"));
  for (const std::string& name : options_.more_analysts) {
    make_certificates.insert(make_certificates.end(), {"--analyst", name});
  }
  const Finished certificates = RunToEnd(make_certificates);
  EXPECT_EQ(certificates.exit_code, 0) << certificates.output;
  std::filesystem::create_directory(Path("data"));
  const std::string config = Path("wall.textproto");
  std::vector<std::string> open =
      Words(absl::StrCat("open-budget --config ", config, " --corpus notes --epsilon ",
                         options_.epsilon, " --delta ", options_.delta, " --yes"));
  if (!options_.vouchers.empty()) open.insert(open.end(), {"--policy", "inventory"});
  for (const std::string& voucher : options_.vouchers) {
    open.insert(open.end(), {"--voucher", voucher});
  }
  std::vector<std::string> ingest = Words(
      absl::StrCat("ingest --config ", config, " --corpus notes --documents ", Path("notes.jsonl"),
                   " --vocabulary ", Path("words.txt"), " --privacy-unit ", options_.privacy_unit));
  if (!options_.attributes.empty()) {
    WriteFile("attributes.textproto", options_.attributes);
    ingest.insert(ingest.end(), {"--attributes", Path("attributes.textproto")});
  }
  ingest.insert(ingest.end(), options_.more_ingest.begin(), options_.more_ingest.end());
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"keys", "--output", Path("corpus.key")}, ingest, open}) {
    const Finished finished = Admin(command);
    EXPECT_EQ(finished.exit_code, 0) << command[0] << ": " << finished.output;
  }
}

std::string WallWorld::Program(const std::string& name) {
  return (std::filesystem::path(TOPICWALL_BINARY_DIR) / name).string();
}

void WallWorld::WriteCorpus() const {
  std::string words;
  for (int i = 0; i < kVocabulary; ++i) absl::StrAppend(&words, Word(i), "\n");
  WriteFile("words.txt", words);
  if (!options_.documents_jsonl.empty()) return WriteFile("notes.jsonl", options_.documents_jsonl);
  std::string documents;
  for (int i = 0; i < options_.documents; ++i) {
    absl::StrAppend(&documents, "{\"id\":\"d", i, "\",\"owner\":\"o", i / 3, "\",\"text\":\"");
    for (int j = 0; j < 8; ++j)
      absl::StrAppend(&documents, Word(10 * (i % 3) + (i + 3 * j) % 10), " ");
    absl::StrAppend(&documents, "\"}\n");
  }
  WriteFile("notes.jsonl", documents);
}

void WallWorld::WriteConfig() const {
  std::string more_analysts;
  for (const std::string& name : options_.more_analysts) {
    absl::StrAppend(&more_analysts, "principals { name: \"spiffe://topicwall/analyst/", name,
                    "\" role: ANALYST access { corpus: \"notes\" } }\n");
  }
  const std::string timing =
      options_.timing_protection
          ? absl::StrCat("timing_protection: TIMING_PROTECTION_SCHEDULE release_interval_ms: ",
                         options_.release_interval_ms)
          : "timing_protection: TIMING_PROTECTION_NONE";
  WriteFile("wall.textproto", absl::StrCat(R"(
custodian_id: "test-custodian"
listen_address: "127.0.0.1:0"
tls { certificate: "tls/server.pem" private_key: "tls/server.key" client_ca: "tls/ca.pem" }
data_directory: "data"
key_file: "corpus.key"
event_log: "events.jsonl"
principals {
  name: "spiffe://topicwall/analyst/alice" role: ANALYST access { corpus: "notes" }
}
principals {
  name: "spiffe://topicwall/analyst/bob" role: ANALYST
  access { corpus: "notes" epsilon_cap: )",
                                           options_.bob_epsilon_cap, R"( }
}
principals {
  name: "spiffe://topicwall/auditor/ann" role: AUDITOR access { corpus: "notes" }
}
corpora {
  name: "notes"
  nominal_size: 300
  limits {
    max_tokens: 50 max_documents_per_unit: 5 max_parameters_per_term: 20 max_iterations: 50
    max_model_iterations: 100 min_noise_multiplier: 0.1 max_releases: 100000
    max_open_plans: 1000 queue_length: )",
                                           options_.queue_length, R"(
  }
  decoded_cache_mebibytes: 1
  )",
                                           timing, R"(
}
e_step_threads: 2
max_matrix_bytes: 1000000
)",
                                           more_analysts, options_.more_config));
}

bool WallWorld::StartServer(const Environment& environment, const ProcessLimits& limits) {
  server_.reset();  // one that was killed may still hold the data directory until it is waited for
  std::filesystem::remove(Path("ready"));
  server_ = std::make_unique<Background>(
      std::vector<std::string>{Program(options_.server_program), "--config", Path("wall.textproto"),
                               "--ready-file", Path("ready")},
      Path("server.out"), environment, limits);
  const auto deadline = std::chrono::steady_clock::now() + kStartTimeout;
  while (!std::filesystem::exists(Path("ready"))) {
    if (!server_->IsRunning() || std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  const std::string ready = ReadFile("ready");
  address_ = std::string(absl::StripSuffix(ready, "\n"));
  return true;
}

void WallWorld::StopServer() {
  server_->Signal(SIGTERM);
  server_->Wait();
}

void WallWorld::KillServer() {
  server_->Signal(SIGKILL);
  server_->Wait();
}

void WallWorld::CopyFolder(const std::string& from, const std::string& to) const {
  std::filesystem::remove_all(Path(to));
  std::filesystem::copy(Path(from), Path(to), std::filesystem::copy_options::recursive);
}

Finished WallWorld::Admin(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), Program("topicwall-admin"));
  return RunToEnd(arguments);
}

Finished WallWorld::Analyst(const std::string& name, std::vector<std::string> arguments,
                            const Environment& environment) {
  Environment variables = environment;
  variables["XDG_CONFIG_HOME"] = Path("config");
  // The port changes with every start, so the profile is written anew each time.
  const Finished login =
      RunToEnd({Program("topicwall"), "login", "--server", address_, "--ca", Path("tls/ca.pem"),
                "--certificate", Path("tls/" + name + ".pem"), "--key",
                Path("tls/" + name + ".key"), "--profile", name},
               variables);
  // 4: a test may have stopped the server; the profile is written all the same.
  EXPECT_TRUE(login.exit_code == 0 || login.exit_code == 4) << login.output;
  variables["TOPICWALL_PROFILE"] = name;
  arguments.insert(arguments.begin(), Program("topicwall"));
  return RunToEnd(arguments, variables);
}

google::protobuf::Struct WallWorld::AnalystJson(const std::string& name,
                                                std::vector<std::string> arguments) {
  arguments.emplace_back("--json");
  const Finished step = Analyst(name, std::move(arguments));
  EXPECT_EQ(step.exit_code, 0) << step.output;
  google::protobuf::Struct object;
  const auto begin = step.output.find('{');
  EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(
                  step.output.substr(begin == std::string::npos ? 0 : begin), &object)
                  .ok())
      << step.output;
  return object;
}

std::unique_ptr<v1::PrivacyWall::Stub> WallWorld::StubOf(const std::string& name) const {
  return StubWith(ReadFile("tls/" + name + ".pem"), ReadFile("tls/" + name + ".key"));
}

std::unique_ptr<v1::PrivacyWall::Stub> WallWorld::StubWith(const std::string& certificate,
                                                           const std::string& key) const {
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = ReadFile("tls/ca.pem");
  options.pem_cert_chain = certificate;
  options.pem_private_key = key;
  return v1::PrivacyWall::NewStub(grpc::CreateChannel(address_, grpc::SslCredentials(options)));
}

std::unique_ptr<v1::PrivacyWall::Stub> WallWorld::StubOnItsOwn(
    const std::string& name, grpc::ChannelArguments arguments) const {
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = ReadFile("tls/ca.pem");
  options.pem_cert_chain = ReadFile("tls/" + name + ".pem");
  options.pem_private_key = ReadFile("tls/" + name + ".key");
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return v1::PrivacyWall::NewStub(
      grpc::CreateCustomChannel(address_, grpc::SslCredentials(options), arguments));
}

v1::ReleaseSpec WallWorld::Plan(double noise_multiplier, int iterations) const {
  grpc::ClientContext context;
  v1::DescribeCorpusRequest request;
  request.set_corpus("notes");
  v1::CorpusDescription description;
  const grpc::Status status = StubOf("alice")->DescribeCorpus(&context, request, &description);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return PlanFor(description, noise_multiplier, iterations);
}

v1::ReleaseSpec WallWorld::PlanFor(const v1::CorpusDescription& description,
                                   double noise_multiplier, int iterations) {
  v1::ReleaseSpec plan = OfThreeTopics();
  plan.set_corpus("notes");
  plan.set_corpus_version(description.corpus_version());
  plan.set_sampling_rate(1);
  plan.mutable_gaussian()->set_noise_multiplier(noise_multiplier);
  plan.set_iterations(iterations);
  plan.set_max_tokens(50);
  return plan;
}

v1::ReleaseSpec WallWorld::OfThreeTopics() {
  v1::ReleaseSpec plan;
  testing::AskTopics(&plan, "lda", kTopics, {0.3}, /*max_iterations=*/100);
  return plan;
}

absl::StatusOr<v1::PlanState> WallWorld::Reserve(v1::PrivacyWall::Stub& stub,
                                                 const v1::ReleaseSpec& plan,
                                                 const std::string& request_id) {
  grpc::ClientContext context;
  v1::ReservePlanRequest request;
  request.set_request_id(request_id);
  *request.mutable_plan() = plan;
  v1::PlanState state;
  const absl::Status status = proto::FromGrpcStatus(stub.ReservePlan(&context, request, &state));
  if (!status.ok()) return status;
  return state;
}

std::vector<float> WallWorld::LogTopics() {
  std::vector<float> values(kTopics * kVocabulary, -5.0f);
  for (int topic = 0; topic < kTopics; ++topic) {
    for (int i = 0; i < 10; ++i) values[topic * kVocabulary + 10 * topic + i] = -2.5f;
  }
  return values;
}

v1::RunReleaseHeader WallWorld::Header(const std::string& plan_id, int iteration,
                                       const std::vector<float>& log_topics,
                                       const v1::ReleaseSpec& plan, double direction_noise) {
  v1::RunReleaseHeader header;
  header.set_plan_id(plan_id);
  header.set_iteration(iteration);
  header.set_clip_norm(4);
  header.set_direction_noise(direction_noise);
  header.set_request_digest(base::DigestBytes(proto::RequestDigest(header, plan, log_topics)));
  return header;
}

std::unique_ptr<grpc::ClientReaderWriter<v1::RunReleaseRequest, v1::ReleaseChunk>> WallWorld::Begin(
    v1::PrivacyWall::Stub& stub, const v1::RunReleaseHeader& header, grpc::ClientContext* context) {
  auto stream = stub.RunRelease(context);
  v1::RunReleaseRequest part;
  *part.mutable_header() = header;
  stream->Write(part);
  return stream;
}

absl::StatusOr<Received> WallWorld::RunRelease(v1::PrivacyWall::Stub& stub,
                                               const v1::RunReleaseHeader& header,
                                               const std::vector<float>& log_topics,
                                               Received* partly) {
  grpc::ClientContext context;
  auto stream = Begin(stub, header, &context);
  v1::RunReleaseRequest part;
  proto::ForEachChunk(log_topics, [&](const v1::FloatChunk& chunk) {
    *part.mutable_parameters() = chunk;
    return stream->Write(part) ? absl::OkStatus() : absl::CancelledError("");
  }).IgnoreError();  // a refused stream says why when it is finished
  stream->WritesDone();
  return Receive(*stream, partly);
}

absl::StatusOr<Received> WallWorld::GetRelease(v1::PrivacyWall::Stub& stub,
                                               const std::string& plan_id, int iteration) {
  grpc::ClientContext context;
  v1::GetReleaseRequest request;
  request.set_plan_id(plan_id);
  request.set_iteration(iteration);
  auto reader = stub.GetRelease(&context, request);
  return Receive(*reader);
}

absl::StatusOr<v1::BudgetStatus> WallWorld::Budget(v1::PrivacyWall::Stub& stub) {
  grpc::ClientContext context;
  v1::GetBudgetRequest request;
  request.set_corpus("notes");
  v1::BudgetStatus budget;
  const absl::Status status = proto::FromGrpcStatus(stub.GetBudget(&context, request, &budget));
  if (!status.ok()) return status;
  return budget;
}

}  // namespace topicwall::testing

// A whole small wall for one test: certificates, key, sealed corpus, ledger, server.
//
//   WallWorld world({.epsilon = 5});
//   world.StartServer();
//   auto alice = world.StubOf("alice");
//   Finished finished = world.Analyst("alice", {"budget", "notes"});
//
// Everything lies in a folder of its own that goes with the object, the server listens
// on a free port, and all of it is the real thing: the programs as they are deployed,
// mutual TLS, SQLite on disk.
#ifndef TOPICWALL_TESTS_E2E_WALL_WORLD_H_
#define TOPICWALL_TESTS_E2E_WALL_WORLD_H_

#include <google/protobuf/struct.pb.h>
#include <grpcpp/support/channel_arguments.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "proto/grpc_status.h"
#include "proto/wall.grpc.pb.h"
#include "tests/e2e/process.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::testing {

struct WorldOptions {
  double epsilon = 10;
  double delta = 1e-5;
  std::string privacy_unit = "document";
  int64_t release_interval_ms = 1000;  // long enough for a busy machine
  double bob_epsilon_cap = 1;
  int documents = 300;
  std::string documents_jsonl = {};                 // if given, the corpus is this instead
  std::string attributes = {};                      // of documents; an AttributeList as text
  std::vector<std::string> more_ingest = {};        // options of it
  std::string server_program = "topicwall-server";  // or an absolute path
  std::string more_config = {};                     // of wall.textproto
  std::vector<std::string> vouchers = {};  // "SIGMA,NU,COUNT"; with any, the budget is of vouchers
  std::vector<std::string> more_analysts = {};  // beside alice and bob; without a cap
  bool timing_protection = true;                // without: releases come when they are stored
  int queue_length = 4;
};

// A release as a client received it.
struct Received {
  v1::ReleaseHeader header;
  std::string statistics;  // little-endian float32
};

class WallWorld {
 public:
  // Analysts alice and bob (capped), auditor ann; corpus "notes" over 30 terms.
  explicit WallWorld(WorldOptions options = {});

  static constexpr int kVocabulary = 30;  // V
  static constexpr int kTopics = 3;       // K of Plan()
  static std::string Word(int number);    // 0 <= number < V

  std::string Path(const std::string& name) const { return folder_.Path(name); }
  std::string ReadFile(const std::string& name) const { return folder_.Content(name); }
  void WriteFile(const std::string& name, const std::string& text) const {
    folder_.Write(name, text);
  }
  // In place of what was there.
  void CopyFolder(const std::string& from, const std::string& to) const;
  static std::string Program(const std::string& name);

  // False, with the server's output in ServerOutput, if it did not come up.
  bool StartServer(const Environment& environment = {}, const ProcessLimits& limits = {});
  Background& server() { return *server_; }
  void StopServer();  // SIGTERM, then waits
  void KillServer();  // SIGKILL, then waits
  std::string ServerOutput() const { return ReadFile("server.out"); }
  const std::string& address() const { return address_; }

  Finished Admin(std::vector<std::string> arguments) const;
  // Runs `topicwall` with the profile of that principal (made at first use).
  Finished Analyst(const std::string& name, std::vector<std::string> arguments,
                   const Environment& environment = {});
  // What it prints with --json, as it must.
  google::protobuf::Struct AnalystJson(const std::string& name, std::vector<std::string> arguments);

  std::unique_ptr<v1::PrivacyWall::Stub> StubOf(const std::string& name) const;
  // A stub with a connection of its own: stubs of one process share connections otherwise.
  std::unique_ptr<v1::PrivacyWall::Stub> StubOnItsOwn(const std::string& name,
                                                      grpc::ChannelArguments arguments = {}) const;
  // A stub with the given PEM files; none of them = no client certificate.
  std::unique_ptr<v1::PrivacyWall::Stub> StubWith(const std::string& certificate,
                                                  const std::string& key) const;

  // A plan of three topics for the corpus as it is now.
  v1::ReleaseSpec Plan(double noise_multiplier, int iterations) const;
  // The same of one that was asked for elsewhere.
  static v1::ReleaseSpec PlanFor(const v1::CorpusDescription& description, double noise_multiplier,
                                 int iterations);
  static absl::StatusOr<v1::PlanState> Reserve(v1::PrivacyWall::Stub& stub,
                                               const v1::ReleaseSpec& plan,
                                               const std::string& request_id);

  // A well-formed request with its digest, and the log topics that belong to it.
  // Of a plan with the model and the options of Plan, unless `plan` has others.
  static v1::RunReleaseHeader Header(const std::string& plan_id, int iteration,
                                     const std::vector<float>& log_topics,
                                     const v1::ReleaseSpec& plan = OfThreeTopics(),
                                     double direction_noise = 0);
  static v1::ReleaseSpec OfThreeTopics();
  static std::vector<float> LogTopics();

  // An open stream to which nothing but the header was sent.
  static std::unique_ptr<grpc::ClientReaderWriter<v1::RunReleaseRequest, v1::ReleaseChunk>> Begin(
      v1::PrivacyWall::Stub& stub, const v1::RunReleaseHeader& header,
      grpc::ClientContext* context);
  // Everything that comes until the stream ends; `partly`, if given, has it even after an error.
  template <typename Reader>
  static absl::StatusOr<Received> Receive(Reader& reader, Received* partly = nullptr) {
    Received received;
    v1::ReleaseChunk chunk;
    while (reader.Read(&chunk)) {
      if (chunk.has_header()) received.header = chunk.header();
      if (chunk.has_statistics()) received.statistics += chunk.statistics().values();
    }
    const absl::Status status = proto::FromGrpcStatus(reader.Finish());
    if (partly != nullptr) *partly = received;
    if (!status.ok()) return status;
    return received;
  }
  static absl::StatusOr<Received> RunRelease(v1::PrivacyWall::Stub& stub,
                                             const v1::RunReleaseHeader& header,
                                             const std::vector<float>& log_topics,
                                             Received* partly = nullptr);
  static absl::StatusOr<Received> GetRelease(v1::PrivacyWall::Stub& stub,
                                             const std::string& plan_id, int iteration);
  static absl::StatusOr<v1::BudgetStatus> Budget(v1::PrivacyWall::Stub& stub);

 private:
  void WriteCorpus() const;
  void WriteConfig() const;

  const WorldOptions options_;
  const TemporaryDirectory folder_;
  std::string address_;
  std::unique_ptr<Background> server_;
};

}  // namespace topicwall::testing

#endif  // TOPICWALL_TESTS_E2E_WALL_WORLD_H_

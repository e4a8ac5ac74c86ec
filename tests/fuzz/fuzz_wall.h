// A whole small wall in this process, and calls to it byte by byte.
//
//   FuzzWall wall;
//   Answer answer = wall.Call("alice", "DescribeCorpus", {request_bytes});
//
// Two dozen documents over five terms, an adaptive budget of ε = 8, no schedule; the server as it
// is deployed but for main.cc: mutual TLS on a free port of this machine, SQLite in a temporary
// folder that goes with the object.
//
// Requests travel as bytes that nothing has parsed, so that gRPC's own reading of them is part of
// what is fuzzed. Analysts: alice, bob (capped); auditor: ann.
#ifndef TOPICWALL_TESTS_FUZZ_FUZZ_WALL_H_
#define TOPICWALL_TESTS_FUZZ_FUZZ_WALL_H_

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "proto/wall.pb.h"
#include "server/gate/wall_server.h"
#include "server/release/clock.h"
#include "server/vault/vault.h"
#include "server/vault/wall.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::fuzz {

struct Answer {
  absl::Status status;
  std::vector<std::string> replies;  // serialized, in order
};

class FuzzWall {
 public:
  FuzzWall();
  ~FuzzWall();

  const std::string& version() const { return version_; }  // 16 bytes

  // Sends `parts` as the request's messages and reads to the end of the answer.
  Answer Call(const std::string& name, const std::string& method,
              const std::vector<std::string>& parts);

  // As an auditor is told, without a call.
  v1::BudgetStatus Budget();

 private:
  v1::WallConfig Config() const;
  void MakeCorpusAndBudget();

  testing::TemporaryDirectory folder_;
  std::string version_;
  const std::unique_ptr<release::Clock> clock_;
  std::unique_ptr<server::Wall> wall_;
  std::unique_ptr<server::Vault> vault_;
  std::unique_ptr<server::WallServer> server_;
  std::map<std::string, std::unique_ptr<grpc::GenericStub>> stubs_;
  grpc::CompletionQueue queue_;
};

}  // namespace topicwall::fuzz

#endif  // TOPICWALL_TESTS_FUZZ_FUZZ_WALL_H_

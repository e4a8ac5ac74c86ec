// What the programs say on their command line: help, exit codes, JSON, health.
#include <gmock/gmock.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/e2e/wall_world.h"
#include "tests/support/free_port.h"

namespace topicwall::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

Finished Accountant(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), WallWorld::Program("topicwall-accountant"));
  return RunToEnd(arguments);
}

google::protobuf::Struct Json(const std::string& text) {
  google::protobuf::Struct parsed;
  EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(text, &parsed).ok()) << text;
  return parsed;
}

TEST(ProgramsTest, EveryHelpHasAnExample) {
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {WallWorld::Program("topicwall-accountant"), "epsilon", "--help"},
           {WallWorld::Program("topicwall-accountant"), "calibrate", "--help"},
           {WallWorld::Program("topicwall-server"), "--help"}}) {
    const Finished help = RunToEnd(command);
    EXPECT_EQ(help.exit_code, 0) << command[0];
    EXPECT_THAT(help.output, HasSubstr("Example")) << command[0];
  }
}

TEST(ProgramsTest, EachSaysItsVersionAndNeedsNothingForIt) {
  for (const char* program :
       {"topicwall", "topicwall-accountant", "topicwall-admin", "topicwall-server"}) {
    const Finished version = RunToEnd({WallWorld::Program(program), "--version"});
    EXPECT_EQ(version.exit_code, 0) << program;
    EXPECT_THAT(version.output, MatchesRegex(std::string(program) + " [0-9.]+\n"));
  }
}

// As on a full disk, or under whoever closes what it does not use.
TEST(ProgramsTest, WhatCannotBePrintedIsExitOneAndSaysWhy) {
  const auto run = [](const std::string& program, const std::string& arguments) {
    return RunToEnd(
        {"/bin/sh", "-c", absl::StrCat("exec ", WallWorld::Program(program), " ", arguments)});
  };
  for (const char* program :
       {"topicwall", "topicwall-accountant", "topicwall-admin", "topicwall-audit",
        "topicwall-server", "topicwall-gate", "topicwall-vault", "topicwall-store"}) {
    for (const char* arguments : {"--help >/dev/full", "--version >/dev/full", "--version >&-"}) {
      const Finished finished = run(program, arguments);
      EXPECT_EQ(finished.exit_code, 1) << program << " " << arguments;
      EXPECT_THAT(finished.output,
                  HasSubstr(absl::StrCat(program, ": cannot write standard output: ")))
          << arguments;
    }
  }
  const std::string epsilon =
      "epsilon --noise-multiplier 2 --sampling-rate 1 --steps 1 --delta 1e-6 ";
  EXPECT_EQ(run("topicwall-accountant", epsilon).exit_code, 0);
  const Finished result = run("topicwall-accountant", epsilon + ">/dev/full");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, HasSubstr("No space left on device"));
}

// One that is closed would be the first file that is opened, or the end of a session.
TEST(ProgramsTest, AServerServesWhoseStandardStreamsAreClosed) {
  WallWorld world;
  Background server({"/bin/sh", "-c",
                     absl::StrCat("exec ", WallWorld::Program("topicwall-server"), " --config ",
                                  world.Path("wall.textproto"), " --ready-file ",
                                  world.Path("ready"), " <&- >&- 2>&-")},
                    world.Path("server.out"));
  while (server.IsRunning() && !std::filesystem::exists(world.Path("ready"))) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ASSERT_TRUE(server.IsRunning()) << world.ReadFile("events.jsonl");
  server.Signal(SIGTERM);
  EXPECT_EQ(server.Wait(), 0);
}

TEST(ProgramsTest, AMistypedFlagIsExitTwo) {
  EXPECT_EQ(Accountant({"epsilon", "--sigma", "2"}).exit_code, 2);
  EXPECT_EQ(Accountant({}).exit_code, 2);
  EXPECT_EQ(RunToEnd({WallWorld::Program("topicwall-server"), "--port", "1"}).exit_code, 2);
  EXPECT_EQ(RunToEnd({WallWorld::Program("topicwall-server")}).exit_code, 2);
}

TEST(ProgramsTest, KernelsAreListedAndForcedByName) {
  const Finished list = RunToEnd({WallWorld::Program("topicwall-server"), "--list-kernels"});
  EXPECT_EQ(list.exit_code, 0);
  EXPECT_THAT(list.output, HasSubstr("portable-f32-4\n"));
  for (const char* program : {"topicwall-vault", "topicwall", "topicwall-admin"}) {
    const Finished bad = RunToEnd({WallWorld::Program(program), "--kernel", "abacus"});
    EXPECT_EQ(bad.exit_code, 2) << program;
    EXPECT_THAT(bad.output, HasSubstr("portable-f32-4")) << "says which there are";
  }
}

TEST(ProgramsTest, ANumberOutOfItsDomainIsExitTwoAndNamed) {
  const Finished bad = Accountant({"epsilon", "--noise-multiplier", "0", "--sampling-rate", "0.05",
                                   "--steps", "20", "--delta", "1e-4", "--accountant", "renyi"});
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_THAT(bad.output, HasSubstr("noise_multiplier"));
}

// 2.4411 = the paper's 2.44 at its own cap of orders; 1.2133 by real Rényi orders.
TEST(ProgramsTest, TheHeadlineIsPricedAsJson) {
  const std::vector<std::string> plan = {"epsilon",     "--noise-multiplier",
                                         "1.24",        "--sampling-rate",
                                         "0.05",        "--steps",
                                         "20",          "--delta",
                                         "1e-4",        "--json",
                                         "--accountant"};
  std::vector<std::string> renyi = plan;
  renyi.push_back("renyi");
  EXPECT_NEAR(Json(Accountant(renyi).output).fields().at("epsilon_upper").number_value(), 1.2133,
              1e-4);
  std::vector<std::string> paper = plan;
  paper.insert(paper.end(), {"moments", "--paper-cap"});
  EXPECT_NEAR(Json(Accountant(paper).output).fields().at("epsilon_upper").number_value(), 2.4411,
              1e-4);
}

TEST(ProgramsTest, ACertificateWithoutItsKeyIsNamedAndNothingIsServed) {
  WallWorld world;
  const std::string right = world.ReadFile("tls/server.key");
  world.WriteFile("tls/server.key", world.ReadFile("tls/alice.key"));
  EXPECT_FALSE(world.StartServer());
  EXPECT_THAT(world.ServerOutput(), HasSubstr("tls.private_key must be"));
  EXPECT_EQ(world.server().Wait(), 1);
  world.WriteFile("tls/server.key", right);
  EXPECT_TRUE(world.StartServer()) << world.ServerOutput();
}

// A call of a method that this repository has no stub of.
grpc::Status Call(const WallWorld& world, const std::string& name, const std::string& method,
                  const std::string& request) {
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = world.ReadFile("tls/ca.pem");
  if (!name.empty()) {
    options.pem_cert_chain = world.ReadFile("tls/" + name + ".pem");
    options.pem_private_key = world.ReadFile("tls/" + name + ".key");
  }
  grpc::GenericStub stub(grpc::CreateChannel(world.address(), grpc::SslCredentials(options)));
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  grpc::ByteBuffer reply;
  grpc::Status status;
  const grpc::Slice bytes(request);
  auto call = stub.PrepareUnaryCall(&context, method, grpc::ByteBuffer(&bytes, 1), &queue);
  call->StartCall();
  call->Finish(&reply, &status, nullptr);
  void* tag;
  bool ok;
  queue.Next(&tag, &ok);
  return status;
}

TEST(ProgramsTest, AReadyFileThatIsSomethingElseIsLeftAlone) {
  WallWorld world;
  const auto serve = [&](const std::string& ready_file) {
    return RunToEnd({WallWorld::Program("topicwall-server"), "--config",
                     world.Path("wall.textproto"), "--ready-file", world.Path(ready_file)});
  };
  const std::string key = world.ReadFile("tls/server.key");
  const Finished refused = serve("tls/server.key");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.output, HasSubstr("--ready-file must be new"));
  EXPECT_EQ(world.ReadFile("tls/server.key"), key);
  // What a server left may stay there: this one is refused for the data that the other holds.
  ASSERT_TRUE(world.StartServer()) << world.ServerOutput();
  const Finished second = serve("ready");
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_THAT(second.output, Not(HasSubstr("--ready-file")));
}

TEST(ProgramsTest, HealthIsToldToListedPrincipalsOnly) {
  WallWorld world;
  ASSERT_TRUE(world.StartServer()) << world.ServerOutput();
  const std::string whole_server("\x0a\x00", 2);  // service: ""
  const grpc::Status listed = Call(world, "ann", "/grpc.health.v1.Health/Check", whole_server);
  EXPECT_TRUE(listed.ok()) << listed.error_code() << " " << listed.error_message();
  EXPECT_FALSE(Call(world, "", "/grpc.health.v1.Health/Check", whole_server).ok());
}

TEST(ProgramsTest, HealthOverHttpWantsNoCertificateAndSaysNothingElse) {
  WallWorld world;
  const int port = FreePort();
  world.WriteFile("wall.textproto", absl::StrCat(world.ReadFile("wall.textproto"),
                                                 "health_address: \"127.0.0.1:", port, "\"\n"));
  ASSERT_TRUE(world.StartServer()) << world.ServerOutput();
  const auto get = [port](const std::string& path) {
    return RunToEnd({"/bin/bash", "-c",
                     absl::StrCat("exec 3<>/dev/tcp/127.0.0.1/", port, "; printf 'GET ", path,
                                  " HTTP/1.1\\r\\n\\r\\n' >&3; cat <&3")})
        .output;
  };
  EXPECT_THAT(get("/health"), HasSubstr("HTTP/1.1 200 OK"));
  EXPECT_THAT(get("/"), HasSubstr("HTTP/1.1 404"));
  world.StopServer();
  EXPECT_THAT(get("/health"), Not(HasSubstr("HTTP/1.1")));
}

// A stream of it would hold one of the threads that all share.
TEST(ProgramsTest, ThereIsNoReflection) {
  const std::string method = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";
  const std::string list_services("\x3a\x00", 2);
  WallWorld world;
  ASSERT_TRUE(world.StartServer()) << world.ServerOutput();
  EXPECT_EQ(Call(world, "alice", method, list_services).error_code(),
            grpc::StatusCode::UNIMPLEMENTED);
}

TEST(ProgramsTest, ACorpusThatIsNotReadyTakesNoOtherDown) {
  WallWorld world;
  const std::string config = world.ReadFile("wall.textproto");
  const std::string corpus = config.substr(
      config.find("corpora {"), config.find("e_step_threads") - config.find("corpora {"));
  world.WriteFile(
      "wall.textproto",
      absl::StrReplaceAll(config, {{"ANALYST access { corpus: \"notes\" }",
                                    "ANALYST access { corpus: \"notes\" } access { corpus: "
                                    "\"letters\" }"}}) +
          absl::StrReplaceAll(corpus, {{"\"notes\"", "\"letters\""}}));
  ASSERT_TRUE(world.StartServer()) << world.ServerOutput();
  const auto describe = [&](const std::string& name, const std::string& what) {
    grpc::ClientContext context;
    v1::DescribeCorpusRequest request;
    request.set_corpus(what);
    v1::CorpusDescription description;
    return world.StubOf(name)->DescribeCorpus(&context, request, &description);
  };
  EXPECT_TRUE(describe("alice", "notes").ok());
  const grpc::Status letters = describe("alice", "letters");
  EXPECT_EQ(letters.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(letters.error_message(), HasSubstr("not ready; ask the custodian"));
  EXPECT_EQ(describe("bob", "letters").error_code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_THAT(world.ReadFile("events.jsonl"), HasSubstr("corpus_not_ingested_or_damaged"));
  const Finished checked = world.Admin({"check-config", "--config", world.Path("wall.textproto")});
  EXPECT_EQ(checked.exit_code, 0) << checked.output;
  EXPECT_THAT(checked.output, HasSubstr("corpus letters would not be served"));
}

TEST(ProgramsTest, WhyTheServerDidNotStartStandsInItsLog) {
  WallWorld world;
  world.WriteFile("tls/server.key", world.ReadFile("tls/alice.key"));
  EXPECT_FALSE(world.StartServer());
  EXPECT_THAT(world.ReadFile("events.jsonl"), AllOf(HasSubstr("\"event\":\"server_not_started\""),
                                                    HasSubstr("tls.private_key must be")));
}

}  // namespace
}  // namespace topicwall::testing

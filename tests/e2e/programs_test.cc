// What the programs say on their command line: help, exit codes, JSON, health.
#include <gmock/gmock.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/e2e/wall_world.h"

namespace topicwall::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

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
  for (const char* program : {"topicwall-server", "topicwall", "topicwall-admin"}) {
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

grpc::Status CheckHealth(const std::string& address, const std::string& ca,
                         const std::string& certificate, const std::string& key) {
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = ca;
  options.pem_cert_chain = certificate;
  options.pem_private_key = key;
  grpc::GenericStub stub(grpc::CreateChannel(address, grpc::SslCredentials(options)));
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  grpc::ByteBuffer reply;
  grpc::Status status;
  const grpc::Slice whole_server(std::string("\x0a\x00", 2));  // service: ""
  auto call = stub.PrepareUnaryCall(&context, "/grpc.health.v1.Health/Check",
                                    grpc::ByteBuffer(&whole_server, 1), &queue);
  call->StartCall();
  call->Finish(&reply, &status, nullptr);
  void* tag;
  bool ok;
  queue.Next(&tag, &ok);
  return status;
}

TEST(ProgramsTest, HealthIsToldToListedPrincipalsOnly) {
  WallWorld world;
  ASSERT_TRUE(world.StartServer()) << world.ServerOutput();
  const std::string ca = world.ReadFile("tls/ca.pem");
  const grpc::Status listed = CheckHealth(world.address(), ca, world.ReadFile("tls/ann.pem"),
                                          world.ReadFile("tls/ann.key"));
  EXPECT_TRUE(listed.ok()) << listed.error_code() << " " << listed.error_message();
  EXPECT_FALSE(CheckHealth(world.address(), ca, "", "").ok());
}

}  // namespace
}  // namespace topicwall::testing

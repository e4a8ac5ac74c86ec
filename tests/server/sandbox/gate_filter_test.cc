#include <arpa/inet.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/security/tls_certificate_verifier.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <memory>
#include <string>
#include <thread>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "proto/wall.grpc.pb.h"
#include "server/gate/connection_listener.h"
#include "server/gate/health_listener.h"
#include "server/gate/server_credentials.h"
#include "server/log/event_log.h"
#include "server/sandbox/filter.h"
#include "server/sandbox/sandbox.h"
#include "tests/server/sandbox/attempts.h"
#include "tests/server/sandbox/confined_process.h"
#include "tests/server/sandbox/throwaway_certificates.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::sandbox {
namespace {

using testing::WriteWholeFile;

int InGate(const Attempt& attempt) { return attempt.gate; }
int Done(const Attempt&) { return 0; }

class GateFilterTest : public RoomFrame {};

TEST_F(GateFilterTest, IsCalledByTcpAndCallsNobody) {
  EXPECT_EQ(Try(EnterGate, folders_.paths(), OnTheNetwork(inherited_), InGate), "");
}

#ifdef __x86_64__
// Their numbers mean other calls: 26 is ptrace there.
TEST_F(GateFilterTest, MakesNoCallOfThe32BitMode) {
  const std::string said = SaidInside(EnterGate, folders_.paths(), [](const Line& line) {
    signal(SIGSEGV, SIG_DFL);  // a sanitizer's would end it otherwise
    long result = 20;          // getpid
    __asm__ volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
    line.Say(absl::StrCat(result));
  });
  const bool kernel_has_none = said == absl::StrCat("ended with status ", SIGSEGV, "\n");
  EXPECT_TRUE(said == absl::StrCat(-EPERM, "\n") || kernel_has_none) << said;
}
#endif

// Without this these tests, and those of every_room_test.cc, would not tell a room from a machine
// that refuses by itself. Those that need privilege, or a part of the kernel that may be missing,
// are left out.
TEST_F(GateFilterTest, OutsideAnybodyMayDoAllThatIsTried) {
  EXPECT_EQ(Try(EnterNothing, {}, ByPath(folders_, victim_), Done, false), "");
  EXPECT_EQ(Try(EnterNothing, {}, BesideLandlock(folders_), Done, false), "");
  EXPECT_EQ(Try(EnterNothing, {}, OnTheLog(inherited_), Done, false), "");
  EXPECT_EQ(Try(EnterNothing, {}, SignalsToOthers(victim_, inherited_), Done, false), "");
  EXPECT_EQ(Try(EnterNothing, {}, IntoOthers(victim_), Done, false), "");
  EXPECT_EQ(Try(EnterNothing, {}, OnTheKernel(folders_), Done, false), "");
  EXPECT_EQ(Try(EnterNothing, {}, OnPrograms(), Done, false), "");
  EXPECT_EQ(Try(EnterNothing, {}, OnTheNetwork(inherited_), Done, false), "");
}

// The wall's service, as far as a call has to reach it.
class Describing final : public v1::PrivacyWall::Service {
  grpc::Status DescribeCorpus(grpc::ServerContext* context,
                              const v1::DescribeCorpusRequest* request,
                              v1::CorpusDescription* answer) override {
    answer->set_corpus(request->corpus());
    answer->set_custodian_id(absl::StrCat(context->auth_context()->GetPeerIdentity().size()));
    return grpc::Status::OK;
  }
};

// The gate's own listeners, credentials and log around it, until the other side says something.
void Serve(const Line& line, const std::string& host, const v1::TlsFiles& files,
           const std::string& log_path) {
  auto log = server::EventLog::Open(log_path);
  if (!log.ok()) return line.Say(log.status().ToString());
  auto credentials = server::ServerCredentials::Create(
      files, std::make_shared<grpc::experimental::NoOpCertificateVerifier>(), log->get(), [] {},
      [] {});
  auto health = server::HealthListener::Start("127.0.0.1:0");
  auto listener = server::ConnectionListener::Listen("listen_address", host + ":0");
  if (!credentials.ok()) return line.Say(credentials.status().ToString());
  if (!health.ok()) return line.Say(health.status().ToString());
  if (!listener.ok()) return line.Say(listener.status().ToString());
  grpc::ServerBuilder builder;
  const std::shared_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor =
      builder.experimental().AddExternalConnectionAcceptor(
          grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD,
          (*credentials)->Get());
  Describing service;
  builder.RegisterService(&service);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr) return line.Say("gRPC does not start");
  (*listener)->Start([acceptor](int listening, int connection) {
    grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters parameters;
    parameters.listener_fd = listening;
    parameters.fd = connection;
    acceptor->HandleNewConnection(&parameters);
  });
  (*health)->SetServing(true);
  (*log)->Write(server::LogEvent::kServerStarted, {});
  line.Say(absl::StrCat((*listener)->port()));
  line.Say(absl::StrCat((*health)->port()));
  line.Hear();
  (*listener)->Stop();
  server->Shutdown();
}

std::string Ask(const std::string& port, const std::string& authority, const PemPair& client) {
  return SaidInside(EnterNothing, {}, [&](const Line& line) {
    const auto stub = v1::PrivacyWall::NewStub(grpc::CreateChannel(
        "127.0.0.1:" + port, grpc::SslCredentials({.pem_root_certs = authority,
                                                   .pem_private_key = client.private_key,
                                                   .pem_cert_chain = client.certificate})));
    v1::DescribeCorpusRequest request;
    request.set_corpus("notes");
    v1::CorpusDescription answer;
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
    const grpc::Status status = stub->DescribeCorpus(&context, request, &answer);
    line.Say(status.ok() ? answer.corpus() + answer.custodian_id() : status.error_message());
  });
}

std::string AskHealth(const std::string& port) {
  int number = 0;
  if (!absl::SimpleAtoi(port, &number)) return "no port: " + port;
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<uint16_t>(number));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(descriptor, reinterpret_cast<const sockaddr*>(&to), sizeof(to)) != 0) return "none";
  constexpr char kRequest[] = "GET /health HTTP/1.1\r\n\r\n";
  send(descriptor, kRequest, sizeof(kRequest) - 1, MSG_NOSIGNAL);
  char reply[16] = {};
  recv(descriptor, reply, 12, MSG_WAITALL);
  close(descriptor);
  return reply;
}

class ServingTest : public GateFilterTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(ServingTest, AnswersACallByMutualTlsInside) {
  ASSERT_OK_AND_ASSIGN(const auto authority, ThrowawayAuthority::Create());
  ASSERT_OK_AND_ASSIGN(const auto server, authority->IssueServer());
  ASSERT_OK_AND_ASSIGN(const auto client, authority->IssueClient("spiffe://topicwall/audit/alice"));
  v1::TlsFiles files;
  files.set_certificate(folders_("open/server.pem"));
  files.set_private_key(folders_("open/server.key"));
  files.set_client_ca(folders_("open/ca.pem"));
  WriteWholeFile(files.certificate(), server.certificate);
  WriteWholeFile(files.private_key(), server.private_key);
  WriteWholeFile(files.client_ca(), authority->certificate());
  Paths paths = folders_.paths();
  paths.readable.push_back("/etc/hosts");

  ConfinedProcess gate(EnterGate, paths, [&](const Line& line) {
    Serve(line, GetParam(), files, folders_("data/events.jsonl"));
  });
  const std::string port = gate.Hear();
  const std::string health = gate.Hear();
  EXPECT_EQ(Ask(port, authority->certificate(), client), "notes1\n") << port;
  EXPECT_EQ(AskHealth(health), "HTTP/1.1 200");
  gate.Say("enough");
  EXPECT_EQ(gate.End(), 0);
  EXPECT_NE(testing::ReadWholeFile(folders_("data/events.jsonl")), "");
}
INSTANTIATE_TEST_SUITE_P(Hosts, ServingTest,
                         ::testing::Values("127.0.0.1", "localhost", "0.0.0.0"));

}  // namespace
}  // namespace topicwall::sandbox

// Who gets through the door, and what each may see.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "proto/grpc_status.h"
#include "proto/ledger.pb.h"
#include "proto/ledger_chain.h"
#include "tests/e2e/wall_world.h"
#include "tests/support/status_matchers.h"

namespace topicwall::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// deploy/make-certificates counts in days.
constexpr char kSign[] = R"sh(set -e
cd "$(dirname "$0")"
cat > own.cnf <<END
[ca]
default_ca=own
[own]
new_certs_dir=.
database=index
serial=serial
default_md=sha256
policy=any
x509_extensions=leaf
[any]
commonName=supplied
[leaf]
basicConstraints=critical,CA:FALSE
extendedKeyUsage=clientAuth
subjectAltName=URIS
END
: > index
openssl rand -hex 8 > serial
openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=NAME \
  -keyout tls/NAME.key -out own.csr
openssl ca -batch -notext -config own.cnf -cert tls/ca.pem -keyfile tls/ca.key -in own.csr \
  -startdate "$(date -u -d '-1 minute' +%Y%m%d%H%M%SZ)" \
  -enddate "$(date -u -d '+SECONDS seconds' +%Y%m%d%H%M%SZ)" -out tls/NAME.pem
)sh";

class AuthenticationTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput(); }

  static absl::Status Describe(v1::PrivacyWall::Stub& stub) {
    grpc::ClientContext context;
    v1::DescribeCorpusRequest request;
    request.set_corpus("notes");
    v1::CorpusDescription description;
    return proto::FromGrpcStatus(stub.DescribeCorpus(&context, request, &description));
  }

  static std::vector<v1::LedgerEntry> Entries(v1::PrivacyWall::Stub& stub) {
    grpc::ClientContext context;
    v1::ReadLedgerRequest request;
    request.set_corpus("notes");
    auto reader = stub.ReadLedger(&context, request);
    std::vector<v1::LedgerEntry> entries;
    v1::LedgerEntry entry;
    while (reader->Read(&entry)) entries.push_back(entry);
    EXPECT_TRUE(reader->Finish().ok());
    return entries;
  }

  // A certificate that another authority made for the same name.
  void MakeStrangers() {
    const Finished made = RunToEnd({TOPICWALL_SOURCE_DIR "/deploy/make-certificates", "--output",
                                    world_.Path("other"), "--analyst", "alice"});
    ASSERT_EQ(made.exit_code, 0) << made.output;
    const Finished eve = RunToEnd({TOPICWALL_SOURCE_DIR "/deploy/make-certificates", "--output",
                                   world_.Path("tls"), "--analyst", "eve"});
    ASSERT_EQ(eve.exit_code, 0) << eve.output;
  }

  // A certificate of the world's authority for the name, with these URIs, that ends so soon.
  void MakeCertificate(const std::string& name, const std::string& uris, int seconds) {
    world_.WriteFile("sign.sh", absl::StrReplaceAll(kSign, {{"NAME", name},
                                                            {"URIS", uris},
                                                            {"SECONDS", absl::StrCat(seconds)}}));
    const Finished made = RunToEnd({"/bin/bash", world_.Path("sign.sh")});
    ASSERT_EQ(made.exit_code, 0) << made.output;
  }

  // As alice, with her certificate in that folder.
  grpc::SslCredentialsOptions OfAlice(const std::string& folder) const {
    return {.pem_root_certs = world_.ReadFile("tls/ca.pem"),
            .pem_private_key = world_.ReadFile(folder + "/alice.key"),
            .pem_cert_chain = world_.ReadFile(folder + "/alice.pem")};
  }
  static absl::Status DescribeAt(const std::string& address,
                                 const grpc::SslCredentialsOptions& credentials) {
    return Describe(
        *v1::PrivacyWall::NewStub(grpc::CreateChannel(address, grpc::SslCredentials(credentials))));
  }

  // How often the log has the event.
  int Lines(const std::string& event) const {
    const std::vector<std::string> parts =
        absl::StrSplit(world_.ReadFile("events.jsonl"), "\"event\":\"" + event + "\"");
    return static_cast<int>(parts.size()) - 1;
  }
  bool AwaitLine(const std::string& event, int count) const {
    const absl::Time late = absl::Now() + absl::Minutes(2);
    while (Lines(event) < count && absl::Now() < late) absl::SleepFor(absl::Milliseconds(100));
    return Lines(event) >= count;
  }
  // Of a gate that was started again, which chose another port.
  std::string AddressNow() const {
    const std::string log = world_.ReadFile("events.jsonl");
    const std::string field = "\"address\":\"";
    const size_t begin = log.rfind(field) + field.size();
    return log.substr(begin, log.find('"', begin) - begin);
  }

  WallWorld world_;
};

TEST_F(AuthenticationTest, OnlyListedNamesFromTheRightAuthorityGetIn) {
  MakeStrangers();
  EXPECT_OK(Describe(*world_.StubOf("alice")));
  EXPECT_OK(Describe(*world_.StubOf("ann")));
  EXPECT_THAT(Describe(*world_.StubOf("eve")), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(Describe(*world_.StubWith("", "")), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(Describe(*world_.StubWith(world_.ReadFile("other/alice.pem"),
                                        world_.ReadFile("other/alice.key"))),
              StatusIs(absl::StatusCode::kUnavailable));
}

TEST_F(AuthenticationTest, ALoginSaysWhetherItsOwnerIsLetInAndWhatIsInTheWay) {
  MakeStrangers();
  struct Attempt {
    std::string server, ca, name;
    int exit_code;
    std::string says;
  };
  const std::string here = world_.address();
  for (const Attempt& attempt :
       {Attempt{here, "tls/ca.pem", "tls/alice", 0, "lets you in"},
        Attempt{here, "tls/ca.pem", "tls/ann", 0, "lets you in"},
        Attempt{here, "tls/ca.pem", "tls/eve", 1, "custodian's list has nobody"},
        Attempt{here, "other/ca.pem", "tls/alice", 1, "CA: "},
        Attempt{here, "tls/ca.pem", "other/alice", 1, "certificate: "},
        Attempt{"127.0.0.1:1", "tls/ca.pem", "tls/alice", 4, "network: "}}) {
    const Finished login = RunToEnd(
        {WallWorld::Program("topicwall"), "login", "--server", attempt.server, "--ca",
         world_.Path(attempt.ca), "--certificate", world_.Path(attempt.name + ".pem"), "--key",
         world_.Path(attempt.name + ".key"), "--profile", world_.Path("login.textproto")});
    EXPECT_EQ(login.exit_code, attempt.exit_code) << login.output;
    EXPECT_THAT(login.output, ::testing::HasSubstr(attempt.says));
  }
  const Finished mixed =
      RunToEnd({WallWorld::Program("topicwall"), "login", "--server", here, "--ca",
                world_.Path("tls/ca.pem"), "--certificate", world_.Path("tls/alice.pem"), "--key",
                world_.Path("tls/ann.key"), "--profile", world_.Path("login.textproto")});
  EXPECT_EQ(mixed.exit_code, 1) << mixed.output;
  EXPECT_THAT(mixed.output, ::testing::HasSubstr("key: "));
}

TEST_F(AuthenticationTest, ThereIsNoPlaintextPort) {
  auto stub = v1::PrivacyWall::NewStub(
      grpc::CreateChannel(world_.address(), grpc::InsecureChannelCredentials()));
  EXPECT_THAT(Describe(*stub), StatusIs(absl::StatusCode::kUnavailable));
}

// Everything on it ends, also a call that waits for nothing but its client.
TEST_F(AuthenticationTest, AConnectionEndsWithTheCertificateThatOpenedIt) {
  MakeCertificate("brief", "URI:spiffe://topicwall/analyst/alice", 8);
  auto brief = world_.StubOnItsOwn("brief");
  ASSERT_OK(Describe(*brief));
  const v1::ReleaseSpec plan = world_.Plan(8, 1);
  ASSERT_OK_AND_ASSIGN(const auto reserved, WallWorld::Reserve(*brief, plan, std::string(16, 'a')));
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(60));
  const auto topics = WallWorld::LogTopics();
  auto open = WallWorld::Begin(*brief, WallWorld::Header(reserved.plan_id(), 1, topics), &context);
  v1::ReleaseChunk chunk;
  EXPECT_FALSE(open->Read(&chunk));
  EXPECT_EQ(open->Finish().error_code(), grpc::StatusCode::UNAVAILABLE) << "hung up on";
  EXPECT_FALSE(Describe(*brief).ok());
  EXPECT_OK(Describe(*world_.StubOf("alice")));
}

// Also whoever is in the middle of a call; whom the new one admits comes back.
TEST_F(AuthenticationTest, ANewAuthorityShutsOutWhoeverItAdmitsNoMore) {
  MakeStrangers();
  auto before = world_.StubOnItsOwn("alice");
  ASSERT_OK(Describe(*before));
  ASSERT_OK_AND_ASSIGN(const auto reserved,
                       WallWorld::Reserve(*before, world_.Plan(8, 1), std::string(16, 'a')));
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(120));
  const auto topics = WallWorld::LogTopics();
  auto open = WallWorld::Begin(*before, WallWorld::Header(reserved.plan_id(), 1, topics), &context);
  const grpc::SslCredentialsOptions admitted = {
      .pem_root_certs = world_.ReadFile("tls/ca.pem"),
      .pem_private_key = world_.ReadFile("other/alice.key"),
      .pem_cert_chain = world_.ReadFile("other/alice.pem")};
  world_.WriteFile("tls/ca.pem", world_.ReadFile("other/ca.pem"));
  v1::ReleaseChunk chunk;
  EXPECT_FALSE(open->Read(&chunk));
  EXPECT_EQ(open->Finish().error_code(), grpc::StatusCode::UNAVAILABLE) << "hung up on";
  EXPECT_FALSE(Describe(*before).ok());
  EXPECT_OK(Describe(*v1::PrivacyWall::NewStub(
      grpc::CreateChannel(world_.address(), grpc::SslCredentials(admitted)))));
}

// The sandbox is of the folders that were there at the start: the gate starts anew to see others,
// or it would let in for ever whom the authority before admits.
TEST_F(AuthenticationTest, AnAuthorityInAnotherFolderInThePlaceOfTheFirstIsTakenAsWell) {
  MakeStrangers();
  auto connected = world_.StubOnItsOwn("alice");
  ASSERT_OK(Describe(*connected));
  // That clients find the server's own as they know it.
  for (const char* file : {"server.pem", "server.key"}) {
    world_.WriteFile(absl::StrCat("other/", file), world_.ReadFile(absl::StrCat("tls/", file)));
  }
  const grpc::SslCredentialsOptions before = OfAlice("tls"), after = OfAlice("other");
  std::filesystem::rename(world_.Path("tls"), world_.Path("tls.old"));
  std::filesystem::rename(world_.Path("other"), world_.Path("tls"));
  ASSERT_TRUE(AwaitLine("server_started", 2)) << world_.ReadFile("events.jsonl");
  const std::string log = world_.ReadFile("events.jsonl");
  EXPECT_THAT(Describe(*connected), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_OK(DescribeAt(AddressNow(), after));
  EXPECT_THAT(DescribeAt(AddressNow(), before), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(log,
              AllOf(HasSubstr("credentials_cannot_be_used"),
                    HasSubstr("tls.certificate cannot be read: "), HasSubstr("Permission denied")));
}

// Nor with what it read last.
TEST_F(AuthenticationTest, WhileItsFilesCannotBeReadTheGateServesNobody) {
  auto alice = world_.StubOnItsOwn("alice");
  ASSERT_OK(Describe(*alice));
  std::filesystem::rename(world_.Path("tls/ca.pem"), world_.Path("tls/ca.pem.old"));
  ASSERT_TRUE(AwaitLine("server_not_started", 1)) << world_.ReadFile("events.jsonl");
  EXPECT_THAT(Describe(*alice), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_EQ(Lines("server_started"), 1);
  std::filesystem::rename(world_.Path("tls/ca.pem.old"), world_.Path("tls/ca.pem"));
  EXPECT_TRUE(AwaitLine("server_started", 2)) << world_.ReadFile("events.jsonl");
  EXPECT_OK(DescribeAt(AddressNow(), OfAlice("tls")));
}

// TLS has no words for it.
TEST_F(AuthenticationTest, WhoIsRefusedIsHungUpOnAndTheCustodianIsToldWhy) {
  MakeCertificate("twice", "URI:spiffe://topicwall/analyst/alice,URI:spiffe://topicwall/x", 600);
  EXPECT_THAT(Describe(*world_.StubOnItsOwn("twice")), StatusIs(absl::StatusCode::kUnavailable));
  MakeCertificate("eve", "URI:spiffe://topicwall/analyst/eve", 600);
  EXPECT_THAT(Describe(*world_.StubOnItsOwn("eve")), StatusIs(absl::StatusCode::kUnavailable));
  const std::string log = world_.ReadFile("events.jsonl");
  EXPECT_THAT(
      log, HasSubstr("\"event\":\"peer_refused\",\"principal\":\"spiffe://topicwall/analyst/eve"));
  EXPECT_THAT(log, AllOf(HasSubstr("eve is not listed"), HasSubstr("has 2 URI names")));
}

TEST_F(AuthenticationTest, AnAuditorReadsEverythingAndAsksForNothing) {
  auto ann = world_.StubOf("ann");
  EXPECT_OK(WallWorld::Budget(*ann));
  EXPECT_THAT(world_.Reserve(*ann, world_.Plan(4, 1), std::string(16, 'a')),
              StatusIs(absl::StatusCode::kPermissionDenied));
  EXPECT_THAT(WallWorld::GetRelease(*ann, std::string(32, '0'), 1),
              StatusIs(absl::StatusCode::kPermissionDenied));
}

// Every reader verifies the same head; an analyst sees others' entries as commitments.
TEST_F(AuthenticationTest, TheLedgerIsOneChainOfWhichEachReaderSeesTheirPart) {
  auto alice = world_.StubOf("alice");
  auto bob = world_.StubOf("bob");
  ASSERT_OK(world_.Reserve(*alice, world_.Plan(8, 1), std::string(16, 'a')));
  ASSERT_OK(world_.Reserve(*bob, world_.Plan(16, 1), std::string(16, 'b')));
  const auto of_alice = Entries(*alice);
  const auto of_ann = Entries(*world_.StubOf("ann"));
  ASSERT_EQ(of_alice.size(), of_ann.size());
  EXPECT_EQ(of_alice.back().head(), of_ann.back().head());
  int hidden = 0;
  for (size_t i = 0; i < of_ann.size(); ++i) {
    EXPECT_EQ(of_alice[i].commitment(), of_ann[i].commitment());
    v1::LedgerEvent event;
    ASSERT_TRUE(event.ParseFromString(of_ann[i].event()));
    const bool others = event.principal() == "spiffe://topicwall/analyst/bob";
    EXPECT_EQ(of_alice[i].event().empty(), others);
    EXPECT_EQ(of_alice[i].salt().empty(), others);
    hidden += others;
  }
  EXPECT_EQ(hidden, 1);
}

TEST_F(AuthenticationTest, AnAnalystSeesOnlyTheirOwnSpending) {
  auto bob = world_.StubOf("bob");
  ASSERT_OK(world_.Reserve(*bob, world_.Plan(16, 1), std::string(16, 'b')));
  ASSERT_OK_AND_ASSIGN(const auto of_alice, WallWorld::Budget(*world_.StubOf("alice")));
  ASSERT_OK_AND_ASSIGN(const auto of_ann, WallWorld::Budget(*world_.StubOf("ann")));
  EXPECT_EQ(of_alice.principals_size(), 0);
  EXPECT_EQ(of_alice.own().epsilon_spent(), 0);
  ASSERT_EQ(of_ann.principals_size(), 1);
  EXPECT_EQ(of_ann.principals(0).principal(), "spiffe://topicwall/analyst/bob");
  EXPECT_EQ(of_ann.principals(0).epsilon_spent(), of_alice.epsilon_spent());
}

}  // namespace
}  // namespace topicwall::testing

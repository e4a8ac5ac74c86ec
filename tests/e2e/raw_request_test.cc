// Requests that no client of gRPC's makes, by whoever has a certificate of the right authority:
// HTTP/2 by hand.
#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tests/e2e/http2_frames.h"
#include "tests/e2e/process.h"
#include "tests/e2e/wall_world.h"
#include "tests/support/status_matchers.h"

namespace topicwall::testing {
namespace raw_request_test {

class RawRequestTest : public ::testing::Test {
 protected:
  explicit RawRequestTest(Environment environment = {}) : environment_(std::move(environment)) {}

  void SetUp() override {
    std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes to who has hung up
    const Finished eve = RunToEnd({TOPICWALL_SOURCE_DIR "/deploy/make-certificates", "--output",
                                   world_.Path("tls"), "--analyst", "eve"});
    ASSERT_EQ(eve.exit_code, 0) << eve.output;
    ASSERT_TRUE(world_.StartServer(environment_)) << world_.ServerOutput();
    gate_ = world_.server().AwaitChild("topicwall-gate");
    ASSERT_NE(gate_, 0);
  }
  void TearDown() override {
    EXPECT_EQ(world_.server().Child("topicwall-gate"), gate_) << "it has died";
    EXPECT_OK(WallWorld::Budget(*world_.StubOnItsOwn("bob")));
  }

  // Whether a call of `path` with one more header is answered, in whatever way. `ciphers`: over TLS
  // 1.2 with one of these.
  bool IsAnswered(const std::string& name, absl::string_view path, const std::string& header,
                  const char* ciphers = nullptr) {
    const std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> tls(SSL_CTX_new(TLS_client_method()),
                                                           SSL_CTX_free);
    if (ciphers != nullptr) {
      SSL_CTX_set_max_proto_version(tls.get(), TLS1_2_VERSION);
      EXPECT_EQ(SSL_CTX_set_cipher_list(tls.get(), ciphers), 1);
    }
    const std::string file = world_.Path("tls/" + name);
    SSL_CTX_use_certificate_chain_file(tls.get(), (file + ".pem").c_str());
    SSL_CTX_use_PrivateKey_file(tls.get(), (file + ".key").c_str(), SSL_FILETYPE_PEM);
    constexpr unsigned char kProtocols[] = {2, 'h', '2'};
    SSL_CTX_set_alpn_protos(tls.get(), kProtocols, sizeof(kProtocols));
    const std::unique_ptr<BIO, void (*)(BIO*)> wall(BIO_new_ssl_connect(tls.get()), BIO_free_all);
    BIO_set_conn_hostname(wall.get(), world_.address().c_str());
    if (BIO_do_connect(wall.get()) != 1) return false;
    const timeval patience = {.tv_sec = 30, .tv_usec = 0};
    setsockopt(static_cast<int>(BIO_get_fd(wall.get(), nullptr)), SOL_SOCKET, SO_RCVTIMEO,
               &patience, sizeof(patience));
    const std::string request =
        absl::StrCat(kHttp2Preface, Http2Frame(kHttp2Settings, 0, 0, ""),
                     Http2Frame(kHttp2Headers, kHttp2EndStream | kHttp2EndHeaders, 1,
                                absl::StrCat(HeadersOfCall(path), header)));
    BIO_write(wall.get(), request.data(), static_cast<int>(request.size()));
    for (std::string head; Receive(wall.get(), kHttp2FrameHead, &head);) {
      if (head[3] == kHttp2Headers) return true;
      const auto size = static_cast<size_t>(static_cast<unsigned char>(head[1]) << 8 |
                                            static_cast<unsigned char>(head[2]));
      if (!Receive(wall.get(), size, &head)) return false;
    }
    return false;
  }

  WallWorld world_;

 private:
  static bool Receive(BIO* from, size_t size, std::string* bytes) {
    bytes->resize(size);
    for (size_t have = 0; have < size;) {
      const int read = BIO_read(from, bytes->data() + have, static_cast<int>(size - have));
      if (read <= 0) return false;
      have += static_cast<size_t>(read);
    }
    return true;
  }

  const Environment environment_;  // the server's
  pid_t gate_ = 0;
};

// gRPC (of the version that Debian 12 has) aborts where it lists a call's headers for whoever
// asked to see them, this one among them.
TEST_F(RawRequestTest, AHeaderOfGrpcsOwnDoesNotEndTheGate) {
  for (const char* path :
       {"/topicwall.v1.PrivacyWall/GetBudget", "/grpc.health.v1.Health/Check", "/x"}) {
    EXPECT_TRUE(IsAnswered("alice", path, Http2Header("grpclb_client_stats", "x"))) << path;
  }
}

TEST_F(RawRequestTest, WhomTheConfigurationDoesNotNameIsHungUpOnBeforeAnyRequestOfTheirsIsRead) {
  for (const char* path :
       {"/topicwall.v1.PrivacyWall/GetBudget", "/grpc.health.v1.Health/Check", "/x"}) {
    EXPECT_FALSE(IsAnswered("eve", path, "")) << path;
    EXPECT_FALSE(IsAnswered("eve", path, Http2Header("grpclb_client_stats", "x"))) << path;
  }
}

// Whose variables are the server's environment's, and none of the custodian's decisions.
class GrpcEnvironmentTest : public RawRequestTest {
 protected:
  GrpcEnvironmentTest()
      : RawRequestTest(
            {{"GRPC_POLL_STRATEGY", "bogus"}, {"GRPC_SSL_CIPHER_SUITES", "eNULL:@SECLEVEL=0"}}) {}
};

TEST_F(GrpcEnvironmentTest, AServerServesAndEncryptsWhateverItSaysOfGrpc) {
  constexpr char kGetBudget[] = "/topicwall.v1.PrivacyWall/GetBudget";
  EXPECT_TRUE(IsAnswered("alice", kGetBudget, ""));
  EXPECT_TRUE(IsAnswered("alice", kGetBudget, "", "ECDHE+AESGCM")) << "TLS 1.2";
  EXPECT_FALSE(IsAnswered("alice", kGetBudget, "", "eNULL:@SECLEVEL=0")) << "no encryption";
}

}  // namespace raw_request_test
}  // namespace topicwall::testing

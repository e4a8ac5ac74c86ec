#include "server/gate/peer_authentication.h"

#include <gmock/gmock.h>
#include <grpc/grpc_security.h>
#include <grpc/grpc_security_constants.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <map>
#include <string>
#include <vector>

#include "server/access/begun_calls.h"
#include "server/access/open_connections.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::server {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::StatusIs;

// A certificate that ends `seconds` from now, or before now if negative, with serial number 0x2a.
std::string CertificateFor(int seconds) {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509* certificate = X509_new();
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), 0x2a);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -100);
  X509_gmtime_adj(X509_getm_notAfter(certificate), seconds);
  X509_set_pubkey(certificate, key);
  X509_sign(certificate, key, EVP_sha256());
  BIO* bio = BIO_new(BIO_s_mem());
  PEM_write_bio_X509(bio, certificate);
  char* text;
  const long size = BIO_get_mem_data(bio, &text);
  std::string pem(text, static_cast<size_t>(size));
  BIO_free(bio);
  X509_free(certificate);
  EVP_PKEY_free(key);
  return pem;
}

struct Nothing : grpc::AuthPropertyIterator {};

class FakeContext : public grpc::AuthContext {
 public:
  FakeContext& With(const std::string& key, const std::string& value) {
    properties_[key].push_back(value);
    return *this;
  }
  bool IsPeerAuthenticated() const override { return true; }
  std::vector<grpc::string_ref> GetPeerIdentity() const override { return {}; }
  std::string GetPeerIdentityPropertyName() const override { return ""; }
  std::vector<grpc::string_ref> FindPropertyValues(const std::string& name) const override {
    const auto found = properties_.find(name);
    if (found == properties_.end()) return {};
    return {found->second.begin(), found->second.end()};
  }
  grpc::AuthPropertyIterator begin() const override { return Nothing(); }
  grpc::AuthPropertyIterator end() const override { return Nothing(); }
  void AddProperty(const std::string&, const grpc::string_ref&) override {}
  bool SetPeerIdentityPropertyName(const std::string&) override { return false; }

 private:
  std::map<std::string, std::vector<std::string>> properties_;
};

class PeerAuthenticationTest : public ::testing::Test {
 protected:
  PeerAuthenticationTest() {
    v1::Principal* alice = config_.add_principals();
    alice->set_name("alice");
    alice->set_role(v1::Principal::ANALYST);
  }
  absl::StatusOr<AuthenticatedPeer> Ask(const FakeContext& context,
                                        absl::Time now = absl::Now()) const {
    PeerCertificates certificates;
    return PeerOf(ShownOn(context), Authorizer(config_), certificates, now);
  }
  static FakeContext Valid() {
    return FakeContext().With(GRPC_X509_PEM_CERT_PROPERTY_NAME, CertificateFor(3600));
  }
  v1::WallConfig config_;
};

TEST_F(PeerAuthenticationTest, OneUriOrElseACommonNameNamesThePrincipal) {
  ASSERT_OK_AND_ASSIGN(const auto by_uri, Ask(Valid().With(GRPC_PEER_URI_PROPERTY_NAME, "alice")));
  EXPECT_EQ(by_uri.caller.principal, "alice");
  EXPECT_EQ(by_uri.certificate.serial, "2A");
  EXPECT_OK(Ask(Valid().With(GRPC_X509_CN_PROPERTY_NAME, "alice")));
  EXPECT_THAT(Ask(Valid()), StatusIs(absl::StatusCode::kUnauthenticated));
}

TEST_F(PeerAuthenticationTest, TwoUrisAreNobodyAndAreCounted) {
  EXPECT_THAT(Ask(Valid()
                      .With(GRPC_PEER_URI_PROPERTY_NAME, "alice")
                      .With(GRPC_PEER_URI_PROPERTY_NAME, "bob")
                      .With(GRPC_X509_CN_PROPERTY_NAME, "alice")),
              StatusIs(absl::StatusCode::kUnauthenticated,
                       HasSubstr("has 2 URI names; exactly one is needed")));
}

TEST_F(PeerAuthenticationTest, ACertificateThatIsOverOpensNothingOnAConnectionThatStands) {
  const FakeContext context = Valid().With(GRPC_PEER_URI_PROPERTY_NAME, "alice");
  EXPECT_OK(Ask(context, absl::Now() + absl::Minutes(59)));
  EXPECT_THAT(Ask(context, absl::Now() + absl::Minutes(61)),
              StatusIs(absl::StatusCode::kUnauthenticated, HasSubstr("expired")));
  EXPECT_THAT(Ask(FakeContext().With(GRPC_PEER_URI_PROPERTY_NAME, "alice")),
              StatusIs(absl::StatusCode::kUnauthenticated))
      << "no certificate, no date";
}

TEST_F(PeerAuthenticationTest, TheHandshakeGoesByTheSameAndTellsTheCustodianWhomItRefused) {
  const testing::TemporaryDirectory folder;
  ASSERT_OK_AND_ASSIGN(const auto log, EventLog::Open(folder.Path("events")));
  const Authorizer authorizer(config_);
  PeerCertificates certificates;
  OpenConnections connections([] {});
  PeerVerifier verifier(&authorizer, &certificates, &connections, log.get());
  const std::string valid = CertificateFor(3600), over = CertificateFor(-1);
  const auto let_in = [&](std::vector<std::string> uris, const char* name, const std::string& pem) {
    std::vector<char*> texts;
    for (std::string& uri : uris) texts.push_back(uri.data());
    grpc_tls_custom_verification_check_request shown{};
    shown.peer_info.common_name = name;
    shown.peer_info.san_names.uri_names = texts.data();
    shown.peer_info.san_names.uri_names_size = texts.size();
    shown.peer_info.peer_cert = pem.c_str();
    PeerVerifier::Request request(&shown);
    grpc::Status status(grpc::StatusCode::UNKNOWN, "");
    EXPECT_TRUE(verifier.Verify(&request, nullptr, &status)) << "at once";
    return status.ok();
  };
  EXPECT_TRUE(let_in({"alice"}, nullptr, valid));
  EXPECT_TRUE(let_in({}, "alice", valid));
  EXPECT_TRUE(let_in({"alice"}, "eve", valid)) << "the URI counts";
  for (int i = 0; i <= BegunCalls::kAtOnce; ++i) connections.BeginCall("", "alice");
  EXPECT_FALSE(let_in({"alice"}, nullptr, valid)) << "too many calls";
  EXPECT_EQ(folder.Content("events"), "");
  EXPECT_FALSE(let_in({"eve"}, "alice", valid));
  EXPECT_FALSE(let_in({}, nullptr, valid));
  EXPECT_FALSE(let_in({"alice", "bob"}, "alice", valid));
  EXPECT_FALSE(let_in({"alice"}, "alice", over));
  EXPECT_THAT(folder.Content("events"),
              AllOf(HasSubstr("\"event\":\"peer_refused\",\"principal\":\"eve alice\""),
                    HasSubstr("eve is not listed"), HasSubstr("has 2 URI names"),
                    HasSubstr("has expired")));
}

}  // namespace
}  // namespace topicwall::server

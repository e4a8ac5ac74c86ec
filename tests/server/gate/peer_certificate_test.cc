#include "server/gate/peer_certificate.h"

#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace topicwall::server {
namespace {

using ::topicwall::testing::StatusIs;

// openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=alice
//   -set_serial 0xABCDEF0123 -days 1; its end as `openssl x509 -enddate` says
constexpr char kPem[] = R"(-----BEGIN CERTIFICATE-----
MIIBZzCCAQ2gAwIBAgIGAKvN7wEjMAoGCCqGSM49BAMCMBAxDjAMBgNVBAMMBWFs
aWNlMB4XDTI2MTEyMzAyMDgzNloXDTI2MTEyNDAyMDgzNlowEDEOMAwGA1UEAwwF
YWxpY2UwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAR4zi3PVqfuGCxjhCIOOkzR
VvZMCEuDGyiGeZ6+j1VkeHWXgygYWID08qaOwnSk1odSgszxifWbFnv56eQPIpB/
o1MwUTAdBgNVHQ4EFgQUmXvQgqHDhF4UYrKAmxhFXunXo4kwHwYDVR0jBBgwFoAU
mXvQgqHDhF4UYrKAmxhFXunXo4kwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQD
AgNIADBFAiBWqMd2idJKGZ2tMMpS1Q39wcbpOi+4aMv8EpNpPeXrqAIhAIZQTh5i
fuB5IEdf58FsHkdHWenhPUKCrGawVWRR3GVC
-----END CERTIFICATE-----
)";

TEST(PeerCertificateTest, SaysItsSerialAndItsLastSecond) {
  ASSERT_OK_AND_ASSIGN(const auto certificate, PeerCertificates().Read(kPem));
  EXPECT_EQ(certificate.serial, "ABCDEF0123");
  EXPECT_EQ(certificate.not_after, absl::FromUnixSeconds(1795486116));
}

TEST(PeerCertificateTest, WhatIsRememberedIsWhatWasReadAndNothingLike) {
  PeerCertificates certificates;
  ASSERT_OK_AND_ASSIGN(const auto first, certificates.Read(kPem));
  ASSERT_OK_AND_ASSIGN(const auto again, certificates.Read(kPem));
  EXPECT_EQ(again.serial, first.serial);
  EXPECT_EQ(again.not_after, first.not_after);
  std::string other = kPem;
  other.replace(other.find("KvN7wEj"), 7, "KvN7wFj");
  ASSERT_OK_AND_ASSIGN(const auto changed, certificates.Read(other));
  EXPECT_NE(changed.serial, first.serial);
}

// Blank lines before one are no other certificate, and a client chooses how many.
TEST(PeerCertificateTest, HoweverManyAreReadEachSaysItsOwn) {
  PeerCertificates certificates;
  for (size_t i = 0; i < 2 * PeerCertificates::kMostRemembered; ++i) {
    ASSERT_OK_AND_ASSIGN(const auto certificate, certificates.Read(std::string(i, '\n') + kPem));
    ASSERT_EQ(certificate.serial, "ABCDEF0123");
  }
}

TEST(PeerCertificateTest, RubbishIsNoCertificate) {
  for (const absl::string_view pem : {"", "rubbish", "-----BEGIN CERTIFICATE-----\n"}) {
    EXPECT_THAT(PeerCertificates().Read(pem), StatusIs(absl::StatusCode::kUnauthenticated)) << pem;
  }
}

}  // namespace
}  // namespace topicwall::server

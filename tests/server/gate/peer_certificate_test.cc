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
  const auto certificate = ReadPeerCertificate(kPem);
  ASSERT_OK(certificate);
  EXPECT_EQ(certificate->serial, "ABCDEF0123");
  EXPECT_EQ(certificate->not_after, absl::FromUnixSeconds(1795486116));
}

TEST(PeerCertificateTest, RubbishIsNoCertificate) {
  for (const absl::string_view pem : {"", "rubbish", "-----BEGIN CERTIFICATE-----\n"}) {
    EXPECT_THAT(ReadPeerCertificate(pem), StatusIs(absl::StatusCode::kUnauthenticated)) << pem;
  }
}

}  // namespace
}  // namespace topicwall::server

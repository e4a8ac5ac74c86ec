#include "server/gate/server_credentials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "server/log/event_log.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::server {
namespace server_credentials_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::StatusIs;

class CheckTlsFilesTest : public ::testing::Test {
 protected:
  // A certificate that signs itself, with these extensions.
  v1::TlsFiles Make(const std::string& extensions, int days = 2) const {
    const std::string command = absl::StrCat(
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days ", days,
        " -subj /CN=wall -keyout ", folder_.Path("key"), " -out ", folder_.Path("certificate"), " ",
        extensions, " >", folder_.Path("log"), " 2>&1");
    EXPECT_EQ(std::system(command.c_str()), 0) << folder_.Content("log");
    v1::TlsFiles files;
    files.set_certificate(folder_.Path("certificate"));
    files.set_private_key(folder_.Path("key"));
    files.set_client_ca(folder_.Path("certificate"));
    return files;
  }
  absl::Status CheckWith(const std::string& extensions) const {
    return CheckTlsFiles(Make(extensions)).status();
  }

  const testing::TemporaryDirectory folder_;
};

TEST_F(CheckTlsFilesTest, AServersCertificateNamesAHostOrAnAddress) {
  const std::string purpose = "-addext extendedKeyUsage=serverAuth,clientAuth ";
  EXPECT_OK(CheckWith(purpose + "-addext subjectAltName=DNS:wall.example"));
  EXPECT_OK(CheckWith(purpose + "-addext subjectAltName=IP:10.0.0.7"));
  EXPECT_OK(CheckWith("-addext subjectAltName=DNS:wall.example")) << "for every purpose";
  for (const char* names : {"", "-addext subjectAltName=URI:spiffe://example.org/wall"}) {
    EXPECT_THAT(CheckWith(purpose + names),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("subjectAltName")));
  }
}

TEST_F(CheckTlsFilesTest, AnAnalystsCertificateIsNoServers) {
  EXPECT_THAT(CheckWith("-addext extendedKeyUsage=clientAuth -addext "
                        "subjectAltName=DNS:wall.example"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("serverAuth")));
}

TEST_F(CheckTlsFilesTest, AKeyOfAnotherCertificateIsRefused) {
  const std::string host = "-addext subjectAltName=DNS:wall.example";
  v1::TlsFiles files = Make(host);
  std::filesystem::rename(folder_.Path("key"), folder_.Path("before"));
  Make(host);
  files.set_private_key(folder_.Path("before"));
  EXPECT_THAT(CheckTlsFiles(files),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("tls.private_key")));
}

// Which is looked at every few seconds, and is compared as a whole.
TEST_F(CheckTlsFilesTest, AFileOfMoreThanAMebibyteIsRefusedByItsSize) {
  v1::TlsFiles files = Make("-addext subjectAltName=DNS:wall.example");
  const std::string ca = testing::ReadWholeFile(files.client_ca());
  files.set_client_ca(folder_.Write("ca", ca + std::string((1 << 20) - ca.size(), '\n')));
  EXPECT_OK(CheckTlsFiles(files));
  files.set_client_ca(folder_.Write("ca", ca + std::string((1 << 20) + 1 - ca.size(), '\n')));
  EXPECT_THAT(CheckTlsFiles(files),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("tls.client_ca"), HasSubstr("at most 1048576 bytes"),
                             HasSubstr("it has 1048577"))));
}

TEST_F(CheckTlsFilesTest, ACertificateThatEndsWithinThirtyDaysIsAnAlarmAtTheStart) {
  for (const int days : {31, 29}) {
    const v1::TlsFiles files = Make("-addext subjectAltName=DNS:wall.example", days);
    ASSERT_OK_AND_ASSIGN(const auto end, CheckTlsFiles(files));
    EXPECT_NEAR(absl::ToDoubleHours(end - absl::Now()), 24 * days, 1);
    const std::string path = folder_.Path(absl::StrCat("events", days));
    ASSERT_OK_AND_ASSIGN(const auto log, EventLog::Open(path));
    ASSERT_OK(ServerCredentials::Create(files, log.get(), [] {}));  // which ends with what it began
    EXPECT_EQ(absl::StrContains(testing::ReadWholeFile(path), kAlarmCertificateEnds), days < 30);
  }
}

}  // namespace server_credentials_test
}  // namespace topicwall::server

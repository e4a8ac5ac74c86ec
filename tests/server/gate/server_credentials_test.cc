#include "server/gate/server_credentials.h"

#include <gmock/gmock.h>
#include <grpcpp/security/tls_certificate_verifier.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/threads/steady_wait.h"
#include "server/log/event_log.h"
#include "tests/support/clock/clock_set_back.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::server {
namespace server_credentials_test {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::StatusIs;

ServerCredentials::Verifier Anybody() {
  return std::make_shared<grpc::experimental::NoOpCertificateVerifier>();
}

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
  // The certificate of `files` with other dates, in PEM.
  static std::string Dated(const v1::TlsFiles& files, absl::Duration begin, absl::Duration end) {
    const auto read = [](const std::string& path, auto pem_read) {
      BIO* const file = BIO_new_file(path.c_str(), "r");
      auto* const object = pem_read(file, nullptr, nullptr, nullptr);
      BIO_free(file);
      return object;
    };
    X509* const certificate = read(files.certificate(), PEM_read_bio_X509);
    EVP_PKEY* const key = read(files.private_key(), PEM_read_bio_PrivateKey);
    X509_gmtime_adj(X509_getm_notBefore(certificate), absl::ToInt64Seconds(begin));
    X509_gmtime_adj(X509_getm_notAfter(certificate), absl::ToInt64Seconds(end));
    EXPECT_GT(X509_sign(certificate, key, EVP_sha256()), 0);
    BIO* const memory = BIO_new(BIO_s_mem());
    PEM_write_bio_X509(memory, certificate);
    char* bytes = nullptr;
    const auto size = static_cast<size_t>(BIO_get_mem_data(memory, &bytes));
    const std::string pem(bytes, size);
    BIO_free(memory);
    EVP_PKEY_free(key);
    X509_free(certificate);
    return pem;
  }
  static std::vector<std::string> Warnings(
      const absl::StatusOr<std::vector<CertificateDates>>& certificates) {
    EXPECT_OK(certificates);
    std::vector<std::string> texts;
    for (const CertificateDates& dates : *certificates) {
      const auto warning = WarningOf(dates, absl::Now());
      if (warning.has_value()) texts.push_back(warning->text);
    }
    return texts;
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
    ASSERT_OK_AND_ASSIGN(const auto dates, CheckTlsFiles(files));
    EXPECT_NEAR(absl::ToDoubleHours(dates.front().end - absl::Now()), 24 * days, 1);
    const std::string path = folder_.Path(absl::StrCat("events", days));
    ASSERT_OK_AND_ASSIGN(const auto log, EventLog::Open(path));
    ASSERT_OK(ServerCredentials::Create(
        files, Anybody(), log.get(), [] {}, [] {}));  // which ends with what it began
    EXPECT_EQ(absl::StrContains(testing::ReadWholeFile(path), kAlarmCertificateEnds), days < 30);
  }
}

// A look at the server's own certificate alone lets the other end unseen, and all analysts with it.
TEST_F(CheckTlsFilesTest, AnAuthorityThatEndsIsNamedAndNoneThatIsValidIsAnError) {
  v1::TlsFiles files = Make("-addext subjectAltName=DNS:wall.example", 60);
  const std::string valid = testing::ReadWholeFile(files.client_ca());
  const std::string soon = Dated(files, -absl::Hours(24), absl::Hours(24 * 20));
  const std::string over = Dated(files, -absl::Hours(48), -absl::Hours(24));
  const auto check_with = [&](const std::string& authorities) {
    files.set_client_ca(folder_.Write("ca", authorities));
    return CheckTlsFiles(files);
  };
  EXPECT_THAT(Warnings(check_with(valid)), IsEmpty());
  EXPECT_THAT(Warnings(check_with(valid + soon)),
              ElementsAre(AllOf(HasSubstr("tls.client_ca ends on 2"), HasSubstr(folder_.Path("ca")),
                                HasSubstr("new authority"))));
  EXPECT_THAT(Warnings(check_with(over + valid)),
              ElementsAre(HasSubstr("tls.client_ca ended on 2")));
  EXPECT_THAT(check_with(over + over),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("tls.client_ca ended on 2")));
}

TEST_F(CheckTlsFilesTest, WhatIsNotValidYetIsAnAlarmAndNoError) {
  v1::TlsFiles files = Make("-addext subjectAltName=DNS:wall.example");
  files.set_certificate(
      folder_.Write("early", Dated(files, absl::Hours(1), absl::Hours(24 * 365))));
  EXPECT_THAT(Warnings(CheckTlsFiles(files)),
              Contains(AllOf(HasSubstr("tls.certificate is valid from 2"), HasSubstr("clock"))));
  ASSERT_OK_AND_ASSIGN(const auto log, EventLog::Open(folder_.Path("events")));
  ASSERT_OK(ServerCredentials::Create(
      files, Anybody(), log.get(), [] {}, [] {}));
  EXPECT_THAT(folder_.Content("events"),
              AllOf(HasSubstr(kAlarmCertificateBegins), HasSubstr(folder_.Path("early"))));
  files.set_certificate(folder_.Write("late", Dated(files, -absl::Hours(2), -absl::Hours(1))));
  EXPECT_THAT(CheckTlsFiles(files), StatusIs(absl::StatusCode::kInvalidArgument,
                                             HasSubstr("tls.certificate ended on 2")));
}

// Not at the first look, which may fall between two renames.
TEST_F(CheckTlsFilesTest, AFileThatCannotBeReadAtTwoLooksIsToldAndEndsWhoServesByIt) {
  const v1::TlsFiles files = Make("-addext subjectAltName=DNS:wall.example");
  ASSERT_OK_AND_ASSIGN(const auto log, EventLog::Open(folder_.Path("events")));
  base::SteadyNotification ended;
  ASSERT_OK_AND_ASSIGN(const auto credentials,
                       ServerCredentials::Create(
                           files, Anybody(), log.get(), [] {}, [&] { ended.Notify(); }));
  const absl::Duration removed = base::SteadyNow();
  std::filesystem::remove(files.private_key());
  ASSERT_TRUE(ended.WaitFor(absl::Minutes(2)));
  EXPECT_GE(base::SteadyNow() - removed, absl::Seconds(5)) << "the time between two looks";
  EXPECT_THAT(folder_.Content("events"),
              AllOf(HasSubstr(kAlarmCredentials), HasSubstr("tls.private_key cannot be read")));
}

// gRPC waits by that clock: an authority that was replaced would admit for an hour more, and longer
// where a mistyped date was corrected.
TEST_F(CheckTlsFilesTest, AClockThatIsSetBackIsToldAndEndsWhoServesByIt) {
  const v1::TlsFiles files = Make("-addext subjectAltName=DNS:wall.example");
  ASSERT_OK_AND_ASSIGN(const auto log, EventLog::Open(folder_.Path("events")));
  base::SteadyNotification ended;
  std::optional<testing::ClockSetBack> an_hour_ahead(std::in_place);
  ASSERT_OK_AND_ASSIGN(const auto credentials,
                       ServerCredentials::Create(
                           files, Anybody(), log.get(), [] {}, [&] { ended.Notify(); }));
  EXPECT_FALSE(ended.WaitFor(absl::Seconds(6))) << "the time between two looks";
  an_hour_ahead.reset();
  ASSERT_TRUE(ended.WaitFor(absl::Minutes(2)));
  EXPECT_THAT(folder_.Content("events"), HasSubstr(kAlarmClockSetBack));
}

}  // namespace server_credentials_test
}  // namespace topicwall::server

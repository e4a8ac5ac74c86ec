// Over a network: a real PostgreSQL with TLS, with certificates of authorities that the test makes,
// and services as pg_service.conf has them.
#include <gmock/gmock.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "server/store/postgresql/postgres_store.h"
#include "tests/support/postgres/postgres_server.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::store {
namespace {

using ::testing::HasSubstr;
using testing::PostgresServer;
using testing::StatusIs;

// A database on a port, whose certificate is for localhost, and a second authority that has nothing
// to do with it.
class PostgresTlsTest : public ::testing::Test {
 protected:
  PostgresTlsTest() : connection_(server_.NewDatabase()) {
    for (const char* authority : {"ours", "another"}) {
      const std::string command =
          absl::StrCat(TOPICWALL_SOURCE_DIR "/deploy/make-certificates --output ", Path(authority),
                       " --analyst topicwall >/dev/null");
      EXPECT_EQ(std::system(command.c_str()), 0);
    }
    EXPECT_OK(MakePostgresStore(connection_, {.ledger_id = "l1", .key_check = "check"}));
    server_.Keep(Path("ours/server.pem"), "server.crt");
    server_.Keep(Path("ours/server.key"), "server.key");
  }

  void Serve(bool tls) {
    server_.Stop();
    server_.Set("ssl", tls ? "on" : "off");
    server_.Start();
  }

  std::string Path(const std::string& name) const { return folder_.path() + "/" + name; }

  // As the custodian would write it; lines may be added, or stand in the place of these.
  absl::Status OpenAt(const std::string& host, const std::string& authority,
                      const std::string& more = "") {
    testing::WriteWholeFile(
        Path("pg_service.conf"),
        absl::StrCat("[topicwall]\nhost=", host, "\nhostaddr=127.0.0.1\nport=", port_,
                     "\nuser=postgres\ndbname=", connection_.substr(connection_.rfind('=') + 1),
                     "\nsslrootcert=", Path(authority), "/ca.pem\n", more));
    setenv("PGSERVICEFILE", Path("pg_service.conf").c_str(), /*overwrite=*/1);
    const auto opened = OpenPostgresStore("service=topicwall", PostgresUse::kReadWrite);
    if (!opened.ok()) return opened.status();
    return (*opened)->ReadIdentity().status();
  }

  PostgresServer server_;
  testing::TemporaryDirectory folder_;
  const std::string connection_;
  const int port_ = server_.Listen();
};

TEST_F(PostgresTlsTest, OnlyTheRightNameFromTheRightAuthorityIsSpokenWith) {
  Serve(/*tls=*/true);
  EXPECT_OK(OpenAt("localhost", "ours"));
  EXPECT_THAT(OpenAt("db.example.org", "ours"),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("does not match host name")));
  EXPECT_THAT(OpenAt("localhost", "another"),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("certificate verify failed")));
  EXPECT_THAT(OpenAt("localhost", "none"),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("does not exist")));
}

// What a service says of it, by mistake or to get round, makes nothing weaker.
TEST_F(PostgresTlsTest, AServiceThatAsksForLessIsHeldToAVerifiedNameAllTheSame) {
  Serve(/*tls=*/true);
  for (const char* mode : {"disable", "allow", "prefer", "require", "verify-ca"}) {
    SCOPED_TRACE(mode);
    const std::string line = absl::StrCat("sslmode=", mode, "\n");
    EXPECT_THAT(OpenAt("db.example.org", "ours", line), StatusIs(absl::StatusCode::kUnavailable));
    EXPECT_THAT(OpenAt("localhost", "another", line), StatusIs(absl::StatusCode::kUnavailable));
    EXPECT_OK(OpenAt("localhost", "ours", line));
  }
}

TEST_F(PostgresTlsTest, ADatabaseWithoutTlsIsNotSpokenWith) {
  Serve(/*tls=*/false);
  for (const char* mode : {"", "sslmode=disable\n", "sslmode=prefer\n", "sslmode=require\n"}) {
    EXPECT_THAT(OpenAt("localhost", "ours", mode),
                StatusIs(absl::StatusCode::kUnavailable, HasSubstr("does not support SSL")))
        << mode;
  }
}

// As in the runbook: the database knows the server by its certificate, and nobody else.
TEST_F(PostgresTlsTest, ADatabaseThatAsksForACertificateIsShownTheServices) {
  server_.Keep(Path("ours/ca.pem"), "root.crt");
  server_.Set("ssl_ca_file", "root.crt");
  testing::WriteWholeFile(Path("pg_hba.conf"),
                          "local all all trust\n"
                          "hostssl all all 127.0.0.1/32 trust clientcert=verify-ca\n");
  server_.Keep(Path("pg_hba.conf"), "pg_hba.conf");
  Serve(/*tls=*/true);
  const auto shown = [&](const std::string& authority) {
    return absl::StrCat("sslcert=", Path(authority), "/topicwall.pem\nsslkey=", Path(authority),
                        "/topicwall.key\n");
  };
  EXPECT_OK(OpenAt("localhost", "ours", shown("ours")));
  EXPECT_THAT(OpenAt("localhost", "ours"), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(OpenAt("localhost", "ours", shown("another")),
              StatusIs(absl::StatusCode::kUnavailable));
}

}  // namespace
}  // namespace topicwall::store

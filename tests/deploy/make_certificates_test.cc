#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "tests/deploy/shell_command.h"

namespace topicwall::deploy {
namespace {

using ::testing::HasSubstr;

class MakeCertificates : public FolderTest {
 protected:
  Outcome Make(const std::string& arguments) {
    return RunShell(Deployed("make-certificates") + " --output " + Path("tls") + " " + arguments);
  }
  std::string File(const std::string& name) const { return Path("tls/" + name); }
  // Whether OpenSSL accepts the certificate for this use: sslserver or sslclient.
  bool VerifiesAs(const std::string& use, const std::string& name) const {
    return RunShell("openssl verify -x509_strict -purpose " + use + " -CAfile " + File("ca.pem") +
                    " " + File(name))
               .exit_code == 0;
  }
  std::string AlternativeNames(const std::string& name) const {
    return RunShell("openssl x509 -noout -ext subjectAltName -in " + File(name)).output;
  }
};

TEST_F(MakeCertificates, EachVerifiesForItsOwnUseOnly) {
  ASSERT_EQ(Make("--analyst alice --auditor ann").exit_code, 0);
  EXPECT_TRUE(VerifiesAs("sslserver", "server.pem"));
  EXPECT_FALSE(VerifiesAs("sslclient", "server.pem"));
  for (const char* person : {"alice.pem", "ann.pem"}) {
    EXPECT_TRUE(VerifiesAs("sslclient", person)) << person;
    EXPECT_FALSE(VerifiesAs("sslserver", person)) << person;
  }
}

TEST_F(MakeCertificates, NamesPrincipalsAndHosts) {
  ASSERT_EQ(
      Make("--server wall.example.org --server 192.0.2.7 --analyst alice --auditor ann").exit_code,
      0);
  EXPECT_THAT(AlternativeNames("alice.pem"), HasSubstr("URI:spiffe://topicwall/analyst/alice\n"));
  EXPECT_THAT(AlternativeNames("ann.pem"), HasSubstr("URI:spiffe://topicwall/auditor/ann\n"));
  EXPECT_THAT(AlternativeNames("server.pem"),
              HasSubstr("DNS:localhost, IP Address:127.0.0.1, DNS:wall.example.org, "
                        "IP Address:192.0.2.7\n"));
}

TEST_F(MakeCertificates, KeysAreReadableByTheirOwnerOnly) {
  ASSERT_EQ(Make("--analyst alice").exit_code, 0);
  for (const char* key : {"ca.key", "server.key", "alice.key"}) {
    struct stat status;
    ASSERT_EQ(stat(File(key).c_str(), &status), 0) << key;
    EXPECT_EQ(status.st_mode & 07777, 0600u) << key;
  }
}

TEST_F(MakeCertificates, AddsAPersonAndTouchesNothingElse) {
  ASSERT_EQ(Make("--analyst alice").exit_code, 0);
  const std::string ca = ReadWholeFile(File("ca.pem")) + ReadWholeFile(File("ca.key"));
  const std::string server = ReadWholeFile(File("server.pem"));
  ASSERT_EQ(Make("--analyst bob").exit_code, 0);
  EXPECT_TRUE(VerifiesAs("sslclient", "bob.pem"));
  EXPECT_EQ(ReadWholeFile(File("ca.pem")) + ReadWholeFile(File("ca.key")), ca);
  EXPECT_EQ(ReadWholeFile(File("server.pem")), server);
}

TEST_F(MakeCertificates, NeverOverwrites) {
  ASSERT_EQ(Make("--analyst alice").exit_code, 0);
  const std::string before = ReadWholeFile(File("alice.pem")) + ReadWholeFile(File("alice.key"));
  const Outcome again = Make("--auditor ann --analyst alice");
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.output, HasSubstr("alice.pem exists"));
  EXPECT_EQ(ReadWholeFile(File("alice.pem")) + ReadWholeFile(File("alice.key")), before);
  EXPECT_FALSE(std::filesystem::exists(File("ann.pem")));
  EXPECT_EQ(Make("--server other.example.org").exit_code, 1);
}

TEST_F(MakeCertificates, RefusesBadArgumentsBeforeWriting) {
  for (const char* arguments :
       {"--analyst ../alice", "--analyst ''", "--analyst Alice", "--analyst ca",
        "--analyst alice --auditor alice", "--days 0", "--days 1e9", "--server 'a,URI:b'"}) {
    EXPECT_EQ(Make(arguments).exit_code, 1) << arguments;
    EXPECT_FALSE(std::filesystem::exists(Path("tls"))) << arguments;
  }
}

TEST_F(MakeCertificates, AsksForTheAuthoritysKeyWhenItIsOffline) {
  ASSERT_EQ(Make("--analyst alice").exit_code, 0);
  std::filesystem::remove(File("ca.key"));
  const Outcome outcome = Make("--analyst bob");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output, HasSubstr("bring it back"));
}

}  // namespace
}  // namespace topicwall::deploy

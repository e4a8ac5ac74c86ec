#include "server/wall_config.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/support/status_matchers.h"

namespace topicwall::server {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

constexpr char kGood[] = R"(
custodian_id: "hospital"
listen_address: "127.0.0.1:0"
tls { certificate: "tls/server.pem" private_key: "tls/server.key" client_ca: "tls/ca.pem" }
data_directory: "data"
key_file: "/keys/corpus.key"
principals {
  name: "spiffe://topicwall/analyst/alice"
  role: ANALYST
  access { corpus: "notes" epsilon_cap: 1.5 }
}
corpora {
  name: "notes"
  nominal_size: 60000
  limits {
    max_tokens: 500 max_documents_per_unit: 20 max_parameters_per_term: 100 max_iterations: 50
    max_model_iterations: 100 min_noise_multiplier: 0.5 max_releases: 1000 queue_length: 4
    max_units: 5000000
  }
  timing_protection: TIMING_PROTECTION_SCHEDULE
  release_interval_ms: 2000
  decoded_cache_mebibytes: 64
  store_ms_per_mebibyte: 40
}
e_step_threads: 2
max_matrix_bytes: 268435456
)";

absl::StatusOr<v1::WallConfig> Parse(const std::string& text) {
  return ParseWallConfig(text, "wall.textproto", "/etc/topicwall");
}

TEST(WallConfigTest, AFieldThatIsNoMoreIsToBeDeleted) {
  EXPECT_THAT(Parse(absl::StrCat(kGood, "reflection: true\n")),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("\"reflection\""), HasSubstr("delete it"))));
}

TEST(WallConfigTest, PathsAreTakenFromTheFolderOfTheFile) {
  ASSERT_OK_AND_ASSIGN(const auto config, Parse(kGood));
  EXPECT_EQ(config.tls().certificate(), "/etc/topicwall/tls/server.pem");
  EXPECT_EQ(config.data_directory(), "/etc/topicwall/data");
  EXPECT_EQ(config.key_file(), "/keys/corpus.key");
  EXPECT_EQ(config.event_log(), "");
  EXPECT_EQ(CorpusFile(config, "notes"), "/etc/topicwall/data/notes.corpus");
}

TEST(WallConfigTest, AMistypedFieldIsRefusedWithLineAndColumn) {
  EXPECT_THAT(Parse(absl::StrReplaceAll(kGood, {{"max_tokens:", "max_tokenz:"}})),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("wall.textproto:16:"), HasSubstr("max_tokenz"))));
}

// Every field that the guarantee, the schedule or who may connect depends on.
TEST(WallConfigTest, NothingThatMattersHasADefault) {
  const std::vector<std::pair<std::string, std::string>> fields = {
      {"custodian_id: \"hospital\"", "custodian_id"},
      {"listen_address: \"127.0.0.1:0\"", "listen_address"},
      {"certificate: \"tls/server.pem\"", "tls.certificate"},
      {"private_key: \"tls/server.key\"", "tls.private_key"},
      {"client_ca: \"tls/ca.pem\"", "tls.client_ca"},
      {"data_directory: \"data\"", "data_directory"},
      {"key_file: \"/keys/corpus.key\"", "key_file"},
      {"role: ANALYST", "role"},
      {"max_tokens: 500", "max_tokens"},
      {"max_documents_per_unit: 20", "max_documents_per_unit"},
      {"max_parameters_per_term: 100", "max_parameters_per_term"},
      {"max_iterations: 50", "max_iterations"},
      {"max_model_iterations: 100", "max_model_iterations"},
      {"min_noise_multiplier: 0.5", "min_noise_multiplier"},
      {"max_releases: 1000", "max_releases"},
      {"queue_length: 4", "queue_length"},
      {"timing_protection: TIMING_PROTECTION_SCHEDULE", "timing_protection"},
      {"release_interval_ms: 2000", "release_interval_ms"},
      {"e_step_threads: 2", "e_step_threads"},
      {"max_matrix_bytes: 268435456", "max_matrix_bytes"},
  };
  for (const auto& [text, name] : fields) {
    EXPECT_THAT(Parse(absl::StrReplaceAll(kGood, {{text, ""}})),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(name)))
        << text;
  }
}

// Whoever reads the error sees what is in the name, and no line that it wrote itself.
TEST(WallConfigTest, ANameIsNeverPrintedAsItStands) {
  const std::string named = absl::StrReplaceAll(kGood, {{"hospital", R"(hos\342\200\256pital\n)"}});
  EXPECT_THAT(Parse(named), StatusIs(absl::StatusCode::kInvalidArgument,
                                     HasSubstr(R"(got "hos\xe2\x80\xaepital\n")")));
}

TEST(WallConfigTest, ValuesOutOfTheirDomainAreNamedWithRuleAndValue) {
  const std::vector<std::pair<std::string, std::string>> changes = {
      {"min_noise_multiplier: 0.5", "min_noise_multiplier: nan"},
      {"min_noise_multiplier: 0.5", "min_noise_multiplier: 1e-9"},
      {"min_noise_multiplier: 0.5", "min_noise_multiplier: inf"},
      {"release_interval_ms: 2000", "release_interval_ms: 49"},
      {"release_interval_ms: 2000", "release_interval_ms: 3600001"},
      {"epsilon_cap: 1.5", "epsilon_cap: -1"},
      {"epsilon_cap: 1.5", "epsilon_cap: nan"},
      {"max_tokens: 500", "max_tokens: -1"},
      {"e_step_threads: 2", "e_step_threads: 0"},
      {"queue_length: 4", "queue_length: 1001"},
      {"max_units: 5000000", "max_units: 0"},
      {"max_units: 5000000", "max_units: 2147483649"},
      {"nominal_size: 60000", "nominal_size: 0"},
      {"decoded_cache_mebibytes: 64", "decoded_cache_mebibytes: -1"},
      {"decoded_cache_mebibytes: 64", "decoded_cache_mebibytes: 1048577"},
      {"store_ms_per_mebibyte: 40", "store_ms_per_mebibyte: -1"},
      {"store_ms_per_mebibyte: 40", "store_ms_per_mebibyte: 60001"},
  };
  for (const auto& [good, bad] : changes) {
    const std::string field = good.substr(0, good.find(':'));
    EXPECT_THAT(
        Parse(absl::StrReplaceAll(kGood, {{good, bad}})),
        StatusIs(absl::StatusCode::kInvalidArgument, AllOf(HasSubstr(field), HasSubstr("got "))))
        << bad;
  }
}

TEST(WallConfigTest, ACorpusMayHoldSixtySevenMillionUnitsUnlessTheCustodianSaysHowMany) {
  ASSERT_OK_AND_ASSIGN(const auto with, Parse(kGood));
  EXPECT_EQ(MaxUnits(with.corpora(0).limits()), 5'000'000);
  EXPECT_EQ(MaxUnits(v1::Limits()), int64_t{1} << 26);
}

TEST(WallConfigTest, LimitsOfOneAnalystMayBeLeftOut) {
  ASSERT_OK_AND_ASSIGN(const auto config, Parse(kGood));
  EXPECT_EQ(MaxOpenPlans(config.corpora(0).limits()), 16);
  EXPECT_EQ(ReservationDays(config.corpora(0).limits()), 7);
  const auto with = [](const std::string& limit) {
    return Parse(absl::StrReplaceAll(kGood, {{"queue_length: 4", "queue_length: 4 " + limit}}));
  };
  ASSERT_OK_AND_ASSIGN(const auto given, with("max_open_plans: 3 reservation_days: 30"));
  EXPECT_EQ(MaxOpenPlans(given.corpora(0).limits()), 3);
  EXPECT_EQ(ReservationDays(given.corpora(0).limits()), 30);
  for (const char* bad : {"max_open_plans: 0", "max_open_plans: 1001", "reservation_days: 0",
                          "reservation_days: 3651"}) {
    EXPECT_THAT(with(bad), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("got "))) << bad;
  }
  EXPECT_THAT(
      Parse(absl::StrReplaceAll(kGood, {{"epsilon_cap: 1.5", "epsilon_cap: 1.5 max_releases: 0"}})),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("access.max_releases")));
}

TEST(WallConfigTest, NothingIsKeptDecodedUnlessTheCustodianSaysHowMuch) {
  ASSERT_OK_AND_ASSIGN(const auto with, Parse(kGood));
  EXPECT_EQ(with.corpora(0).decoded_cache_mebibytes(), 64);
  ASSERT_OK_AND_ASSIGN(const auto without,
                       Parse(absl::StrReplaceAll(kGood, {{"decoded_cache_mebibytes: 64", ""}})));
  EXPECT_EQ(without.corpora(0).decoded_cache_mebibytes(), 0);
}

// Otherwise the server listens somewhere else than its custodian wrote.
TEST(WallConfigTest, AnAddressIsHostAndPort) {
  const std::string good(kGood);
  for (const std::string field : {"listen_address", "health_address"}) {
    const auto with = [&](const std::string& address) {
      return Parse(absl::StrCat(absl::StrReplaceAll(good, {{"listen_address", "# "}}),
                                field == "listen_address" ? "" : "listen_address: \"a:0\"\n", field,
                                ": \"", address, "\"\n"));
    };
    for (const char* address : {"127.0.0.1:8080", "[::1]:0", "localhost:65535"}) {
      EXPECT_OK(with(address)) << field << address;
    }
    for (const char* address : {"8080", ":8080", "localhost", "localhost:", "localhost:65536",
                                "127.0.0.1:73979", "0.0.0.0:-1", "::1", "::1:8443", "[]:1"}) {
      EXPECT_THAT(with(address),
                  StatusIs(absl::StatusCode::kInvalidArgument,
                           AllOf(HasSubstr(absl::StrCat(field, " must be host:port")),
                                 HasSubstr(address))));
    }
  }
}

TEST(WallConfigTest, ProcessesAreTwoUsersOrOneAndConfinedUnlessTheCustodianSaysOtherwise) {
  const std::string good(kGood);
  ASSERT_OK_AND_ASSIGN(const auto one, Parse(good));
  EXPECT_FALSE(one.has_processes());
  EXPECT_EQ(one.sandbox(), v1::SANDBOX_REQUIRED);
  ASSERT_OK_AND_ASSIGN(const auto two,
                       Parse(good + "processes { gate: \"topicwall-gate\" vault: \"topicwall\" }\n"
                                    "sandbox: SANDBOX_BEST_EFFORT\n"));
  EXPECT_EQ(two.processes().gate(), "topicwall-gate");
  EXPECT_EQ(two.processes().vault(), "topicwall");
  EXPECT_EQ(two.sandbox(), v1::SANDBOX_BEST_EFFORT);
  for (const char* bad : {"processes { gate: \"a\" }", "processes { vault: \"a\" }",
                          "processes { gate: \"a\" vault: \"a\" }"}) {
    EXPECT_THAT(Parse(good + bad),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr("wall.textproto: processes."), HasSubstr("\"a\""))))
        << bad;
  }
}

// The text format itself takes any number for an enum.
TEST(WallConfigTest, ASandboxThatHasNoNameIsRefusedWithTheNamesThatThereAre) {
  for (const char* bad : {"7", "-1", "2"}) {
    EXPECT_THAT(Parse(std::string(kGood) + "sandbox: " + bad),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr(std::string("wall.textproto: sandbox must be SANDBOX_REQUIRED "
                                               "or SANDBOX_BEST_EFFORT; got ") +
                                   bad)));
  }
}

TEST(WallConfigTest, ALedgerIsInTheDataDirectoryOrInADatabaseThatAServiceNames) {
  const std::string good(kGood);
  EXPECT_FALSE(Parse(good)->has_ledger());
  const std::string begin = good + "ledger { ";
  ASSERT_OK_AND_ASSIGN(
      const auto shared,
      Parse(begin + "postgresql { service: \"wall-1\" service_file: \"pg/pg_service.conf\" } }"));
  EXPECT_THAT(shared.ledger().postgresql().service_file(),
              ::testing::EndsWith("/pg/pg_service.conf"));
  for (const auto& [bad, field] :
       {std::pair("}", "ledger.postgresql"), std::pair("postgresql { } }", "postgresql.service"),
        std::pair("postgresql { service: \"a host=b\" service_file: \"f\" } }",
                  "postgresql.service"),
        std::pair("postgresql { service: \"a\" } }", "postgresql.service_file")}) {
    EXPECT_THAT(Parse(begin + bad), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(field)));
  }
}

// By the paths as they are opened, which start from the folder of the file.
TEST(WallConfigTest, TheKeyAndTheDataAreInNoFolderOfTheTlsFiles) {
  for (const auto& [from, to] :
       {std::pair("/keys/corpus.key", "tls/corpus.key"), std::pair("\"data\"", "\"tls/data\""),
        std::pair("\"data\"", "\"data/../tls\""),
        std::pair("/keys/corpus.key", "/etc/topicwall/tls/corpus.key")}) {
    EXPECT_THAT(Parse(absl::StrReplaceAll(kGood, {{from, to}})),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("tls files must be")))
        << to;
  }
}

TEST(WallConfigTest, AnIntervalWithoutProtectionIsAContradiction) {
  EXPECT_THAT(
      Parse(absl::StrReplaceAll(kGood, {{"TIMING_PROTECTION_SCHEDULE", "TIMING_PROTECTION_NONE"}})),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("remove one")));
}

TEST(WallConfigTest, NamesThatAreGivenTwiceUnknownOrUnsafeAreRefused) {
  const std::string second_corpus = std::string(kGood) + R"(
principals { name: "x" role: AUDITOR access { corpus: "letters" } })";
  EXPECT_THAT(Parse(second_corpus),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("letters")));
  const std::string twice = std::string(kGood) + R"(
principals { name: "spiffe://topicwall/analyst/alice" role: AUDITOR access { corpus: "notes" } })";
  EXPECT_THAT(Parse(twice), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("given twice")));
  // The name becomes a file's name.
  EXPECT_THAT(Parse(absl::StrReplaceAll(kGood, {{"\"notes\"", "\"../notes\""}})),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("../notes")));
}

TEST(WallConfigTest, AnAnalystsShareOfTheReleasesIsTheConfiguredOrAnEqualOneRoundedUp) {
  const std::string good = kGood;
  const size_t start = good.find("corpora {");
  const std::string notes = good.substr(start, good.find("e_step_threads") - start);
  const auto config = Parse(good + R"(
principals { name: "bob" role: ANALYST access { corpus: "notes" max_releases: 7 } }
principals { name: "carl" role: ANALYST access { corpus: "notes" } }
principals { name: "dora" role: ANALYST access { corpus: "mail" } }
principals { name: "eve" role: AUDITOR access { corpus: "notes" } }
)" + absl::StrReplaceAll(notes, {{"\"notes\"", "\"mail\""}}));
  ASSERT_OK(config);
  EXPECT_EQ(ShareOfReleases(*config, "notes", "carl", 1000), 334);  // of three analysts
  EXPECT_EQ(ShareOfReleases(*config, "notes", "bob", 1000), 7);
  EXPECT_EQ(ShareOfReleases(*config, "notes", "dora", 1000), 0);
  EXPECT_EQ(ShareOfReleases(*config, "notes", "eve", 1000), 0);
  EXPECT_EQ(ShareOfReleases(*config, "notes", "nobody", 1000), 0);
}

TEST(WallConfigTest, AFileThatIsNotThereIsNotFound) {
  EXPECT_THAT(ReadWallConfig(::testing::TempDir() + "/no-such-folder/wall.textproto"),
              StatusIs(absl::StatusCode::kNotFound));
}

// Opened, it would wait until somebody writes, for ever and without a word.
TEST(WallConfigTest, APipeIsRefusedAndNotWaitedFor) {
  const std::string pipe = absl::StrCat(::testing::TempDir(), "/config-", getpid(), ".fifo");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(ReadWallConfig(pipe),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("is a pipe")));
  ASSERT_EQ(unlink(pipe.c_str()), 0);
}

}  // namespace
}  // namespace topicwall::server

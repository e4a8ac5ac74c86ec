// The custodian's configuration (server/wall_config.h): what is accepted can be served as it
// stands, and prints back to itself.
#include <google/protobuf/text_format.h>

#include "absl/strings/match.h"
#include "server/access/authorizer.h"
#include "server/wall_config.h"
#include "tests/fuzz/fuzz_target.h"

namespace topicwall::fuzz {
namespace {

constexpr char kFolder[] = "/etc/topicwall";

absl::StatusOr<v1::WallConfig> Parse(absl::string_view text) {
  return server::ParseWallConfig(text, "wall.textproto", kFolder);
}

void RequireServable(const v1::WallConfig& config) {
  Require(config.corpora_size() >= 1 && config.e_step_threads() >= 1, "something is served");
  for (const v1::CorpusConfig& corpus : config.corpora()) {
    Require(server::FindCorpusConfig(config, corpus.name()).ok(), "a corpus is found by its name");
    Require(!absl::StrContains(corpus.name(), '/') && !absl::StrContains(corpus.name(), '.'),
            "a corpus's name leads to no other folder");
    const bool scheduled = corpus.timing_protection() == v1::TIMING_PROTECTION_SCHEDULE;
    Require(scheduled == corpus.has_release_interval_ms(), "a schedule has an interval");
    Require(!scheduled || (corpus.release_interval_ms() >= server::kMinReleaseIntervalMs &&
                           corpus.release_interval_ms() <= server::kMaxReleaseIntervalMs),
            "an interval is in its range");
    Require(corpus.limits().min_noise_multiplier() >= 0x1p-6, "some noise is always asked for");
  }
  const server::Authorizer authorizer(config);
  for (const v1::Principal& principal : config.principals()) {
    const auto caller = authorizer.Authenticate(principal.name());
    Require(caller.ok(), "who is listed may connect");
    Require(caller->is_auditor == (principal.role() == v1::Principal::AUDITOR), "roles are kept");
    for (const v1::CorpusAccess& access : principal.access()) {
      Require(server::FindCorpusConfig(config, access.corpus()).ok(),
              "access is to what is served");
      Require(authorizer.Authorize(*caller, access.corpus(), server::Activity::kQuery).ok() ==
                  !caller->is_auditor,
              "analysts query, auditors do not");
    }
  }
  Require(!authorizer.Authenticate("").ok(), "nobody is not listed");
}

Verdict Run(absl::string_view input) {
  // Messages name fields and repeat what the custodian wrote there.
  const RefusalRules rules = {.codes = {absl::StatusCode::kInvalidArgument},
                              .longest_message = 600 + 4 * input.size()};
  const absl::StatusOr<v1::WallConfig> config = Parse(input);
  if (!config.ok()) return Refuse(config.status(), rules);
  RequireServable(*config);
  std::string text;
  Require(google::protobuf::TextFormat::PrintToString(*config, &text), "it can be printed");
  const absl::StatusOr<v1::WallConfig> again = Parse(text);
  Require(again.ok() && again->SerializeAsString() == config->SerializeAsString(),
          "a configuration reads back as it was, paths made absolute once and for all");
  return Verdict::kAccepted;
}

constexpr char kGood[] = R"(
custodian_id: "hospital" listen_address: "127.0.0.1:0"
tls { certificate: "tls/s.pem" private_key: "tls/s.key" client_ca: "tls/ca.pem" }
data_directory: "data/../data" key_file: "/keys/corpus.key" # a comment
principals { name: "alice" role: ANALYST access { corpus: "notes" epsilon_cap: 1.5 } }
principals { name: "ann" role: AUDITOR access { corpus: "notes" } access { corpus: "more" } }
corpora {
  name: "notes" nominal_size: 60000 timing_protection: TIMING_PROTECTION_SCHEDULE
  release_interval_ms: 2000
  limits {
    max_tokens: 500 max_documents_per_unit: 20 max_parameters_per_term: 100 max_iterations: 50
    max_model_iterations: 100 min_noise_multiplier: 0.5 max_releases: 1000 queue_length: 4
  }
}
corpora {
  name: "more" timing_protection: TIMING_PROTECTION_NONE
  limits {
    max_tokens: 1 max_documents_per_unit: 1 max_parameters_per_term: 1 max_iterations: 1
    max_model_iterations: 1 min_noise_multiplier: 1 max_releases: 1 queue_length: 1
  }
}
e_step_threads: 2 max_matrix_bytes: 268435456
)";

std::vector<std::string> Seeds() { return {kGood}; }

[[maybe_unused]] const bool registered =
    Register({.name = "wall_config", .run = Run, .seeds = Seeds});

}  // namespace
}  // namespace topicwall::fuzz

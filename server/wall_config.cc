#include "server/wall_config.h"

#include <filesystem>
#include <set>
#include <type_traits>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "accountant/ledger/plan_admission.h"
#include "base/durable_file.h"
#include "base/name.h"
#include "base/status_macros.h"
#include "proto/strict_parse.h"
#include "server/processes.h"

namespace topicwall::server {
namespace {

// As mechanism_limits.h has them: the gate, which sees no mechanism, reads this, too.
constexpr double kSmallestNoiseMultiplier = 0x1p-6;
constexpr double kLargestNoiseMultiplier = 0x1p20;
constexpr int64_t kMost = 1'000'000'000;
constexpr int64_t kMaxCount = int64_t{1} << 31;
constexpr int64_t kMaxConfigBytes = int64_t{1} << 24;
// At most 2^36 a unit (mechanism_limits.h): sums of so many fit into 64 bits under every σ.
constexpr int64_t kDefaultMaxUnits = int64_t{1} << 26;

absl::Status Required(bool present, absl::string_view field) {
  if (present) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(field, " is required and missing; add it to the configuration"));
}

// Written so that NaN, which the text format can say, is outside every range.
template <typename Number>
absl::Status InRange(absl::string_view field, Number value, std::type_identity_t<Number> low,
                     std::type_identity_t<Number> high) {
  if (value >= low && value <= high) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(field, " must be in [", low, ", ", high, "]; got ", value));
}

absl::Status CheckLimits(const v1::Limits& limits, absl::string_view corpus) {
  const std::string at = absl::StrCat("corpora[", corpus, "].limits.");
  TW_RETURN_IF_ERROR(InRange(at + "max_tokens", limits.max_tokens(), 1, kMost));
  TW_RETURN_IF_ERROR(
      InRange(at + "max_documents_per_unit", limits.max_documents_per_unit(), 1, kMost));
  TW_RETURN_IF_ERROR(
      InRange(at + "max_parameters_per_term", limits.max_parameters_per_term(), 1, 1'000'000));
  TW_RETURN_IF_ERROR(InRange(at + "max_iterations", limits.max_iterations(), 1, 1'000'000));
  TW_RETURN_IF_ERROR(
      InRange(at + "max_model_iterations", limits.max_model_iterations(), 1, 10'000));
  TW_RETURN_IF_ERROR(InRange(at + "min_noise_multiplier", limits.min_noise_multiplier(),
                             kSmallestNoiseMultiplier, kLargestNoiseMultiplier));
  TW_RETURN_IF_ERROR(InRange(at + "max_releases", limits.max_releases(), 1, kMost));
  TW_RETURN_IF_ERROR(InRange(at + "max_units", MaxUnits(limits), 1, kMaxCount));
  TW_RETURN_IF_ERROR(InRange(at + "max_open_plans", MaxOpenPlans(limits), 1, 1000));
  TW_RETURN_IF_ERROR(InRange(at + "reservation_days", ReservationDays(limits), 1, 3650));
  return InRange(at + "queue_length", limits.queue_length(), 1, 1000);
}

absl::Status CheckName(absl::string_view name, absl::string_view field) {
  if (base::IsName(name)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(field, " must be ", base::kNameRule, "; got \"", absl::CHexEscape(name), "\""));
}

absl::Status CheckCorpus(const v1::CorpusConfig& corpus) {
  const std::string at = absl::StrCat("corpora[", corpus.name(), "].");
  TW_RETURN_IF_ERROR(CheckName(corpus.name(), "corpora.name"));
  TW_RETURN_IF_ERROR(Required(corpus.has_limits(), at + "limits"));
  TW_RETURN_IF_ERROR(CheckLimits(corpus.limits(), corpus.name()));
  if (corpus.has_nominal_size()) {
    TW_RETURN_IF_ERROR(InRange(at + "nominal_size", corpus.nominal_size(), 1, kMaxCount));
  }
  TW_RETURN_IF_ERROR(InRange(at + "decoded_cache_mebibytes", corpus.decoded_cache_mebibytes(), 0,
                             kMaxDecodedCacheMebibytes));
  TW_RETURN_IF_ERROR(InRange(at + "store_ms_per_mebibyte", corpus.store_ms_per_mebibyte(), 0,
                             kMaxStoreMsPerMebibyte));
  switch (corpus.timing_protection()) {
    case v1::TIMING_PROTECTION_SCHEDULE:
      TW_RETURN_IF_ERROR(Required(corpus.has_release_interval_ms(), at + "release_interval_ms"));
      return InRange(at + "release_interval_ms", corpus.release_interval_ms(),
                     kMinReleaseIntervalMs, kMaxReleaseIntervalMs);
    case v1::TIMING_PROTECTION_NONE:
      if (!corpus.has_release_interval_ms()) return absl::OkStatus();
      return absl::InvalidArgumentError(absl::StrCat(
          at,
          "release_interval_ms has no meaning with timing_protection: TIMING_PROTECTION_NONE; "
          "remove one of them"));
    default:
      return absl::InvalidArgumentError(
          absl::StrCat(at,
                       "timing_protection must be TIMING_PROTECTION_SCHEDULE (with "
                       "release_interval_ms) or TIMING_PROTECTION_NONE"));
  }
}

// "host:port"; of an IPv6 address without brackets the last part would be taken for the port.
absl::Status CheckAddress(absl::string_view field, const std::string& address) {
  const size_t colon = address.rfind(':');
  const std::string host = colon == std::string::npos ? "" : address.substr(0, colon);
  const bool in_brackets = absl::StartsWith(host, "[") && absl::EndsWith(host, "]");
  int port = -1;
  if (!host.empty() && absl::StrContains(host, ':') == in_brackets &&
      absl::SimpleAtoi(address.substr(colon + 1), &port) && port >= 0 && port <= 65535) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      field, " must be host:port, a port in [0, 65535], as 127.0.0.1:8443 or [::1]:8443; got \"",
      address, "\""));
}

absl::Status CheckPrincipal(const v1::Principal& principal, const std::set<std::string>& corpora) {
  const std::string at = absl::StrCat("principals[", principal.name(), "]");
  TW_RETURN_IF_ERROR(Required(!principal.name().empty(), "principals.name"));
  TW_RETURN_IF_ERROR(Required(
      principal.role() == v1::Principal::ANALYST || principal.role() == v1::Principal::AUDITOR,
      at + ".role"));
  TW_RETURN_IF_ERROR(Required(principal.access_size() > 0, at + ".access"));
  // Twice would leave open which cap binds.
  std::set<std::string> seen;
  for (const v1::CorpusAccess& access : principal.access()) {
    if (corpora.count(access.corpus()) == 0 || !seen.insert(access.corpus()).second) {
      return absl::InvalidArgumentError(
          absl::StrCat(at, ".access.corpus must name each served corpus at most once; got \"",
                       access.corpus(), "\""));
    }
    if (access.has_epsilon_cap()) {
      TW_RETURN_IF_ERROR(InRange(at + ".access.epsilon_cap", access.epsilon_cap(), 1e-9, 1e3));
    }
    if (access.has_max_releases()) {
      TW_RETURN_IF_ERROR(InRange(at + ".access.max_releases", access.max_releases(), 1, kMost));
    }
  }
  return absl::OkStatus();
}

// The name becomes a part of a libpq connection string.
absl::Status CheckLedger(const v1::WallConfig& config) {
  if (!config.has_ledger()) return absl::OkStatus();
  TW_RETURN_IF_ERROR(Required(config.ledger().has_postgresql(), "ledger.postgresql"));
  const v1::PostgresqlService& postgresql = config.ledger().postgresql();
  TW_RETURN_IF_ERROR(CheckName(postgresql.service(), "ledger.postgresql.service"));
  return Required(!postgresql.service_file().empty(), "ledger.postgresql.service_file");
}

// Started as the user that has the documents, so nothing is looked up on a path.
absl::Status CheckExecutor(const v1::WallConfig& config) {
  if (!config.has_executor()) return absl::OkStatus();
  const std::string& launch = config.executor().mpi().launch();
  if (absl::StartsWith(launch, "/")) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "executor.mpi.launch must be a command that begins with a path, as /usr/bin/mpirun; got \"",
      launch, "\""));
}

absl::Status Check(const v1::WallConfig& config) {
  TW_RETURN_IF_ERROR(CheckName(config.custodian_id(), "custodian_id"));
  TW_RETURN_IF_ERROR(Required(!config.listen_address().empty(), "listen_address"));
  TW_RETURN_IF_ERROR(CheckAddress("listen_address", config.listen_address()));
  if (!config.health_address().empty()) {
    TW_RETURN_IF_ERROR(CheckAddress("health_address", config.health_address()));
  }
  TW_RETURN_IF_ERROR(Required(!config.tls().certificate().empty(), "tls.certificate"));
  TW_RETURN_IF_ERROR(Required(!config.tls().private_key().empty(), "tls.private_key"));
  TW_RETURN_IF_ERROR(Required(!config.tls().client_ca().empty(), "tls.client_ca"));
  TW_RETURN_IF_ERROR(Required(!config.data_directory().empty(), "data_directory"));
  TW_RETURN_IF_ERROR(Required(!config.key_file().empty(), "key_file"));
  TW_RETURN_IF_ERROR(CheckLedger(config));
  TW_RETURN_IF_ERROR(CheckExecutor(config));
  TW_RETURN_IF_ERROR(Required(config.has_e_step_threads(), "e_step_threads"));
  TW_RETURN_IF_ERROR(InRange("e_step_threads", config.e_step_threads(), 1, 1024));
  TW_RETURN_IF_ERROR(Required(config.has_max_matrix_bytes(), "max_matrix_bytes"));
  TW_RETURN_IF_ERROR(InRange("max_matrix_bytes", config.max_matrix_bytes(), 4, int64_t{1} << 34));
  TW_RETURN_IF_ERROR(Required(config.corpora_size() > 0, "corpora"));
  std::set<std::string> corpora;
  for (const v1::CorpusConfig& corpus : config.corpora()) {
    TW_RETURN_IF_ERROR(CheckCorpus(corpus));
    if (!corpora.insert(corpus.name()).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("corpora.name must be unique; \"", corpus.name(), "\" is given twice"));
    }
  }
  std::set<std::string> principals;
  for (const v1::Principal& principal : config.principals()) {
    TW_RETURN_IF_ERROR(CheckPrincipal(principal, corpora));
    if (!principals.insert(principal.name()).second) {
      return absl::InvalidArgumentError(absl::StrCat("principals.name must be unique; \"",
                                                     principal.name(), "\" is given twice"));
    }
  }
  return absl::OkStatus();
}

void MakeAbsolute(const std::filesystem::path& folder, std::string* path) {
  if (!path->empty()) *path = (folder / *path).lexically_normal().string();
}

}  // namespace

absl::StatusOr<v1::WallConfig> ParseWallConfig(absl::string_view text, absl::string_view name,
                                               absl::string_view folder) {
  v1::WallConfig config;
  TW_RETURN_IF_ERROR(proto::ParseText(text, name, &config));
  absl::Status checked = Check(config);
  if (!checked.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": ", checked.message()));
  }
  // Relative to the file, not to whoever starts the server: systemd starts it from the root.
  const std::filesystem::path base{std::string(folder)};
  for (std::string* path :
       {config.mutable_tls()->mutable_certificate(), config.mutable_tls()->mutable_private_key(),
        config.mutable_tls()->mutable_client_ca(), config.mutable_data_directory(),
        config.mutable_key_file(), config.mutable_event_log()}) {
    MakeAbsolute(base, path);
  }
  if (config.has_ledger()) {
    MakeAbsolute(base, config.mutable_ledger()->mutable_postgresql()->mutable_service_file());
  }
  // Last, because it looks at the absolute paths.
  checked = CheckProcesses(config);
  if (!checked.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": ", checked.message()));
  }
  return config;
}

absl::StatusOr<v1::WallConfig> ReadWallConfig(absl::string_view path) {
  const std::string name(path);
  std::error_code error;
  if (std::filesystem::is_fifo(name, error)) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, " is a pipe; the configuration must be a file, for each process reads it anew"));
  }
  const absl::StatusOr<std::string> text = base::ReadWholeFile(name, kMaxConfigBytes);
  if (!text.ok()) {
    return absl::Status(text.status().code(),
                        absl::StrCat("cannot read the configuration: ", text.status().message(),
                                     "; check the path and its permissions"));
  }
  const auto absolute = std::filesystem::absolute(name, error);
  return ParseWallConfig(*text, path, absolute.parent_path().string());
}

absl::StatusOr<v1::CorpusConfig> FindCorpusConfig(const v1::WallConfig& config,
                                                  absl::string_view corpus) {
  for (const v1::CorpusConfig& candidate : config.corpora()) {
    if (candidate.name() == corpus) return candidate;
  }
  return absl::NotFoundError(absl::StrCat("the configuration has no corpora entry named \"", corpus,
                                          "\"; add one with its limits"));
}

int64_t MaxUnits(const v1::Limits& limits) {
  return limits.has_max_units() ? limits.max_units() : kDefaultMaxUnits;
}

int MaxOpenPlans(const v1::Limits& limits) {
  return limits.has_max_open_plans() ? limits.max_open_plans()
                                     : accountant::ledger::kDefaultMaxOpenPlans;
}

int ReservationDays(const v1::Limits& limits) {
  return limits.has_reservation_days() ? limits.reservation_days()
                                       : accountant::ledger::kDefaultReservationDays;
}

// Rounded up, so that shares may add up to a little more than there is; max_releases itself is
// counted apart.
int64_t ShareOfReleases(const v1::WallConfig& config, absl::string_view corpus,
                        absl::string_view analyst, int64_t max_releases) {
  int64_t analysts = 0;
  const v1::CorpusAccess* own = nullptr;
  for (const v1::Principal& principal : config.principals()) {
    if (principal.role() != v1::Principal::ANALYST) continue;
    for (const v1::CorpusAccess& access : principal.access()) {
      if (access.corpus() != corpus) continue;
      ++analysts;
      if (principal.name() == analyst) own = &access;
    }
  }
  if (own == nullptr) return 0;
  if (own->has_max_releases()) return own->max_releases();
  return (max_releases + analysts - 1) / analysts;
}

std::string CorpusFile(const v1::WallConfig& config, absl::string_view corpus) {
  return absl::StrCat(config.data_directory(), "/", corpus, ".corpus");
}

}  // namespace topicwall::server

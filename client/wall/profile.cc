#include "client/wall/profile.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/durable_file.h"
#include "base/status_macros.h"

namespace topicwall::client {
namespace {

// Far above any chain of certificates, far below what would hurt.
constexpr int64_t kMaxCredentialBytes = int64_t{1} << 20;
constexpr absl::string_view kExtension = ".textproto";

// Neither a folder of its own nor a hidden file: a name always stands for one file among the
// profiles.
bool IsProfileName(absl::string_view name) {
  return !name.empty() && name[0] != '.' && std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == '_';
  });
}

std::string EnvironmentOr(const char* variable, absl::string_view otherwise) {
  const char* value = std::getenv(variable);
  return value == nullptr || *value == '\0' ? std::string(otherwise) : std::string(value);
}

absl::StatusOr<std::string> ProfileFolder() {
  // The XDG Base Directory Specification: "If an implementation encounters a relative path […] it
  // should consider the path invalid and ignore it."
  std::string base = EnvironmentOr("XDG_CONFIG_HOME", "");
  if (!absl::StartsWith(base, "/")) {
    const std::string home = EnvironmentOr("HOME", "");
    // As above: keys' places would be told in whatever folder the program is started.
    if (!absl::StartsWith(home, "/")) {
      return absl::FailedPreconditionError(
          "a profile by name needs HOME or XDG_CONFIG_HOME in the environment; neither is set to "
          "an absolute path. Set one, or give --profile a path.");
    }
    base = absl::StrCat(home, "/.config");
  }
  return absl::StrCat(base, "/topicwall/profiles");
}

absl::Status CheckServer(const std::string& server) {
  // Else it would be a name that no resolver knows, found out by waiting.
  if (server.find("://") != std::string::npos) {
    return absl::InvalidArgumentError(absl::StrCat("server must be HOST:PORT alone; got \"", server,
                                                   "\". Give it without ",
                                                   server.substr(0, server.find("://") + 3), "."));
  }
  // The last one: an IPv6 address, [::1]:7443, has others.
  const size_t colon = server.rfind(':');
  int port = 0;
  if (colon == std::string::npos || colon == 0 ||
      !absl::SimpleAtoi(server.substr(colon + 1), &port) || !(port >= 1 && port <= 65535)) {
    return absl::InvalidArgumentError(
        absl::StrCat("server must be HOST:PORT with a port in [1, 65535]; got \"", server, "\"."));
  }
  return absl::OkStatus();
}

// Enough to catch a certificate given as the key, and files in DER. Whether the pair belongs
// together and is trusted, only TLS can say, and login asks it (admission.h).
struct PemFile {
  absl::string_view field;
  absl::string_view marker;  // what every PEM file of its kind contains
};
constexpr PemFile kCa = {"ca", "-----BEGIN CERTIFICATE-----"};
constexpr PemFile kCertificate = {"certificate", "-----BEGIN CERTIFICATE-----"};
// Without its beginning, which names the kind: RSA, EC or none.
constexpr PemFile kPrivateKey = {"key", "PRIVATE KEY-----"};

absl::StatusOr<std::string> ReadPem(const PemFile& kind, const std::string& path) {
  if (path.empty()) return absl::InvalidArgumentError(absl::StrCat(kind.field, " names no file."));
  absl::StatusOr<std::string> bytes = base::ReadWholeFile(path, kMaxCredentialBytes);
  if (!bytes.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(kind.field, " must be a readable file: ", bytes.status().message()));
  }
  if (!absl::StrContains(*bytes, kind.marker)) {
    return absl::InvalidArgumentError(absl::StrCat(kind.field, " must be a PEM file with \"",
                                                   kind.marker, "\" in it; ", path, " is not."));
  }
  return bytes;
}

// Keeps protobuf from printing, and says where a profile is wrong.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  const std::string& text() const { return text_; }
  void AddError(int line, int column, const std::string& message) override {
    if (text_.empty()) {
      text_ = absl::StrCat("line ", line + 1, ", column ", column + 1, ": ", message);
    }
  }

 private:
  std::string text_;
};

std::string Absolute(const std::string& path) {
  std::error_code error;
  // A profile is written in one folder and used from another.
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  return error ? path : absolute.lexically_normal().string();
}

}  // namespace

absl::StatusOr<std::string> ProfilePath(absl::string_view name_or_path) {
  const std::string chosen = name_or_path.empty()
                                 ? EnvironmentOr("TOPICWALL_PROFILE", kDefaultProfile)
                                 : std::string(name_or_path);
  if (absl::StrContains(chosen, '/') || absl::EndsWith(chosen, kExtension)) return chosen;
  if (!IsProfileName(chosen)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "profile must be a path or a name of letters, digits, '.', '-' and '_'; got \"", chosen,
        "\"."));
  }
  const absl::StatusOr<std::string> folder = ProfileFolder();
  // Nobody has named one.
  if (!folder.ok() && chosen == kDefaultProfile) {
    return absl::NotFoundError(folder.status().message());
  }
  TW_RETURN_IF_ERROR(folder.status());
  return absl::StrCat(*folder, "/", chosen, kExtension);
}

absl::StatusOr<v1::Profile> WriteProfile(const std::string& path, v1::Profile profile) {
  TW_RETURN_IF_ERROR(CheckServer(profile.server()));
  // Before anything is written: a profile that cannot work must not take the place of one that
  // does.
  TW_RETURN_IF_ERROR(LoadCredentials(profile).status());
  profile.set_ca_file(Absolute(profile.ca_file()));
  profile.set_certificate_file(Absolute(profile.certificate_file()));
  profile.set_private_key_file(Absolute(profile.private_key_file()));
  // Who logs in with a renewed certificate has not stopped to trust one custodian alone.
  const absl::StatusOr<v1::Profile> before = ReadProfile(path);
  if (profile.custodian_key().empty() && before.ok()) {
    profile.set_custodian_key(before->custodian_key());
  }

  std::error_code error;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) {
    return absl::PermissionDeniedError(
        absl::StrCat("cannot create ", folder.string(), ": ", error.message()));
  }
  std::string text;
  if (!google::protobuf::TextFormat::PrintToString(profile, &text)) {
    return absl::InternalError("the profile cannot be written as text.");
  }
  TW_RETURN_IF_ERROR(base::ReplaceFileDurably(path, text, 0600));
  return profile;
}

absl::StatusOr<v1::Profile> ReadProfile(const std::string& path) {
  absl::StatusOr<std::string> text = base::ReadWholeFile(path, kMaxCredentialBytes);
  if (absl::IsNotFound(text.status())) {
    return absl::NotFoundError(absl::StrCat(
        "there is no profile ", path,
        ". Make one with `topicwall login --server HOST:PORT --ca FILE --certificate FILE --key "
        "FILE`."));
  }
  TW_RETURN_IF_ERROR(text.status());
  v1::Profile profile;
  FirstError error;
  google::protobuf::TextFormat::Parser parser;
  // The parser is left strict. If it passed over names that it does not know, a misspelt
  // custodian_key would pin no key, and nobody would be told.
  parser.RecordErrorsTo(&error);
  if (!parser.ParseFromString(*text, &profile)) {
    return absl::InvalidArgumentError(absl::StrCat(path, " is no profile, ",
                                                   absl::StripSuffix(error.text(), "."),
                                                   ". Write it again with `topicwall login`."));
  }
  TW_RETURN_IF_ERROR(CheckServer(profile.server()));
  return profile;
}

absl::StatusOr<Credentials> LoadCredentials(const v1::Profile& profile) {
  Credentials credentials;
  TW_ASSIGN_OR_RETURN(credentials.ca, ReadPem(kCa, profile.ca_file()));
  TW_ASSIGN_OR_RETURN(credentials.certificate, ReadPem(kCertificate, profile.certificate_file()));
  TW_ASSIGN_OR_RETURN(credentials.private_key, ReadPem(kPrivateKey, profile.private_key_file()));
  return credentials;
}

}  // namespace topicwall::client

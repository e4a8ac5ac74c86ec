// The sandbox confines each process whoever it runs as; this is about the other wall, owners and
// modes. Two users in the configuration that hold nothing apart are refused before anything is
// started.
#include "server/processes.h"

#include <pwd.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace topicwall::server {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kRead = 4;
constexpr mode_t kWrite = 2;
constexpr mode_t kSearch = 1;

struct User {
  std::string name;
  uid_t uid;
  gid_t gid;
};

// Where links lead, as far as it is there and may be looked at.
fs::path Real(const fs::path& path) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(path, error);
  return error ? path : real;
}

// Whether `path` is `folder` or lies beneath it, by parts of the path: "tls2" is not in "tls".
bool IsWithin(const fs::path& path, const fs::path& folder) {
  const auto [end, unused] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end == folder.end();
}

absl::StatusOr<User> Find(absl::string_view field, const std::string& name) {
  const passwd* found = getpwnam(name.c_str());
  if (found == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat("processes.", field, ": there is no user \"", name,
                     "\"; make it with useradd --system --shell /usr/sbin/nologin ", name));
  }
  if (found->pw_uid == 0) {
    return absl::FailedPreconditionError(absl::StrCat(
        "processes.", field, " must not be root; got \"", name, "\": name a user of its own"));
  }
  return User{.name = name, .uid = found->pw_uid, .gid = found->pw_gid};
}

// open(2)'s rule for whoever is in no group but their own, as the server's processes are.
// The first class that fits decides, as in the kernel: an owner whom the mode gives less than
// others has less.
bool May(const struct stat& file, const User& user, mode_t rights) {
  const mode_t shift = file.st_uid == user.uid ? 6 : file.st_gid == user.gid ? 3 : 0;
  return ((file.st_mode >> shift) & rights) == rights;
}

// What of `path`, or of a folder on the way to it, the gate's user has and must not; else empty.
// Folder by folder from the root. Whoever may write to a folder can put another one in the place of
// what is in it; whoever cannot search one reaches nothing beneath, whatever modes are there.
std::string OpenTo(const User& gate, const fs::path& path) {
  fs::path at;
  struct stat file {};
  for (const fs::path& part : path) {
    at /= part;
    if (stat(at.c_str(), &file) != 0) {
      // One that is not there yet is for others to miss.
      return errno == ENOENT
                 ? ""
                 : absl::StrCat(at.string(), " cannot be looked at; check as root or as ",
                                "the vault's user");
    }
    if (file.st_uid == gate.uid) return absl::StrCat(at.string(), " belongs to ", gate.name);
    // Where it is sticky, as /tmp, each may remove what is theirs.
    const bool sticky = S_ISDIR(file.st_mode) && (file.st_mode & S_ISVTX) != 0;
    if (May(file, gate, kWrite) && !sticky) {
      return absl::StrCat(at.string(), " can be written by ", gate.name);
    }
    if (S_ISDIR(file.st_mode) && !May(file, gate, kSearch)) {
      // It comes no further, and of the names in the folder itself none is to be read.
      return at == path && May(file, gate, kRead)
                 ? absl::StrCat(at.string(), " can be read by ", gate.name)
                 : "";
    }
  }
  const bool readable = S_ISDIR(file.st_mode) || May(file, gate, kRead);
  return readable ? absl::StrCat(path.string(), " can be read by ", gate.name) : "";
}

// What `user` needs of `path` and has not; else empty.
// What is not there, or not to be looked at, is no refusal of this: whoever needs it will say so.
std::string ClosedTo(const User& user, const fs::path& path, mode_t rights) {
  fs::path at;
  for (const fs::path& part : path) {
    at /= part;
    struct stat file {};
    if (stat(at.c_str(), &file) != 0) return "";
    if (!May(file, user, at == path ? rights : kSearch)) {
      return absl::StrCat(at.string(), " is closed to ", user.name);
    }
  }
  return "";
}

absl::Status Refuse(absl::string_view reason, absl::string_view what_to_do) {
  return absl::FailedPreconditionError(
      absl::StrCat("processes are not separated: ", reason, "; ", what_to_do));
}

// Of links also the folders where they lead: certificates are often links into a folder of
// versions.
std::vector<std::string> FoldersOf(const std::vector<std::string>& files) {
  std::set<std::string> folders;
  for (const std::string& file : files) {
    folders.insert(fs::path(file).parent_path().string());
    std::error_code error;
    const fs::path real = fs::canonical(file, error);
    if (!error) folders.insert(real.parent_path().string());
  }
  return {folders.begin(), folders.end()};
}

std::vector<std::string> FoldersOfTheGate(const v1::WallConfig& config) {
  return FoldersOf(
      {config.tls().certificate(), config.tls().private_key(), config.tls().client_ca()});
}

std::vector<std::string> FoldersOfTheStore(const v1::WallConfig& config) {
  if (!config.has_ledger()) return {};
  return FoldersOf({config.ledger().postgresql().service_file()});
}

absl::Status CheckFolders(const v1::WallConfig& config, absl::string_view field,
                          absl::string_view process, const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    const fs::path real = Real(folder);
    // By where links lead, on both sides: a folder by another name is the same folder.
    if (!IsWithin(Real(config.key_file()), real) &&
        !IsWithin(Real(config.data_directory()), real)) {
      continue;
    }
    return absl::InvalidArgumentError(
        absl::StrCat(field, " must be in a folder without key_file and data_directory, since the ",
                     process, " may read all of it; move them out of ", folder,
                     ", for instance to ", folder, "/", process == "gate" ? "tls" : "postgresql"));
  }
  return absl::OkStatus();
}

// Lines are appended to it at every start: to a key or a ledger just as well.
absl::Status CheckEventLog(const v1::WallConfig& config) {
  if (config.event_log().empty()) return absl::OkStatus();
  const fs::path log = Real(config.event_log());
  const std::string name = log.filename().string();
  bool is_another = log.parent_path() == Real(config.data_directory()) &&
                    (absl::StartsWith(name, "ledger.") || absl::EndsWith(name, ".corpus"));
  for (const std::string& file :
       {config.key_file(), config.tls().certificate(), config.tls().private_key(),
        config.tls().client_ca(), config.ledger().postgresql().service_file()}) {
    is_another = is_another || log == Real(file);
  }
  if (!is_another) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("event_log must be a file of its own, since lines are appended to it; got ",
                   config.event_log(), ", which is another of this configuration: name a new one"));
}

}  // namespace

std::vector<std::string> ReadableByTheGate(const v1::WallConfig& config) {
  std::vector<std::string> readable = FoldersOfTheGate(config);
  for (const char* file : {"/dev/urandom", "/etc/hosts", "/etc/localtime", "/etc/nsswitch.conf"}) {
    if (fs::exists(file)) readable.emplace_back(file);
  }
  return readable;
}

std::vector<std::string> CommandOfTheStore(const std::string& program,
                                           const v1::WallConfig& config) {
  const v1::PostgresqlService& postgresql = config.ledger().postgresql();
  std::vector<std::string> command = {program, "--service", postgresql.service(), "--service-file",
                                      postgresql.service_file()};
  if (!RequiresSandbox(config)) command.emplace_back("--best-effort");
  return command;
}

absl::Status CheckProcesses(const v1::WallConfig& config) {
  // The text format takes any number for an enum.
  if (!v1::Sandbox_IsValid(config.sandbox())) {
    return absl::InvalidArgumentError(
        absl::StrCat("sandbox must be SANDBOX_REQUIRED or SANDBOX_BEST_EFFORT; got ",
                     static_cast<int>(config.sandbox())));
  }
  const v1::ProcessUsers& users = config.processes();
  if (users.gate().empty() != users.vault().empty() ||
      (!users.gate().empty() && users.gate() == users.vault())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "processes.gate and processes.vault must be two users, or neither be given; got \"",
        users.gate(), "\" and \"", users.vault(), "\""));
  }
  const bool has_store = config.has_ledger() && !users.gate().empty();
  if (users.store().empty() == has_store ||
      (has_store && (users.store() == users.gate() || users.store() == users.vault()))) {
    return absl::InvalidArgumentError(absl::StrCat(
        "processes.store must be a third user if ledger and processes are given, and none if not; "
        "got \"",
        users.store(), "\""));
  }
  TW_RETURN_IF_ERROR(CheckEventLog(config));
  TW_RETURN_IF_ERROR(CheckFolders(config, "tls files", "gate", FoldersOfTheGate(config)));
  return CheckFolders(config, "ledger.postgresql.service_file", "store", FoldersOfTheStore(config));
}

bool AreSeparated(const v1::WallConfig& config) { return !config.processes().gate().empty(); }

bool RequiresSandbox(const v1::WallConfig& config) {
  return config.sandbox() != v1::SANDBOX_BEST_EFFORT;
}

std::string SeparationSentence(bool separated, bool sandbox_required) {
  return absl::StrCat(
      separated
          ? "gate and vault separated: two processes of two users, each confined by the kernel"
          : "gate and vault not separated: two processes of one user, held apart by the kernel's "
            "sandbox alone",
      sandbox_required ? "" : ", as far as it has one");
}

absl::Status CheckUsers(const v1::WallConfig& config) {
  if (!AreSeparated(config)) return absl::OkStatus();
  TW_ASSIGN_OR_RETURN(const User gate, Find("gate", config.processes().gate()));
  TW_ASSIGN_OR_RETURN(const User vault, Find("vault", config.processes().vault()));
  if (gate.uid == vault.uid) {
    return Refuse(absl::StrCat(gate.name, " and ", vault.name, " are one user by two names"),
                  "name two");
  }
  std::vector<User> kept_out = {gate};
  if (config.has_ledger()) {
    TW_ASSIGN_OR_RETURN(const User store, Find("store", config.processes().store()));
    if (store.uid == vault.uid || store.uid == gate.uid) {
      return Refuse(absl::StrCat(store.name, " is another of the users by another name"),
                    "name three");
    }
    kept_out.push_back(store);
  }
  for (const User& user : kept_out) {
    for (const std::string& path : {config.key_file(), config.data_directory()}) {
      const std::string open = OpenTo(user, Real(path));
      if (!open.empty()) {
        return Refuse(open, absl::StrCat("give it to ", vault.name, " alone (chown ", vault.name,
                                         ":, chmod go=)"));
      }
    }
  }
  for (const std::string& file :
       {config.tls().certificate(), config.tls().private_key(), config.tls().client_ca()}) {
    const std::string closed = ClosedTo(gate, Real(file), kRead);
    if (!closed.empty()) {
      return Refuse(closed, absl::StrCat("the gate has to read ", file, " (chgrp, chmod g+r)"));
    }
  }
  std::string closed = ClosedTo(vault, Real(config.key_file()), kRead);
  if (closed.empty()) {
    closed = ClosedTo(vault, Real(config.data_directory()), kRead | kWrite | kSearch);
  }
  if (closed.empty()) return absl::OkStatus();
  return Refuse(closed, "the vault has to read key_file and to write data_directory (chown -R)");
}

}  // namespace topicwall::server

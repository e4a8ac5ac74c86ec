#include "server/audit/attack.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "base/file_descriptor.h"
#include "base/hex.h"
#include "base/sha256.h"
#include "base/status_macros.h"
#include "server/random/secret_key.h"

namespace topicwall::audit {
namespace {

constexpr std::size_t kSeedBytes = 16;
// Sides of statistical checks in a whole run; there are fewer.
constexpr double kMostOneSidedChecks = 128;

absl::Status OutOfRange(absl::string_view name, absl::string_view range, double value,
                        absl::string_view hint) {
  return absl::InvalidArgumentError(
      absl::StrCat(name, " must be in ", range, "; got ", value, ". ", hint));
}

absl::Status Validate(const AuditOptions& options) {
  if (!(options.releases >= 20 && options.releases <= 100'000)) {
    return OutOfRange("releases", "[20, 100000]", options.releases, "100 take about a minute.");
  }
  if (!(options.pairs >= 0 && options.pairs <= 1'000'000)) {
    return OutOfRange("pairs", "[0, 1000000]", options.pairs, "100 take some seconds.");
  }
  const double alarm = options.false_alarm_probability;
  if (!(alarm >= 1e-12 && alarm <= 1e-2)) {
    return OutOfRange("false_alarm_probability", "[1e-12, 1e-2]", alarm, "1e-6 is usual.");
  }
  const std::string& seed = options.seed;
  if (!seed.empty() && !base::BytesOfHex(seed, kSeedBytes).has_value()) {
    return absl::InvalidArgumentError(absl::StrCat("seed must be 32 hexadecimal digits; got ", seed,
                                                   ". An audit prints its own first."));
  }
  return absl::OkStatus();
}

// Of the operating system itself, and not of the wall's generator, which is being audited.
absl::StatusOr<std::string> FreshSeed() {
  std::array<uint8_t, kSeedBytes> bytes;
  if (getentropy(bytes.data(), bytes.size()) != 0) {
    return absl::UnavailableError(
        "the operating system gave no random bytes for a seed. Give one with --seed.");
  }
  return base::Hex(bytes);
}

// A process of its own, for nobody else is left to do it when the audit is ended by a signal, be it
// SIGKILL. Reads nothing: `alive` ends when the last process that has its other end does, those
// that the audit forks among them, so that nobody writes to the folder any more.
[[noreturn]] void RemoveOnceAlone(int alive, const std::string& folder) {
  for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGTERM}) signal(number, SIG_IGN);
  char nothing = 0;
  while (read(alive, &nothing, 1) < 0 && errno == EINTR) {
  }
  std::error_code error;
  std::filesystem::remove_all(folder, error);
  _exit(0);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Attack>> Attack::Create(const AuditOptions& options) {
  TW_RETURN_IF_ERROR(Validate(options));
  std::unique_ptr<Attack> attack(new Attack(options));
  // Choices hang on its text: the same digits in capitals must be the same seed.
  attack->seed_ = absl::AsciiStrToLower(options.seed);
  if (attack->seed_.empty()) {
    TW_ASSIGN_OR_RETURN(attack->seed_, FreshSeed());
  }
  const char* const temporary = std::getenv("TMPDIR");
  const bool by_environment =
      options.scratch_directory.empty() && temporary != nullptr && *temporary != '\0';
  const std::string parent = by_environment                      ? temporary
                             : options.scratch_directory.empty() ? "/tmp"
                                                                 : options.scratch_directory;
  std::string pattern = absl::StrCat(parent, "/topicwall-audit-XXXXXX");
  if (mkdtemp(pattern.data()) == nullptr) {
    const std::string wrong = absl::StrCat(
        by_environment ? "TMPDIR" : "--scratch", " must be a folder that can be written to; got ",
        parent, " (", std::strerror(errno), "). Name another one with --scratch.");
    return options.scratch_directory.empty() ? absl::UnavailableError(wrong)
                                             : absl::InvalidArgumentError(wrong);
  }
  attack->folder_ = pattern;
  TW_RETURN_IF_ERROR(attack->StartKeeper());
  return attack;
}

absl::Status Attack::StartKeeper() {
  std::array<int, 2> ends;
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    return absl::UnavailableError(absl::StrCat("there is no pipe: ", std::strerror(errno)));
  }
  const base::FileDescriptor alive(ends[0]);
  alive_ = base::FileDescriptor(ends[1]);
  keeper_ = fork();
  if (keeper_ == 0) {
    close(ends[1]);
    RemoveOnceAlone(ends[0], folder_);
  }
  if (keeper_ > 0) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("no process can be started: ", std::strerror(errno)));
}

Attack::~Attack() {
  std::error_code error;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, error);
  // Not by an end of the pipe, which another attack's keeper may have, too.
  if (keeper_ > 0) {
    kill(keeper_, SIGKILL);
    waitpid(keeper_, nullptr, 0);
  }
}

double Attack::x() const {
  // By a union bound: of so many sides, each off with probability e^-x, one is off with no more
  // than the run's false alarm.
  return std::log(kMostOneSidedChecks / options_.false_alarm_probability);
}

absl::StatusOr<random::Keystream> Attack::Choices(absl::string_view purpose) const {
  // By a digest, so that what one purpose draws says nothing of another's: parts can be run alone.
  const base::Digest key = base::Sha256Of(absl::StrCat("topicwall-audit ", seed_, " ", purpose));
  return random::Keystream::Create(random::SecretKey(key), 0);
}

std::string Attack::NewPath(absl::string_view name) {
  return absl::StrCat(folder_, "/", name, "-", ++given_);
}

void Attack::Tell(absl::string_view line) const {
  if (options_.progress != nullptr) options_.progress(line);
}

}  // namespace topicwall::audit

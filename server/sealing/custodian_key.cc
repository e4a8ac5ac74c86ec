// Every secret has one place at a time: locked memory (SecretKey), or a buffer that is wiped when
// it goes. What is read from the file must be what WriteNew writes, to the byte: a key that was
// read wrongly would seal things that the right one cannot open.
#include "server/sealing/custodian_key.h"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "base/durable_file.h"
#include "base/file_descriptor.h"
#include "base/sha256.h"
#include "base/status_macros.h"
#include "server/random/key_derivation.h"
#include "server/random/secret_key.h"

namespace topicwall::sealing {
namespace {

using random::SecretKey;

constexpr absl::string_view kFirstLine = "topicwall-custodian-key 1\n";
constexpr std::size_t kIdBytes = 8;
// The four lines of the file, exactly.
constexpr std::size_t kFileSize =
    kFirstLine.size() + (8 + 64 + 1) + (9 + 64 + 1) + (3 + 2 * kIdBytes + 1);

// Text that holds secrets: wiped when it goes.
struct SecretText {
  std::string text;
  ~SecretText() { OPENSSL_cleanse(text.data(), text.size()); }
};

// The system's word, or base/durable_file.h's, on an act that failed.
absl::Status FileError(absl::string_view act, absl::string_view path, const absl::Status& status) {
  const std::string message =
      absl::StrCat("cannot ", act, " key file ", path, ": ", status.message());
  if (absl::IsNotFound(status)) return absl::NotFoundError(message);
  if (absl::IsAlreadyExists(status)) {
    return absl::AlreadyExistsError(absl::StrCat(message, ". A key is never written over."));
  }
  return absl::FailedPreconditionError(message);
}

absl::Status FileError(absl::string_view act, absl::string_view path, int error) {
  return FileError(act, path, absl::ErrnoToStatus(error, "the system says"));
}

absl::Status NotAKeyFile(absl::string_view path) {
  return absl::InvalidArgumentError(
      absl::StrCat("key file ", path,
                   " is damaged or is no key file of this version. Restore it from its backup."));
}

// Into a buffer that is there already, and is wiped: base/hex.h makes strings that nobody wipes.
void AppendHex(absl::Span<const uint8_t> bytes, std::string* text) {
  constexpr char kDigits[] = "0123456789abcdef";
  for (const uint8_t byte : bytes) {
    text->push_back(kDigits[byte >> 4]);
    text->push_back(kDigits[byte & 15]);
  }
}

int HexValue(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  return -1;
}

// Takes "<name> <64 hexadecimal digits>\n" from the front of `rest`.
std::optional<SecretKey> TakeSecretLine(absl::string_view name, absl::string_view* rest) {
  if (!absl::ConsumePrefix(rest, name) || !absl::ConsumePrefix(rest, " ")) return std::nullopt;
  std::array<uint8_t, SecretKey::kSize> bytes = {};
  bool good = rest->size() > 2 * bytes.size();
  for (std::size_t i = 0; good && i < bytes.size(); ++i) {
    const int high = HexValue((*rest)[2 * i]);
    const int low = HexValue((*rest)[2 * i + 1]);
    good = high >= 0 && low >= 0;
    bytes[i] = static_cast<uint8_t>(high * 16 + low);
  }
  std::optional<SecretKey> key;
  if (good) {
    rest->remove_prefix(2 * bytes.size());
    if (absl::ConsumePrefix(rest, "\n")) key.emplace(bytes);
  }
  OPENSSL_cleanse(bytes.data(), bytes.size());
  return key;
}

// Of the descriptor that is then read, not of the path: what lies there may be exchanged in
// between.
absl::Status CheckMode(int fd, absl::string_view path) {
  struct stat status;
  if (fstat(fd, &status) != 0) return FileError("examine", path, errno);
  if (!S_ISREG(status.st_mode)) {
    return absl::FailedPreconditionError(absl::StrCat("key file ", path, " is no regular file"));
  }
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("key file ", path,
                     " is open to others than its owner. If nobody can have read it, run: "
                     "chmod 600 ",
                     path));
  }
  return absl::OkStatus();
}

// How much of `buffer` was filled: less than all of it at the end of the file.
std::optional<std::size_t> ReadUpTo(int fd, absl::Span<char> buffer) {
  std::size_t size = 0;
  while (size < buffer.size()) {
    const ssize_t got = read(fd, buffer.data() + size, buffer.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  return size;
}

}  // namespace

absl::StatusOr<CustodianKey> CustodianKey::Create(SecretKey sealing, SecretKey identity) {
  // Ids come from keys of their own, so that they say nothing of the other derived keys.
  TW_ASSIGN_OR_RETURN(SecretKey identity_naming, random::Derive(identity, "custodian key id", {}));
  TW_ASSIGN_OR_RETURN(SecretKey key_naming, random::Derive(sealing, "custodian key id", {}));
  TW_ASSIGN_OR_RETURN(const base::Digest identity_name,
                      random::HmacSha256(identity_naming, random::AsBytes("topicwall identity")));
  TW_ASSIGN_OR_RETURN(const base::Digest key_name, random::HmacSha256(key_naming, identity_name));

  CustodianKey key(std::move(sealing), std::move(identity));
  AppendHex(absl::MakeSpan(key_name).first(kIdBytes), &key.key_id_);
  AppendHex(absl::MakeSpan(identity_name).first(kIdBytes), &key.identity_id_);
  return key;
}

absl::StatusOr<CustodianKey> CustodianKey::Generate() {
  TW_ASSIGN_OR_RETURN(SecretKey sealing, SecretKey::Generate());
  TW_ASSIGN_OR_RETURN(SecretKey identity, SecretKey::Generate());
  return Create(std::move(sealing), std::move(identity));
}

// Unit ids, held-out sides and the signing key come from the identity: a rekey must change none of
// them.
absl::StatusOr<CustodianKey> CustodianKey::GenerateWithIdentityOf(const CustodianKey& old) {
  TW_ASSIGN_OR_RETURN(SecretKey sealing, SecretKey::Generate());
  std::array<uint8_t, SecretKey::kSize> identity;
  const absl::Span<const uint8_t> bytes = old.identity_.ExposeBytes();
  std::copy(bytes.begin(), bytes.end(), identity.begin());
  absl::StatusOr<CustodianKey> key = Create(std::move(sealing), SecretKey(identity));
  OPENSSL_cleanse(identity.data(), identity.size());
  return key;
}

absl::StatusOr<CustodianKey> CustodianKey::Read(absl::string_view path) {
  // O_NONBLOCK: a pipe in the key's place must not hang the server.
  const base::FileDescriptor file(
      open(std::string(path).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid()) return FileError("open", path, errno);
  TW_RETURN_IF_ERROR(CheckMode(file.get(), path));
  SecretText content;
  // One byte more than a key file has, so that a longer one is noticed.
  content.text.resize(kFileSize + 1);
  const std::optional<std::size_t> size = ReadUpTo(file.get(), absl::MakeSpan(content.text));
  if (!size.has_value()) return FileError("read", path, errno);
  if (*size != kFileSize) return NotAKeyFile(path);

  absl::string_view rest = absl::string_view(content.text).substr(0, kFileSize);
  if (!absl::ConsumePrefix(&rest, kFirstLine)) return NotAKeyFile(path);
  std::optional<SecretKey> sealing = TakeSecretLine("sealing", &rest);
  if (!sealing.has_value()) return NotAKeyFile(path);
  std::optional<SecretKey> identity = TakeSecretLine("identity", &rest);
  if (!identity.has_value()) return NotAKeyFile(path);
  absl::StatusOr<CustodianKey> key = Create(*std::move(sealing), *std::move(identity));
  // Worked out from both secrets, so one digit that was copied wrongly shows here.
  if (key.ok() && rest != absl::StrCat("id ", key->key_id_, "\n")) return NotAKeyFile(path);
  return key;
}

absl::Status CustodianKey::WriteNew(absl::string_view path) const {
  SecretText content;
  content.text.reserve(kFileSize);  // one buffer, so that one buffer is to be wiped
  absl::StrAppend(&content.text, kFirstLine, "sealing ");
  AppendHex(sealing_.ExposeBytes(), &content.text);
  absl::StrAppend(&content.text, "\nidentity ");
  AppendHex(identity_.ExposeBytes(), &content.text);
  absl::StrAppend(&content.text, "\nid ", key_id_, "\n");

  const absl::Status written = base::WriteNewFileDurably(std::string(path), content.text);
  if (!written.ok()) return FileError("write", path, written);
  return absl::OkStatus();
}

absl::StatusOr<SealingKey> CustodianKey::CorpusSealingKey() const {
  TW_ASSIGN_OR_RETURN(SecretKey key, random::Derive(sealing_, "corpus sealing", {}));
  return SealingKey::Create(key);
}

absl::StatusOr<SealingKey> CustodianKey::LedgerSealingKey() const {
  TW_ASSIGN_OR_RETURN(SecretKey key, random::Derive(sealing_, "ledger sealing", {}));
  return SealingKey::Create(key);
}

absl::StatusOr<base::SigningKey> CustodianKey::IdentitySigningKey() const {
  TW_ASSIGN_OR_RETURN(SecretKey seed, random::Derive(identity_, "signing", {}));
  return base::SigningKey::Create(seed.ExposeBytes());
}

absl::StatusOr<SecretKey> CustodianKey::LedgerSealsKey() const {
  return random::Derive(identity_, "ledger seals", {});
}

absl::StatusOr<SecretKey> CustodianKey::UnitIdKey() const {
  return random::Derive(identity_, "unit ids", {});
}

absl::StatusOr<SecretKey> CustodianKey::ContentKey() const {
  return random::Derive(identity_, "corpus content", {});
}

absl::StatusOr<SecretKey> CustodianKey::HeldOutKey() const {
  return random::Derive(identity_, "held-out units", {});
}

}  // namespace topicwall::sealing

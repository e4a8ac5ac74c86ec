#include "proto/signed_statement.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/ed25519.h"
#include "proto/signature.h"

namespace topicwall::proto {
namespace {

constexpr absl::string_view kFirstLine = "topicwall privacy statement 1\n";
// Of every version.
constexpr absl::string_view kTitle = "topicwall privacy statement ";
constexpr absl::string_view kSignedBy = "signed by: ";
constexpr absl::string_view kSignature = "\nsignature: ";

// A value that holds a line end could say another line of the statement.
std::string OneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

absl::Status NoStatement(absl::string_view what) {
  return absl::DataLossError(
      absl::StrCat("the statement proves nothing: ", what, ". Ask the custodian for it again."));
}

// What StatementFile puts behind the text.
std::string Seal(absl::string_view public_key, absl::string_view signature) {
  return absl::StrCat(kSignedBy, absl::BytesToHexString(public_key), kSignature,
                      absl::BytesToHexString(signature), "\n");
}

// Of one size, as keys and signatures are: the seal is found from the end of the file. To look for
// the words "signed by" would find them in a value, too.
constexpr std::size_t kSealSize =
    kSignedBy.size() + 2 * base::kSigningKeySize + kSignature.size() + 2 * base::kSignatureSize + 1;

}  // namespace

std::string StatementText(const std::vector<StatementLine>& lines) {
  std::string text(kFirstLine);
  for (const auto& [name, value] : lines) {
    absl::StrAppend(&text, OneLine(name), ": ", OneLine(value), "\n");
  }
  return text;
}

std::string StatementFile(absl::string_view text, absl::string_view public_key,
                          absl::string_view signature) {
  return absl::StrCat(text, Seal(public_key, signature));
}

absl::StatusOr<OpenedStatement> OpenStatement(absl::string_view file,
                                              absl::string_view public_key) {
  if (file.size() < kFirstLine.size() + kSealSize) return NoStatement("it is cut");
  const absl::string_view seal = file.substr(file.size() - kSealSize);
  OpenedStatement opened;
  opened.text = std::string(file.substr(0, file.size() - kSealSize));
  opened.public_key =
      absl::HexStringToBytes(seal.substr(kSignedBy.size(), 2 * base::kSigningKeySize));
  const std::string signature = absl::HexStringToBytes(
      seal.substr(seal.size() - 1 - 2 * base::kSignatureSize, 2 * base::kSignatureSize));
  // Also refuses other spellings of the same digits.
  if (seal != Seal(opened.public_key, signature))
    return NoStatement("it is cut, its line ends were changed, or it is no statement");
  // First whether it is whole, then whose it is: a file that was cut is told apart from another
  // key's.
  if (!IsSignedBy(opened.public_key, SignedMatter::kStatement, opened.text, signature)) {
    return NoStatement("its signature does not hold");
  }
  if (!public_key.empty() && public_key != opened.public_key) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the statement must be signed by ", absl::BytesToHexString(public_key), "; got one of ",
        absl::BytesToHexString(opened.public_key), ". Ask the custodian which key is right."));
  }
  absl::string_view rest = opened.text;
  // The custodian gave what is right: asked again, it would give the same.
  if (absl::StartsWith(rest, kTitle) && !absl::StartsWith(rest, kFirstLine)) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the statement's signature holds, and it is of another version of statements, which this "
        "program does not read: its first line must be \"",
        absl::StripSuffix(kFirstLine, "\n"), "\". Verify it with the topicwall of that version."));
  }
  if (!absl::ConsumePrefix(&rest, kFirstLine) || !absl::ConsumeSuffix(&rest, "\n")) {
    return NoStatement("what is signed is no statement");
  }
  for (const absl::string_view line : absl::StrSplit(rest, '\n')) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(line, absl::MaxSplits(": ", 1));
    opened.lines.push_back(parts);
  }
  return opened;
}

}  // namespace topicwall::proto

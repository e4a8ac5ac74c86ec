// The file of a privacy statement: lines that people and programs read, and a signature.
//
//   topicwall privacy statement 1
//   corpus: notes
//   epsilon: 2.44
//   not protected: people mentioned in others' documents
//   …
//   signed by: 64 hexadecimal digits
//   signature: 128 hexadecimal digits
//
// Every line but the first is "name: value"; a name may come more than once. The signature
// (proto/signature.h, SignedMatter::kStatement) is over all bytes before the line "signed by", so
// what is read is, to the letter, what was signed. No line of it is a line of another format:
// there is one way to write a statement, and anything else does not verify.
//
// PUBLIC. Pure functions, any thread.
#ifndef TOPICWALL_PROTO_SIGNED_STATEMENT_H_
#define TOPICWALL_PROTO_SIGNED_STATEMENT_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace topicwall::proto {

using StatementLine = std::pair<std::string, std::string>;  // name, value

// The bytes to sign. Line ends in names or values become spaces.
std::string StatementText(const std::vector<StatementLine>& lines);

// The whole file. `public_key`: 32 bytes; `signature`: 64.
std::string StatementFile(absl::string_view text, absl::string_view public_key,
                          absl::string_view signature);

struct OpenedStatement {
  std::string text;  // what was signed, for people
  std::vector<StatementLine> lines;
  std::string public_key;  // 32 bytes
};

// DATA_LOSS if it is no statement or its signature does not hold; FAILED_PRECONDITION if it
// holds, and is not of `public_key` (32 bytes, or empty for whatever key it names: then it says
// only that whoever holds that key wrote it), or is of a statement of another version.
absl::StatusOr<OpenedStatement> OpenStatement(absl::string_view file, absl::string_view public_key);

}  // namespace topicwall::proto

#endif  // TOPICWALL_PROTO_SIGNED_STATEMENT_H_

#include "client/evaluate/text_folder.h"

#include <cstdint>
#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/durable_file.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "base/text_files.h"
#include "client/exit_code.h"
#include "model/data/tokenizer.h"

namespace topicwall::client {
namespace {

constexpr int64_t kMaxBytes = int64_t{64} << 20;

absl::Status BadFile(const std::string& path, absl::string_view what) {
  return WithDetail(absl::InvalidArgumentError(absl::StrCat(path, ": ", what, ".")),
                    base::JsonObject().SetString("kind", "input").SetString("path", path));
}

}  // namespace

absl::StatusOr<lda::DocumentList> ReadTextFolder(const std::string& folder, const TermRule& rule) {
  TW_RETURN_IF_ERROR(CheckTakesText(rule));
  TW_ASSIGN_OR_RETURN(const std::vector<std::string> names, base::TextFilesBelow(folder));
  if (names.empty()) {
    return BadFile(folder,
                   "a folder of texts must have files *.txt, in it or below it; it has none");
  }
  lda::DocumentList documents;
  std::vector<lda::TermCount> counts;
  for (const std::string& name : names) {
    const std::string path = absl::StrCat(folder, "/", name);
    // A pipe would be waited for, and a device may have no end.
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) {
      return BadFile(path, "a text must be a file, or a link to one that is there");
    }
    TW_ASSIGN_OR_RETURN(const std::string text, base::ReadWholeFile(path, kMaxBytes));
    if (!lda::CountTerms(text, rule.vocabulary, &counts).ok()) {
      return BadFile(path, "the text must be valid UTF-8");
    }
    documents.Append(counts);
  }
  return documents;
}

}  // namespace topicwall::client

#include "client/evaluate/text_folder.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/durable_file.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "client/exit_code.h"
#include "model/data/tokenizer.h"

namespace topicwall::client {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMaxBytes = int64_t{64} << 20;

absl::Status CannotList(const std::string& folder, const std::error_code& error) {
  const std::string message =
      absl::StrCat("cannot list folder ", folder, ": ", error.message(), ".");
  return error == std::errc::no_such_file_or_directory ? absl::NotFoundError(message)
                                                       : absl::FailedPreconditionError(message);
}

// Below the folder: the file system's own order changes with a copy.
absl::StatusOr<std::vector<std::string>> SortedNames(const std::string& folder) {
  const fs::path root(folder);
  std::error_code error;
  fs::recursive_directory_iterator entry(root, error);
  if (error) return CannotList(folder, error);
  std::vector<std::string> names;
  while (entry != fs::recursive_directory_iterator()) {
    std::error_code unused;  // a file that is gone by now is not a document
    if (entry->path().extension() == ".txt" && entry->is_regular_file(unused)) {
      names.push_back(entry->path().lexically_relative(root).generic_string());
    }
    entry.increment(error);
    if (error) return CannotList(folder, error);
  }
  std::sort(names.begin(), names.end());
  return names;
}

absl::Status BadFile(const std::string& path, absl::string_view what) {
  return WithDetail(absl::InvalidArgumentError(absl::StrCat(path, ": ", what, ".")),
                    base::JsonObject().SetString("kind", "input").SetString("path", path));
}

}  // namespace

absl::StatusOr<lda::DocumentList> ReadTextFolder(const std::string& folder, const TermRule& rule) {
  TW_RETURN_IF_ERROR(CheckTakesText(rule));
  TW_ASSIGN_OR_RETURN(const std::vector<std::string> names, SortedNames(folder));
  lda::DocumentList documents;
  std::vector<lda::TermCount> counts;
  for (const std::string& name : names) {
    const std::string path = absl::StrCat(folder, "/", name);
    TW_ASSIGN_OR_RETURN(const std::string text, base::ReadWholeFile(path, kMaxBytes));
    if (!lda::CountTerms(text, rule.vocabulary, &counts).ok()) {
      return BadFile(path, "the text must be valid UTF-8");
    }
    documents.Append(counts);
  }
  return documents;
}

}  // namespace topicwall::client

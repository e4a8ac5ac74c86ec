// Names first, then file after file in their order. The order of a folder's entries is the file
// system's own and changes with a copy; sorted, the same texts have the same numbers in every
// report. Ids are paths below the folder, so that moving it does not make other units of the same
// documents.
#include "server/corpus/ingest/text_folder_reader.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "base/text_files.h"

namespace topicwall::corpus {
namespace {

// The first kMaxDocumentBytes + 1 bytes of a file; false if it is none or cannot be read.
bool ReadFile(const std::string& path, std::string* text) {
  text->clear();
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  const std::unique_ptr<std::FILE, decltype(&std::fclose)> file(std::fopen(path.c_str(), "rbe"),
                                                                &std::fclose);
  if (file == nullptr) return false;
  std::array<char, 1 << 16> chunk;
  size_t got = 0;
  do {
    got = std::fread(chunk.data(), 1, chunk.size(), file.get());
    text->append(chunk.data(), got);
    // One byte too many is enough to know that it is too long.
  } while (got == chunk.size() && text->size() <= kMaxDocumentBytes);
  return std::ferror(file.get()) == 0;
}

}  // namespace

absl::StatusOr<std::unique_ptr<DocumentReader>> TextFolderReader::Open(
    absl::string_view folder, const lda::Vocabulary& vocabulary) {
  TW_ASSIGN_OR_RETURN(std::vector<std::string> names, base::TextFilesBelow(std::string(folder)));
  return std::unique_ptr<DocumentReader>(
      new TextFolderReader(std::string(folder), std::move(names), vocabulary));
}

absl::StatusOr<bool> TextFolderReader::Next(SourceDocument* document) {
  if (given_ == names_.size()) return false;
  const std::string& name = names_[given_++];
  document->line = static_cast<int64_t>(given_);
  document->name = name;
  document->id = name;
  document->owner.clear();
  if (!ReadFile(absl::StrCat(folder_, "/", name), &text_)) {
    // Left out like a text that is none; `strict` is for whoever cannot do without one.
    document->problem = Problem::kUnreadable;
  } else if (text_.size() > kMaxDocumentBytes) {
    document->problem = Problem::kTooLong;
  } else {
    document->problem = CountText(text_, vocabulary_, document);
  }
  return true;
}

double TextFolderReader::FractionRead() const {
  return names_.empty() ? 1.0 : static_cast<double>(given_) / static_cast<double>(names_.size());
}

}  // namespace topicwall::corpus

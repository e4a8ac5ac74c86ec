// A real file, spoilt as an input says, for decoders of what is too large to be an input itself.
//
//   EditedFile file(path);             // takes the file as it is now for the original
//   file.Edit(input);
//   ... Open(path) ...
//   file.Restore();
//
// An input is a list of edits: a byte that says which, a place (4 bytes, taken modulo the file's
// size), then what that edit needs.
//
//   0 a piece written over what is there      1 the file ends there
//   2 a piece put at the end                  3 a 4 KiB page copied there from another place (4)
//   4 a page of zeros                         5 a bit turned (1 byte says which)
#ifndef TOPICWALL_TESTS_FUZZ_EDITED_FILE_H_
#define TOPICWALL_TESTS_FUZZ_EDITED_FILE_H_

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/input_cursor.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::fuzz {

class EditedFile {
 public:
  explicit EditedFile(std::string path)
      : path_(std::move(path)), original_(testing::ReadWholeFile(path_)) {
    Require(!original_.empty(), "there is a file to edit");
  }

  // False if the file is what it was.
  bool Edit(absl::string_view edits) {
    content_ = original_;
    InputCursor cursor(edits);
    while (!cursor.at_end() && !content_.empty()) EditOnce(cursor);
    testing::WriteWholeFile(path_, content_);
    return content_ != original_;
  }

  void Restore() const { testing::WriteWholeFile(path_, original_); }

 private:
  static constexpr size_t kPage = 4096;

  void Overwrite(size_t place, const std::string& bytes) {
    const size_t size = std::min(bytes.size(), content_.size() - place);
    content_.replace(place, size, bytes, 0, size);
  }

  void EditOnce(InputCursor& cursor) {
    const int kind = cursor.Take<uint8_t>() % 6;
    const size_t place = cursor.Take<uint32_t>() % content_.size();
    switch (kind) {
      case 0:
        return Overwrite(place, std::string(cursor.Piece()));
      case 1:
        return content_.resize(place);
      case 2:
        content_.append(std::string(cursor.Piece()));
        return;
      case 3: {
        const size_t from = cursor.Take<uint32_t>() % content_.size() / kPage * kPage;
        return Overwrite(place / kPage * kPage, content_.substr(from, kPage));
      }
      case 4:
        return Overwrite(place / kPage * kPage, std::string(kPage, '\0'));
      default:
        content_[place] = static_cast<char>(content_[place] ^ (1 << cursor.Take<uint8_t>() % 8));
    }
  }

  const std::string path_;
  const std::string original_;
  std::string content_;
};

// An edit for seeds: twice the same changes nothing.
inline std::string BitTurned(uint32_t place, uint8_t bit) {
  return NumberOf<uint8_t>(5) + NumberOf(place) + NumberOf(bit);
}

}  // namespace topicwall::fuzz

#endif  // TOPICWALL_TESTS_FUZZ_EDITED_FILE_H_

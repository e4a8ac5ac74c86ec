#include "client/topics/numpy_archive.h"

#include <algorithm>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/little_endian.h"

namespace topicwall::client {
namespace {

constexpr size_t kMostBytes = std::numeric_limits<int32_t>::max();

template <typename Value>
absl::string_view BytesOf(absl::Span<const Value> values) {
  return absl::string_view(reinterpret_cast<const char*>(values.data()),
                           values.size() * sizeof(Value));
}

using base::AppendLittleEndian;

// Of ZIP: the reflected polynomial of IEEE 802.3.
uint32_t Crc32(absl::string_view bytes) {
  uint32_t crc = 0xFFFFFFFF;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0xEDB88320U : 0U);
  }
  return ~crc;
}

// The characters of valid UTF-8.
std::vector<uint32_t> CodePointsOf(absl::string_view text) {
  std::vector<uint32_t> points;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0) == 0x80 && !points.empty()) {
      points.back() = points.back() << 6 | (byte & 0x3F);
    } else {
      points.push_back(byte < 0x80   ? byte
                       : byte < 0xE0 ? byte & 0x1F
                       : byte < 0xF0 ? byte & 0xF
                                     : byte & 0x7);
    }
  }
  return points;
}

// What the header of an entry and its line in the directory say alike.
void AppendZipFields(absl::string_view name, absl::string_view bytes, std::string* out) {
  constexpr uint16_t kVersionNeeded = 20, kNoFlags = 0, kStored = 0;
  constexpr uint16_t kMidnight = 0, kFirstOf1980 = 1 << 5 | 1;
  for (const uint16_t field : {kVersionNeeded, kNoFlags, kStored, kMidnight, kFirstOf1980}) {
    AppendLittleEndian(field, out);
  }
  AppendLittleEndian(Crc32(bytes), out);
  AppendLittleEndian(static_cast<uint32_t>(bytes.size()), out);
  AppendLittleEndian(static_cast<uint32_t>(bytes.size()), out);
  AppendLittleEndian(static_cast<uint16_t>(name.size()), out);
  AppendLittleEndian(uint16_t{0}, out);  // no extra field
}

}  // namespace

void NumpyArchive::AddArray(absl::string_view name, absl::string_view type,
                            const std::vector<size_t>& shape, absl::string_view bytes) {
  // As Python writes a tuple: one entry has a comma behind it.
  const std::string tuple = absl::StrCat(absl::StrJoin(shape, ", "), shape.size() == 1 ? "," : "");
  std::string header =
      absl::StrCat("{'descr': '", type, "', 'fortran_order': False, 'shape': (", tuple, "), }");
  // Magic, version and length take ten bytes, and the values begin at a multiple of 64.
  constexpr size_t kBefore = 10, kAlignment = 64;
  while ((kBefore + header.size() + 1) % kAlignment != 0) header.push_back(' ');
  header.push_back('\n');
  std::string file = absl::StrCat("\x93NUMPY", absl::string_view("\1\0", 2));
  AppendLittleEndian(static_cast<uint16_t>(header.size()), &file);
  absl::StrAppend(&file, header, bytes);
  entries_.push_back({.name = absl::StrCat(name, ".npy"), .bytes = std::move(file)});
}

void NumpyArchive::Add(absl::string_view name, absl::Span<const float> values,
                       const std::vector<size_t>& shape) {
  AddArray(name, "<f4", shape, BytesOf(values));
}

void NumpyArchive::Add(absl::string_view name, absl::Span<const double> values,
                       const std::vector<size_t>& shape) {
  AddArray(name, "<f8", shape, BytesOf(values));
}

void NumpyArchive::AddTexts(absl::string_view name, const std::vector<std::string>& texts) {
  std::vector<std::vector<uint32_t>> all;
  size_t longest = 1;
  for (const std::string& text : texts) {
    all.push_back(CodePointsOf(text));
    longest = std::max(longest, all.back().size());
  }
  // All are as long as the longest: one very long word among many would fill the memory.
  if (longest > kMostBytes / sizeof(uint32_t) / std::max<size_t>(1, texts.size())) {
    is_too_large_ = true;
    return;
  }
  std::vector<uint32_t> points;
  for (std::vector<uint32_t>& text : all) {
    // NumPy cuts zeros from the end of each when it reads them.
    text.resize(longest);
    points.insert(points.end(), text.begin(), text.end());
  }
  AddArray(name, absl::StrCat("<U", longest), {texts.size()},
           BytesOf(absl::Span<const uint32_t>(points)));
}

absl::StatusOr<std::string> NumpyArchive::Bytes() const {
  std::string archive, directory;
  for (const Entry& entry : entries_) {
    const auto offset = static_cast<uint32_t>(archive.size());
    absl::StrAppend(&archive, absl::string_view("PK\3\4", 4));
    AppendZipFields(entry.name, entry.bytes, &archive);
    absl::StrAppend(&archive, entry.name, entry.bytes);
    // Before the next offset is narrowed to 32 bits.
    if (archive.size() > kMostBytes) break;
    absl::StrAppend(&directory, absl::string_view("PK\1\2", 4));
    AppendLittleEndian(uint16_t{20}, &directory);  // made by
    AppendZipFields(entry.name, entry.bytes, &directory);
    directory.append(10, '\0');  // no comment, the only disk, no attributes
    AppendLittleEndian(offset, &directory);
    absl::StrAppend(&directory, entry.name);
  }
  if (is_too_large_ || archive.size() > kMostBytes) {
    return absl::OutOfRangeError(
        "an .npz file holds at most 2 GiB of arrays here; export a model of this size as csv.");
  }
  const auto files = static_cast<uint16_t>(entries_.size());
  const auto start = static_cast<uint32_t>(archive.size());
  absl::StrAppend(&archive, directory, absl::string_view("PK\5\6\0\0\0\0", 8));
  AppendLittleEndian(files, &archive);
  AppendLittleEndian(files, &archive);
  AppendLittleEndian(static_cast<uint32_t>(directory.size()), &archive);
  AppendLittleEndian(start, &archive);
  AppendLittleEndian(uint16_t{0}, &archive);  // no comment
  return archive;
}

}  // namespace topicwall::client

#include "client/report/page/html.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace topicwall::client {
namespace {

constexpr absl::string_view kReplacement = "\xEF\xBF\xBD";

// How many bytes the UTF-8 character at the beginning of `text` has; 0 if there is none.
size_t CharacterAt(absl::string_view text) {
  const auto byte = [text](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return (first >= 0x20 && first != 0x7F) || first == '\n' ? 1 : 0;
  const size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < size) return 0;
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const bool overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool is_surrogate = first == 0xED && byte(1) >= 0xA0;
  const bool is_beyond = first == 0xF4 && byte(1) >= 0x90;
  return overlong || is_surrogate || is_beyond ? 0 : size;
}

bool IsPartOfALine(absl::string_view tag) {
  for (const absl::string_view inside :
       {"a", "b", "code", "i", "output", "span", "td", "th", "title", "tspan"}) {
    if (tag == inside) return true;
  }
  return false;
}

}  // namespace

std::string Escaped(absl::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    const size_t size = CharacterAt(text);
    switch (size == 1 ? text[0] : '\0') {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        absl::StrAppend(&escaped, size == 0 ? kReplacement : text.substr(0, size));
    }
    text.remove_prefix(std::max<size_t>(size, 1));
  }
  return escaped;
}

Html& Html::Open(absl::string_view tag, Attributes attributes) {
  absl::StrAppend(&html_, "<", tag);
  for (const auto& [name, value] : attributes) {
    absl::StrAppend(&html_, " ", name);
    if (!value.empty()) absl::StrAppend(&html_, "=\"", Escaped(value), "\"");
  }
  html_ += ">";
  open_.emplace_back(tag);
  return *this;
}

Html& Html::Close() {
  absl::StrAppend(&html_, "</", open_.back(), ">", IsPartOfALine(open_.back()) ? "" : "\n");
  open_.pop_back();
  return *this;
}

Html& Html::CloseVoid() {
  open_.pop_back();
  return *this;
}

Html& Html::Text(absl::string_view text) {
  html_ += Escaped(text);
  return *this;
}

Html& Html::Add(absl::string_view tag, Attributes attributes, absl::string_view text) {
  return Open(tag, attributes).Text(text).Close();
}

Html& Html::Raw(absl::string_view html) {
  absl::StrAppend(&html_, html);
  return *this;
}

}  // namespace topicwall::client

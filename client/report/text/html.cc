#include "client/report/text/html.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/table.h"
#include "model/data/utf8.h"

namespace topicwall::client {
namespace {

constexpr absl::string_view kReplacement = "\xEF\xBF\xBD";

bool IsPartOfALine(absl::string_view tag) {
  // A line end behind one of these would be a blank in the text.
  for (const absl::string_view inside :
       {"a", "b", "bdi", "code", "i", "output", "span", "td", "th", "title", "tspan"}) {
    if (tag == inside) return true;
  }
  return false;
}

}  // namespace

std::string Escaped(absl::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    const size_t control = text[0] == '\n' ? 0 : base::ControlSize(text);
    // What is no character is replaced, byte by byte, so that no browser guesses at it.
    const size_t size = control > 0 ? 0 : lda::Utf8CharacterSize(text);
    // Markup is of single bytes; a longer character, and what is none (size 0), take the default.
    // An apostrophe may stay: values stand between double quotes.
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
    text.remove_prefix(std::max({size, control, size_t{1}}));
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

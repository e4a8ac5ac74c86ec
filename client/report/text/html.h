// Text with tags that cannot be wrong: every text and every value is escaped, every tag closed.
//
//   Html html;
//   html.Open("p", {{"class", "lead"}}).Text("a < b").Add("b", "!").Close();
//   html.Take();   // <p class="lead">a &lt; b<b>!</b></p>
//
// Words come from a vocabulary, names from a configuration: nothing that is shown was written by
// whoever reads it. Bytes that are no UTF-8, and control characters but line feeds, are
// shown as U+FFFD. Behind the end of what is no part of a line stands a line feed, so that two
// pages can be compared line by line. Attributes whose value is "" stand without one. Threads: one
// thread's object.
#ifndef TOPICWALL_CLIENT_REPORT_TEXT_HTML_H_
#define TOPICWALL_CLIENT_REPORT_TEXT_HTML_H_

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace topicwall::client {

class Html {
 public:
  using Attributes = std::initializer_list<std::pair<absl::string_view, std::string>>;

  Html& Open(absl::string_view tag, Attributes attributes = {});
  // The one that was opened last and is open.
  Html& Close();
  // The same of a tag that has no end, as <input>.
  Html& CloseVoid();
  Html& Text(absl::string_view text);
  // All of one element.
  Html& Add(absl::string_view tag, absl::string_view text) { return Add(tag, {}, text); }
  Html& Add(absl::string_view tag, Attributes attributes, absl::string_view text = "");
  // As it is: for what this program wrote itself.
  Html& Raw(absl::string_view html);

  std::string Take() && { return std::move(html_); }

 private:
  std::string html_;
  std::vector<std::string> open_;
};

// Of text and of values between double quotes.
std::string Escaped(absl::string_view text);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_REPORT_TEXT_HTML_H_

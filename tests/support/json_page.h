// A page of what a program prints with --json, held against what it does print.
//
//   const JsonPage page("client/JSON.md");
//   EXPECT_EQ(page.Mismatch("topics", run.output), "");
//
// A list of the page, "```members NAME", is what an object may and must have: every member of the
// output is in the list and of its type, and every one of the list that is not marked "?" is in the
// output, where what it belongs to is.
#ifndef TOPICWALL_TESTS_SUPPORT_JSON_PAGE_H_
#define TOPICWALL_TESTS_SUPPORT_JSON_PAGE_H_

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::testing {

class JsonPage {
 public:
  // `path`: below the sources.
  explicit JsonPage(absl::string_view path) {
    const std::string text = ReadWholeFile(absl::StrCat(TOPICWALL_SOURCE_DIR, "/", path));
    Node* list = nullptr;
    for (absl::string_view line : absl::StrSplit(text, '\n')) {
      if (absl::ConsumePrefix(&line, "```members ")) {
        list = &lists_[std::string(line)];
      } else if (absl::StartsWith(line, "```")) {
        list = nullptr;
      } else if (list != nullptr) {
        const std::vector<absl::string_view> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
        Add(absl::StripSuffix(words[0], ":"), words[1], *list);
      }
    }
  }

  std::set<std::string> names() const {
    std::set<std::string> names;
    for (const auto& [name, list] : lists_) names.insert(name);
    return names;
  }

  // "" if `text` is one line with one such object; otherwise what is wrong with it first.
  std::string Mismatch(const std::string& name, absl::string_view text) const {
    const auto list = lists_.find(name);
    if (list == lists_.end()) return "no list of this name on the page";
    const absl::string_view line = absl::StripSuffix(text, "\n");
    if (absl::StrContains(line, '\n')) return absl::StrCat("more than one line: ", text);
    const nlohmann::json value = nlohmann::json::parse(std::string(line), nullptr, false);
    if (!value.is_object()) return absl::StrCat("no JSON object: ", text);
    return MismatchOf("", list->second, value);
  }

 private:
  struct Node {
    bool optional = false;
    std::set<std::string> types;  // of a leaf; "object" and "null" also of what has members
    std::map<std::string, Node> members;
    bool has_items = false;  // a list, whose items are `items`
    std::vector<Node> items;
  };

  // "a?.b[].c", below `node`.
  static void Add(absl::string_view path, absl::string_view types, Node& node) {
    Node* at = &node;
    for (absl::string_view step : absl::StrSplit(path, '.')) {
      const bool is_list = absl::ConsumeSuffix(&step, "[]");
      const bool optional = absl::ConsumeSuffix(&step, "?");
      at = &at->members[std::string(step)];
      at->optional |= optional;
      if (is_list) {
        at->has_items = true;
        if (at->items.empty()) at->items.emplace_back();
        at = &at->items.front();
      }
    }
    for (const absl::string_view type : absl::StrSplit(types, '|')) at->types.emplace(type);
  }

  static std::string TypeOf(const nlohmann::json& value) {
    return value.is_number_integer() ? "integer" : value.type_name();
  }

  static std::string MismatchOf(const std::string& path, const Node& node,
                                const nlohmann::json& value) {
    if (node.types.count("any") > 0) return "";
    if (value.is_null() && node.types.count("null") > 0) return "";
    if (node.has_items) {
      if (!value.is_array()) return absl::StrCat(path, " is no list");
      for (const nlohmann::json& item : value) {
        std::string wrong = MismatchOf(path + "[]", node.items.front(), item);
        if (!wrong.empty()) return wrong;
      }
      return "";
    }
    if (node.members.empty()) {
      const std::string type = TypeOf(value);
      return node.types.count(type) > 0 ? "" : absl::StrCat(path, " is of type ", type);
    }
    if (!value.is_object()) return absl::StrCat(path, " is no object");
    for (const auto& [name, member] : value.items()) {
      const auto known = node.members.find(name);
      if (known == node.members.end()) return absl::StrCat(path, ".", name, " is not on the page");
      std::string wrong = MismatchOf(absl::StrCat(path, ".", name), known->second, member);
      if (!wrong.empty()) return wrong;
    }
    for (const auto& [name, member] : node.members) {
      if (!member.optional && !value.contains(name)) {
        return absl::StrCat(path, ".", name, " is missing");
      }
    }
    return "";
  }

  std::map<std::string, Node> lists_;
};

}  // namespace topicwall::testing

#endif  // TOPICWALL_TESTS_SUPPORT_JSON_PAGE_H_

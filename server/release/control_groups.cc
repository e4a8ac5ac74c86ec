#include "server/release/control_groups.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace topicwall::release {

std::string FileContent(const std::string& path) {
  std::ostringstream content;
  content << std::ifstream(path).rdbuf();
  return content.str();
}

std::vector<std::string> GroupFilesOf(absl::string_view groups, const std::string& mount,
                                      absl::string_view controller,
                                      absl::Span<const absl::string_view> names) {
  std::vector<std::string> files;
  for (const absl::string_view line : absl::StrSplit(groups, '\n', absl::SkipEmpty())) {
    const std::vector<absl::string_view> parts = absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3) continue;
    const std::vector<absl::string_view> controllers = absl::StrSplit(parts[1], ',');
    const bool is_second = parts[1].empty();
    if (!is_second &&
        std::find(controllers.begin(), controllers.end(), controller) == controllers.end()) {
      continue;
    }
    const std::string tree = is_second ? mount : absl::StrCat(mount, "/", parts[1]);
    for (std::string group(parts[2]);; group.resize(group.rfind('/'))) {
      while (absl::EndsWith(group, "/")) group.pop_back();
      for (const absl::string_view name : names) {
        std::string file = absl::StrCat(tree, group, name);
        if (std::ifstream(file).good()) files.push_back(std::move(file));
      }
      if (group.find('/') == std::string::npos) break;
    }
  }
  return files;
}

}  // namespace topicwall::release

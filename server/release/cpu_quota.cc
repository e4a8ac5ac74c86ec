// Version 2 has one tree, and in each group "cpu.max" of two words, quota and period, or "max" and
// the period. Version 1 has a tree of each controller, and two files, in which -1 is no quota. In a
// container the groups above its own are not mounted, and its own may be the root of the mount.
#include "server/release/cpu_quota.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace topicwall::release {
namespace {

constexpr char kQuota[] = "/cpu.cfs_quota_us";
constexpr char kPeriod[] = "/cpu.cfs_period_us";

std::string ContentOf(const std::string& path) {
  std::ostringstream content;
  content << std::ifstream(path).rdbuf();
  return content.str();
}

double Ratio(absl::string_view quota, absl::string_view period) {
  if (quota == "max" || quota == "-1") return std::numeric_limits<double>::infinity();
  int64_t share = 0, whole = 0;
  if (!absl::SimpleAtoi(quota, &share) || !absl::SimpleAtoi(period, &whole) || whole < 1) return 0;
  return static_cast<double>(share) / static_cast<double>(whole);
}

// The file of a period says nothing by itself.
double QuotaOf(const std::string& file) {
  if (absl::EndsWith(file, kPeriod)) return std::numeric_limits<double>::infinity();
  std::string content = ContentOf(file);
  if (absl::EndsWith(file, kQuota)) {
    const absl::string_view group = absl::StripSuffix(file, kQuota);
    absl::StrAppend(&content, ContentOf(absl::StrCat(group, kPeriod)));
  }
  const std::vector<absl::string_view> words =
      absl::StrSplit(content, absl::ByAnyChar(" \n"), absl::SkipEmpty());
  return words.size() == 2 ? Ratio(words[0], words[1]) : 0;
}

}  // namespace

std::vector<std::string> QuotaFilesOf(absl::string_view groups, const std::string& mount) {
  std::vector<std::string> files;
  for (const absl::string_view line : absl::StrSplit(groups, '\n', absl::SkipEmpty())) {
    const std::vector<absl::string_view> parts = absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3) continue;
    const std::vector<absl::string_view> controllers = absl::StrSplit(parts[1], ',');
    const bool is_second = parts[1].empty();
    if (!is_second &&
        std::find(controllers.begin(), controllers.end(), "cpu") == controllers.end()) {
      continue;
    }
    const std::string tree = is_second ? mount : absl::StrCat(mount, "/", parts[1]);
    for (std::string group(parts[2]);; group.resize(group.rfind('/'))) {
      while (absl::EndsWith(group, "/")) group.pop_back();
      for (const char* name : {"/cpu.max", kQuota, kPeriod}) {
        std::string file = absl::StrCat(tree, group, name);
        if (std::ifstream(file).good()) files.push_back(std::move(file));
      }
      if (group.find('/') == std::string::npos) break;
    }
  }
  return files;
}

double LeastQuota(absl::Span<const std::string> files) {
  double least = std::numeric_limits<double>::infinity();
  for (const std::string& file : files) least = std::min(least, QuotaOf(file));
  return least;
}

const std::vector<std::string>& QuotaFiles() {
  static const auto& files =
      *new std::vector<std::string>(QuotaFilesOf(ContentOf("/proc/self/cgroup"), "/sys/fs/cgroup"));
  return files;
}

double ProcessorsOfQuota() { return LeastQuota(QuotaFiles()); }

}  // namespace topicwall::release

// The quota of version 2 is "cpu.max" of two words, quota and period, or "max" and the period;
// version 1 has two files, in which -1 is no quota.
#include "server/release/resource_limits.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <sstream>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace topicwall::release {
namespace {

// Empty if it cannot be read.
std::string FileContent(const std::string& path) {
  std::ostringstream content;
  content << std::ifstream(path).rdbuf();
  return content.str();
}

// Those of these `names`, each with a "/" before it, that are there. Version 2 has one tree;
// version 1 has one of each controller, by the name `controller`.
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

constexpr char kQuota[] = "/cpu.cfs_quota_us";
constexpr char kPeriod[] = "/cpu.cfs_period_us";

double Ratio(absl::string_view quota, absl::string_view period) {
  if (quota == "max" || quota == "-1") return std::numeric_limits<double>::infinity();
  int64_t share = 0, whole = 0;
  if (!absl::SimpleAtoi(quota, &share) || !absl::SimpleAtoi(period, &whole) || whole < 1) return 0;
  return static_cast<double>(share) / static_cast<double>(whole);
}

// The file of a period says nothing by itself.
double QuotaOf(const std::string& file) {
  if (absl::EndsWith(file, kPeriod)) return std::numeric_limits<double>::infinity();
  std::string content = FileContent(file);
  if (absl::EndsWith(file, kQuota)) {
    const absl::string_view group = absl::StripSuffix(file, kQuota);
    absl::StrAppend(&content, FileContent(absl::StrCat(group, kPeriod)));
  }
  const std::vector<absl::string_view> words =
      absl::StrSplit(content, absl::ByAnyChar(" \n"), absl::SkipEmpty());
  return words.size() == 2 ? Ratio(words[0], words[1]) : 0;
}

}  // namespace

std::vector<std::string> QuotaFilesOf(absl::string_view groups, const std::string& mount) {
  return GroupFilesOf(groups, mount, "cpu", {"/cpu.max", kQuota, kPeriod});
}

double LeastQuota(absl::Span<const std::string> files) {
  double least = std::numeric_limits<double>::infinity();
  for (const std::string& file : files) least = std::min(least, QuotaOf(file));
  return least;
}

const std::vector<std::string>& QuotaFiles() {
  static const auto& files = *new std::vector<std::string>(
      QuotaFilesOf(FileContent("/proc/self/cgroup"), "/sys/fs/cgroup"));
  return files;
}

double ProcessorsOfQuota() { return LeastQuota(QuotaFiles()); }

// Version 2 says "max" where there is none, version 1 a number that no machine has.
double MemoryOfGroups(absl::string_view groups, const std::string& mount) {
  double least = std::numeric_limits<double>::infinity();
  for (const std::string& file :
       GroupFilesOf(groups, mount, "memory", {"/memory.max", "/memory.limit_in_bytes"})) {
    const std::string content = FileContent(file);
    int64_t bytes = 0;
    if (!absl::SimpleAtoi(absl::StripAsciiWhitespace(content), &bytes)) continue;
    least = std::min(least, static_cast<double>(bytes));
  }
  return least;
}

double MemoryOfThisProcess() {
  double least = MemoryOfGroups(FileContent("/proc/self/cgroup"), "/sys/fs/cgroup");
  for (const auto resource : {RLIMIT_AS, RLIMIT_DATA}) {
    rlimit limit;
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) continue;
    least = std::min(least, static_cast<double>(limit.rlim_cur));
  }
  const int64_t pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
  if (pages < 1 || bytes < 1) return least;
  return std::min(least, static_cast<double>(pages) * static_cast<double>(bytes));
}

}  // namespace topicwall::release

// Version 2 has "cpu.max" of two words, quota and period, or "max" and the period; version 1 has
// two files, in which -1 is no quota.
#include "server/release/cpu_quota.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "server/release/control_groups.h"

namespace topicwall::release {
namespace {

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

}  // namespace topicwall::release

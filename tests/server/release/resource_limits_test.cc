#include "server/release/resource_limits.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <limits>
#include <string>

#include "tests/support/in_child.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::release {
namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

class ResourceLimitsTest : public ::testing::Test {
 protected:
  void Write(const std::string& path, const std::string& content) {
    const std::filesystem::path whole = mount_.path() + path;
    std::filesystem::create_directories(whole.parent_path());
    testing::WriteWholeFile(whole, content);
  }
  double QuotaOf(const std::string& groups) {
    return LeastQuota(QuotaFilesOf(groups, mount_.path()));
  }

  testing::TemporaryDirectory mount_;
};

TEST_F(ResourceLimitsTest, TheLeastQuotaOfItsGroupAndThoseAboveItHolds) {
  EXPECT_EQ(QuotaOf("0::/\n"), kNone);
  EXPECT_EQ(QuotaOf(""), kNone);
  const std::string group = "0::/walls.slice/wall.service\n";
  Write("/walls.slice/wall.service/cpu.max", "max 100000\n");
  EXPECT_EQ(QuotaOf(group), kNone);
  Write("/walls.slice/cpu.max", "150000 100000\n");
  EXPECT_EQ(QuotaOf(group), 1.5);
  Write("/walls.slice/wall.service/cpu.max", "60000 100000\n");
  EXPECT_EQ(QuotaOf(group), 0.6);
  EXPECT_EQ(QuotaOf("0::/\n"), kNone);
}

// A container's own group is the root of what it has mounted, whatever it is called outside.
TEST_F(ResourceLimitsTest, OfAContainerTheRootOfTheMountSaysTheQuota) {
  Write("/cpu.max", "200000 100000\n");
  EXPECT_EQ(QuotaOf("0::/\n"), 2);
  EXPECT_EQ(QuotaOf("0::/docker/0123\n"), 2);
}

TEST_F(ResourceLimitsTest, TheFirstVersionSaysTheQuotaInTwoFilesOfTheTreeOfItsController) {
  const std::string groups = "5:memory:/wall\n4:cpuset:/wall\n3:cpu,cpuacct:/wall\n0::/\n";
  Write("/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  Write("/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(QuotaOf(groups), kNone);
  Write("/cpu,cpuacct/wall/cpu.cfs_quota_us", "60000\n");
  Write("/cpu,cpuacct/wall/cpu.cfs_period_us", "50000\n");
  EXPECT_EQ(QuotaOf(groups), 1.2);
}

// Rather no promise than a wrong one.
TEST_F(ResourceLimitsTest, WhatCannotBeReadAnyMoreIsNoProcessor) {
  Write("/cpu.max", "max 100000\n");
  const std::vector<std::string> files = QuotaFilesOf("0::/\n", mount_.path());
  EXPECT_EQ(LeastQuota(files), kNone);
  Write("/cpu.max", "much");
  EXPECT_EQ(LeastQuota(files), 0);
  std::filesystem::remove(mount_.path() + "/cpu.max");
  EXPECT_EQ(LeastQuota(files), 0);
}

TEST_F(ResourceLimitsTest, TheLeastMemoryOfItsGroupAndThoseAboveItHoldsInBothVersions) {
  const std::string second = "0::/walls.slice/wall.service\n";
  EXPECT_EQ(MemoryOfGroups(second, mount_.path()), kNone);
  Write("/walls.slice/wall.service/memory.max", "max\n");
  EXPECT_EQ(MemoryOfGroups(second, mount_.path()), kNone);
  Write("/walls.slice/memory.max", "4096000\n");
  EXPECT_EQ(MemoryOfGroups(second, mount_.path()), 4096000);
  const std::string first = "3:cpu:/wall\n5:memory:/wall\n";
  Write("/memory/wall/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_GT(MemoryOfGroups(first, mount_.path()), 1e18);
  Write("/memory/memory.limit_in_bytes", "8192000\n");
  EXPECT_EQ(MemoryOfGroups(first, mount_.path()), 8192000);
}

TEST(MemoryOfThisProcessTest, ALimitOfTheProcessHolds) {
  EXPECT_LT(MemoryOfThisProcess(), 1e15) << "the machine's";
  EXPECT_EQ(testing::InChild([] {
              const rlimit limit = {.rlim_cur = 123456789, .rlim_max = 123456789};
              if (setrlimit(RLIMIT_DATA, &limit) != 0) return 2;
              return MemoryOfThisProcess() == 123456789 ? 0 : 1;
            }),
            0);
}

}  // namespace
}  // namespace topicwall::release

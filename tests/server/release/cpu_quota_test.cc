#include "server/release/cpu_quota.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <string>

#include "tests/support/temporary_directory.h"

namespace topicwall::release {
namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

class CpuQuotaTest : public ::testing::Test {
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

TEST_F(CpuQuotaTest, TheLeastOfItsGroupAndThoseAboveItHolds) {
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
TEST_F(CpuQuotaTest, OfAContainerTheRootOfTheMountSaysIt) {
  Write("/cpu.max", "200000 100000\n");
  EXPECT_EQ(QuotaOf("0::/\n"), 2);
  EXPECT_EQ(QuotaOf("0::/docker/0123\n"), 2);
}

TEST_F(CpuQuotaTest, TheFirstVersionSaysItInTwoFilesOfTheTreeOfItsController) {
  const std::string groups = "5:memory:/wall\n4:cpuset:/wall\n3:cpu,cpuacct:/wall\n0::/\n";
  Write("/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  Write("/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(QuotaOf(groups), kNone);
  Write("/cpu,cpuacct/wall/cpu.cfs_quota_us", "60000\n");
  Write("/cpu,cpuacct/wall/cpu.cfs_period_us", "50000\n");
  EXPECT_EQ(QuotaOf(groups), 1.2);
}

// Rather no promise than a wrong one.
TEST_F(CpuQuotaTest, WhatCannotBeReadAnyMoreIsNoProcessor) {
  Write("/cpu.max", "max 100000\n");
  const std::vector<std::string> files = QuotaFilesOf("0::/\n", mount_.path());
  EXPECT_EQ(LeastQuota(files), kNone);
  Write("/cpu.max", "much");
  EXPECT_EQ(LeastQuota(files), 0);
  std::filesystem::remove(mount_.path() + "/cpu.max");
  EXPECT_EQ(LeastQuota(files), 0);
}

}  // namespace
}  // namespace topicwall::release

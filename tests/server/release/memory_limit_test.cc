#include "server/release/memory_limit.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <limits>
#include <string>

#include "tests/support/in_child.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::release {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

TEST(MemoryLimitTest, TheLeastOfItsGroupAndThoseAboveItHoldsInBothVersions) {
  const testing::TemporaryDirectory mount;
  const auto write = [&](const std::string& path, const std::string& content) {
    const std::filesystem::path whole = mount.path() + path;
    std::filesystem::create_directories(whole.parent_path());
    testing::WriteWholeFile(whole, content);
  };
  const std::string second = "0::/walls.slice/wall.service\n";
  EXPECT_EQ(MemoryOfGroups(second, mount.path()), kUnlimited);
  write("/walls.slice/wall.service/memory.max", "max\n");
  EXPECT_EQ(MemoryOfGroups(second, mount.path()), kUnlimited);
  write("/walls.slice/memory.max", "4096000\n");
  EXPECT_EQ(MemoryOfGroups(second, mount.path()), 4096000);
  const std::string first = "3:cpu:/wall\n5:memory:/wall\n";
  write("/memory/wall/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_GT(MemoryOfGroups(first, mount.path()), 1e18);
  write("/memory/memory.limit_in_bytes", "8192000\n");
  EXPECT_EQ(MemoryOfGroups(first, mount.path()), 8192000);
}

TEST(MemoryLimitTest, ALimitOfTheProcessHolds) {
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

#include "server/release/processors.h"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <limits>
#include <thread>
#include <vector>

#include "tests/support/in_child.h"

namespace topicwall::release {
namespace {

cpu_set_t These(const std::initializer_list<int>& numbers) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int number : numbers) CPU_SET(number, &set);
  return set;
}

TEST(ProcessorsTest, TwoAreKeptFreeOfThreeOrMoreOneOfTwoAndNoneOfOne) {
  EXPECT_EQ(Processors::Of(These({})).num_free(), 0);
  EXPECT_EQ(Processors::Of(These({5})).num_free(), 0);
  EXPECT_EQ(Processors::Of(These({0, 7})).num_free(), 1);
  EXPECT_EQ(Processors::Of(These({0, 1, 2})).num_free(), 2);
  EXPECT_EQ(Processors::Of(These({0, 1, 2, 3, 64, 65, 900})).num_free(), 2);
}

// Read from the threads themselves.
TEST(ProcessorsTest, AThreadThatComputesAndThoseItStartsKeepOffThemUntilTheyUseAll) {
  const Processors processors = Processors::OfThisProcess();
  const auto mine = [] {
    cpu_set_t set;
    CPU_ZERO(&set);
    EXPECT_EQ(sched_getaffinity(0, sizeof(set), &set), 0);
    return CPU_COUNT(&set);
  };
  const int all = mine();
  int computing = 0, started = 0, again = 0;
  std::thread([&] {
    processors.KeepFree();
    computing = mine();
    std::thread([&] { started = mine(); }).join();
    processors.UseAll();
    again = mine();
  }).join();
  EXPECT_EQ(computing, all - processors.num_free());
  EXPECT_EQ(started, computing);
  EXPECT_EQ(again, all);
  EXPECT_EQ(mine(), all) << "nobody else is moved";
}

// On every machine the last ones: of two that exist, and one beside that none has, the second and
// that one. What the kernel then lets the thread use is the first.
TEST(ProcessorsTest, TheFreeOnesAreTheLast) {
  cpu_set_t mine;
  ASSERT_EQ(sched_getaffinity(0, sizeof(mine), &mine), 0);
  std::vector<int> two;
  for (int i = 0; i < CPU_SETSIZE - 1 && two.size() < 2; ++i) {
    if (CPU_ISSET(i, &mine)) two.push_back(i);
  }
  if (two.size() < 2) GTEST_SKIP() << "one processor";
  const Processors processors = Processors::Of(These({two[0], two[1], CPU_SETSIZE - 1}));
  cpu_set_t computing;
  std::thread([&] {
    processors.KeepFree();
    EXPECT_EQ(sched_getaffinity(0, sizeof(computing), &computing), 0);
  }).join();
  const cpu_set_t first = These({two[0]});
  EXPECT_TRUE(CPU_EQUAL(&computing, &first));
}

TEST(ProcessorsTest, WhatIsTakenAwayOrRationedIsNotPromised) {
  const Processors processors = Processors::Of(These({0, 1, 2, 3}));  // computing on 0 and 1
  constexpr double kNoQuota = std::numeric_limits<double>::infinity();
  EXPECT_EQ(processors.NumFreeOf(These({0, 1, 2, 3}), kNoQuota), 2);
  EXPECT_EQ(processors.NumFreeOf(These({0, 1, 2, 3}), 4), 2);
  EXPECT_EQ(processors.NumFreeOf(These({0, 1, 2, 3}), 3.99), 0);
  EXPECT_EQ(processors.NumFreeOf(These({0, 1, 2, 3}), 0), 0);
  EXPECT_EQ(processors.NumFreeOf(These({0, 1, 2}), kNoQuota), 1);
  EXPECT_EQ(processors.NumFreeOf(These({0, 2, 3}), kNoQuota), 2);
  EXPECT_EQ(processors.NumFreeOf(These({0, 1}), kNoQuota), 0);
  EXPECT_EQ(processors.NumFreeOf(These({2, 3}), kNoQuota), 0) << "computing there, too";
  EXPECT_EQ(processors.NumFreeOf(These({}), kNoQuota), 0);
}

// As a service manager does that keeps resources as they are.
void RefuseAffinity() {
  sock_filter refuse[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_setaffinity, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {.len = 4, .filter = refuse};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) _exit(100);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) _exit(101);
}

TEST(ProcessorsTest, WhereTheSystemRefusesNoneArePromised) {
  const int free = testing::InChild([] {
    RefuseAffinity();
    return Processors::OfThisProcess().num_free();
  });
  EXPECT_EQ(free, 0);
}

}  // namespace
}  // namespace topicwall::release

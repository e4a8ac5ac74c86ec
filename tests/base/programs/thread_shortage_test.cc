#include "base/programs/thread_shortage.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <string>
#include <thread>

#include "tests/support/in_child.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/without_threads.h"

namespace topicwall::base {
namespace {

// Not inlined: of what is thrown in a noexcept function itself the handler may see nothing.
[[gnu::noinline]] void Throw() { throw std::runtime_error("another"); }
[[gnu::noinline]] void StartThread() {
  std::thread([] {}).join();
}

class ThreadShortageTest : public ::testing::Test {
 protected:
  // In a process of its own: its exit code, and errors_.
  template <typename Work>
  int End(const Work& work) {
    const std::string errors = folder_.Path("errors");
    const int code = testing::InChild([&] {
      ::dup2(::open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
      ExplainThreadShortage("topicwall-example");
      work();
      return 0;
    });
    errors_ = folder_.Content("errors");
    return code;
  }

  const testing::TemporaryDirectory folder_;
  std::string errors_;
};

TEST_F(ThreadShortageTest, AMissingThreadEndsTheProcessWithASentence) {
  EXPECT_EQ(End([]() noexcept {
              testing::LeaveNoThread();
              StartThread();
            }),
            1);
  EXPECT_THAT(errors_, ::testing::StartsWith("topicwall-example: no thread could be started"));
  EXPECT_THAT(errors_, ::testing::HasSubstr("ulimit -u"));
}

TEST_F(ThreadShortageTest, EveryOtherEndStaysAsItWas) {
  EXPECT_EQ(End([]() noexcept { Throw(); }), 128 + SIGABRT);
  EXPECT_THAT(errors_, ::testing::HasSubstr("another"));
  EXPECT_EQ(End([]() noexcept { std::terminate(); }), 128 + SIGABRT);
}

}  // namespace
}  // namespace topicwall::base

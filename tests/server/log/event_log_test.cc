#include "server/log/event_log.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::server {
namespace {

class EventLogTest : public ::testing::Test {
 protected:
  std::vector<google::protobuf::Struct> Lines() const {
    std::vector<google::protobuf::Struct> lines;
    std::ifstream file(path_);
    for (std::string line; std::getline(file, line);) {
      google::protobuf::Struct parsed;
      EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(line, &parsed).ok()) << line;
      lines.push_back(parsed);
    }
    return lines;
  }

  const testing::TemporaryDirectory folder_;
  const std::string path_ = folder_.Path("log");
};

TEST_F(EventLogTest, AHostileNameStaysOneStringOfOneLine) {
  const std::string name = "a\"b\\c\nd\x01\xff,\"code\":\"OK";
  {
    auto log = EventLog::Open(path_);
    ASSERT_OK(log);
    (*log)->Write(LogEvent::kRequestFinished, {{LogField::kPrincipal, name}});
  }
  const auto lines = Lines();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].fields().count("code"), 0u);
  EXPECT_EQ(lines[0].fields().at("event").string_value(), "request_finished");
}

TEST_F(EventLogTest, OnlyItsOwnerMayReadTheFile) {
  ASSERT_OK(EventLog::Open(path_));
  struct stat status;
  ASSERT_EQ(stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(EventLogTest, LinesOfManyThreadsDoNotMix) {
  constexpr int kThreads = 8;
  constexpr int kLines = 200;
  {
    auto log = EventLog::Open(path_);
    ASSERT_OK(log);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&log, i] {
        for (int j = 0; j < kLines; ++j) {
          (*log)->Write(LogEvent::kReleasePublished,
                        {{LogField::kPlan, std::string(100, static_cast<char>('a' + i))},
                         {LogField::kIteration, int64_t{j}}});
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(Lines().size(), static_cast<size_t>(kThreads * kLines));
}

TEST_F(EventLogTest, WhatSomebodyCanCauseAtWillIsBoundedAndOthersAreHeard) {
  {
    auto log = EventLog::Open(path_);
    ASSERT_OK(log);
    for (int i = 0; i < 5000; ++i) {
      (*log)->WriteBounded("bob", LogEvent::kRequestFinished, {{LogField::kPrincipal, "bob"}});
    }
    (*log)->WriteBounded("alice", LogEvent::kRequestFinished, {{LogField::kPrincipal, "alice"}});
  }
  const auto lines = Lines();
  EXPECT_LT(lines.size(), 1000u);
  EXPECT_EQ(lines.back().fields().at("principal").string_value(), "alice");
}

TEST_F(EventLogTest, AFolderThatIsNotThereIsAnError) {
  EXPECT_THAT(EventLog::Open(path_ + "/no/such/folder"),
              testing::StatusIs(absl::StatusCode::kPermissionDenied));
}

}  // namespace
}  // namespace topicwall::server

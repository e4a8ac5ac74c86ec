#include "server/log/event_log.h"

#include <fcntl.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/file_descriptor.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::server {
namespace {

std::vector<google::protobuf::Struct> Parsed(std::istream& file) {
  std::vector<google::protobuf::Struct> lines;
  for (std::string line; std::getline(file, line);) {
    google::protobuf::Struct parsed;
    EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(line, &parsed).ok()) << line;
    lines.push_back(parsed);
  }
  return lines;
}

// What is in a pipe, whose end `reading` does not wait.
std::string TakeAll(int reading) {
  std::string all;
  std::array<char, 4096> some{};
  for (ssize_t count = 0; (count = read(reading, some.data(), some.size())) > 0;) {
    all.append(some.data(), static_cast<size_t>(count));
  }
  return all;
}

class EventLogTest : public ::testing::Test {
 protected:
  std::vector<google::protobuf::Struct> Lines() const {
    std::ifstream file(path_);
    return Parsed(file);
  }

  const testing::TemporaryDirectory folder_;
  const std::string path_ = folder_.Path("log");
};

TEST_F(EventLogTest, AHostileNameStaysOneStringOfOneLine) {
  const std::string name = "a\"b\\c\nd\x01\xff,\"code\":\"OK";
  {
    ASSERT_OK_AND_ASSIGN(auto log, EventLog::Open(path_));
    log->Write(LogEvent::kRequestFinished, {{LogField::kPrincipal, name}});
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
    ASSERT_OK_AND_ASSIGN(auto log, EventLog::Open(path_));
    for (int i = 0; i < 5000; ++i) {
      log->WriteBounded("bob", LogEvent::kRequestFinished, {{LogField::kPrincipal, "bob"}});
    }
    log->WriteBounded("alice", LogEvent::kRequestFinished, {{LogField::kPrincipal, "alice"}});
  }
  const auto lines = Lines();
  EXPECT_LT(lines.size(), 1000u);
  EXPECT_EQ(lines.back().fields().at("principal").string_value(), "alice");
}

class PipedEventLogTest : public EventLogTest {
 protected:
  PipedEventLogTest() {
    mkfifo(path_.c_str(), 0600);
    reading_ = base::FileDescriptor(open(path_.c_str(), O_RDONLY | O_NONBLOCK));
    // Another's: it would wait.
    writing_ = base::FileDescriptor(open(path_.c_str(), O_WRONLY));
  }

  base::FileDescriptor reading_{-1};
  base::FileDescriptor writing_{-1};
};

TEST_F(PipedEventLogTest, AReaderThatDoesNotReadHoldsUpNobodyAndHearsHowMuchWasLost) {
  constexpr int64_t kLines = 3000;
  for (const bool own : {true, false}) {
    auto log = own ? *EventLog::Open(path_) : EventLog::Of(writing_.get());
    const std::string plan(100, 'a');
    for (int64_t i = 0; i < kLines; ++i) {
      log->Write(LogEvent::kReleasePublished, {{LogField::kPlan, plan}});
    }
    std::istringstream before(TakeAll(reading_.get()));
    const auto written = static_cast<int64_t>(Parsed(before).size());
    EXPECT_GT(written, 100);
    log->Write(LogEvent::kServerStopped, {});
    log->Write(LogEvent::kServerStopped, {});
    std::istringstream after(TakeAll(reading_.get()));
    const auto lines = Parsed(after);
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[0].fields().at("lost").number_value(), static_cast<double>(kLines - written));
    EXPECT_EQ(lines[1].fields().count("lost"), 0u) << "it was told";
  }
}

TEST_F(PipedEventLogTest, ALineThatIsCutEndsBeforeTheNext) {
  const auto log = EventLog::Of(writing_.get());
  log->Write(LogEvent::kAlarm, {{LogField::kReason, std::string(100'000, 'a')}});
  const std::string cut = TakeAll(reading_.get());
  EXPECT_GT(cut.size(), 1000u);
  log->Write(LogEvent::kServerStopped, {});
  const std::string next = TakeAll(reading_.get());
  ASSERT_EQ(next.front(), '\n');
  std::istringstream line(next.substr(1));
  EXPECT_EQ(Parsed(line).at(0).fields().at("lost").number_value(), 1);
}

TEST_F(PipedEventLogTest, AReaderThatIsGoneEndsNobody) {
  const auto log = EventLog::Of(writing_.get());
  reading_ = base::FileDescriptor(-1);
  log->Write(LogEvent::kServerStopped, {});
  reading_ = base::FileDescriptor(open(path_.c_str(), O_RDONLY | O_NONBLOCK));
  log->Write(LogEvent::kServerStopped, {});
  std::istringstream line(TakeAll(reading_.get()));
  EXPECT_EQ(Parsed(line).at(0).fields().at("lost").number_value(), 1);
}

TEST_F(PipedEventLogTest, APipeThatNobodyReadsIsAnErrorAtOnce) {
  reading_ = base::FileDescriptor(-1);
  EXPECT_THAT(EventLog::Open(path_), testing::StatusIs(absl::StatusCode::kPermissionDenied));
}

TEST_F(EventLogTest, AFolderThatIsNotThereIsAnError) {
  EXPECT_THAT(EventLog::Open(path_ + "/no/such/folder"),
              testing::StatusIs(absl::StatusCode::kPermissionDenied));
}

}  // namespace
}  // namespace topicwall::server

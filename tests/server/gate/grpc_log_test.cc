#include "server/gate/grpc_log.h"

#include <gmock/gmock.h>
#include <grpc/support/log.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::server {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Read(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(GrpcLogTest, ALineOfGrpcsIsAnEventWithoutItsWords) {
  const testing::TemporaryDirectory folder;
  const std::string path = folder.path() + "/log";
  auto log = EventLog::Open(path);
  ASSERT_OK(log);
  {
    const GrpcLog attached(log->get());
    gpr_set_log_verbosity(GPR_LOG_SEVERITY_ERROR);  // as grpc_init does
    gpr_log(GPR_ERROR, "something that a peer said");
  }
  gpr_log(GPR_ERROR, "and after the end");
  const std::string lines = Read(path);
  EXPECT_THAT(lines, HasSubstr("\"event\":\"grpc\""));
  EXPECT_THAT(lines, HasSubstr("\"source\":\"grpc_log_test.cc:"));
  EXPECT_THAT(lines, Not(HasSubstr("peer said")));
  EXPECT_THAT(lines, Not(HasSubstr("and after")));
}

}  // namespace
}  // namespace topicwall::server

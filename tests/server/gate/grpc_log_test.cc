#include "server/gate/grpc_log.h"

#include <gmock/gmock.h>
#include <grpc/support/log.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::server {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(GrpcLogTest, ALineOfGrpcsIsAnEventWithoutItsWords) {
  const testing::TemporaryDirectory folder;
  ASSERT_OK_AND_ASSIGN(auto log, EventLog::Open(folder.Path("log")));
  {
    const GrpcLog attached(log.get());
    gpr_set_log_verbosity(GPR_LOG_SEVERITY_ERROR);  // as grpc_init does
    gpr_log(GPR_ERROR, "something that a peer said");
  }
  gpr_log(GPR_ERROR, "and after the end");
  const std::string lines = folder.Content("log");
  EXPECT_THAT(lines, HasSubstr("\"event\":\"grpc\""));
  EXPECT_THAT(lines, HasSubstr("\"source\":\"grpc_log_test.cc:"));
  EXPECT_THAT(lines, Not(HasSubstr("peer said")));
  EXPECT_THAT(lines, Not(HasSubstr("and after")));
}

}  // namespace
}  // namespace topicwall::server

#include "server/admin/voucher_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::admin {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::StatusIs;

TEST(VoucherListTest, AVoucherIsThreeNumbers) {
  ASSERT_OK_AND_ASSIGN(const auto kind, ParseVoucher("6.3, 0.05,10"));
  EXPECT_EQ(kind.noise_multiplier, 6.3);
  EXPECT_EQ(kind.sampling_rate, 0.05);
  EXPECT_EQ(kind.count, 10);
}

TEST(VoucherListTest, AnythingElseIsRefusedAndRepeated) {
  for (const char* text : {"", "6.3", "6.3,1", "6.3,1,10,2", "6.3,1,ten", "6.3,1,1.5", "a,1,1",
                           "6.3,,1", "6.3;1;10", "6.3,1,99999999999999999999"}) {
    EXPECT_THAT(ParseVoucher(text), StatusIs(absl::StatusCode::kInvalidArgument,
                                             AllOf(HasSubstr("SIGMA,NU,COUNT"), HasSubstr(text))));
  }
}

TEST(VoucherListTest, AFileHasOneKindALineAndNamesTheLineThatIsNone) {
  const testing::TemporaryDirectory folder;
  const std::string path = folder.path() + "/vouchers";
  std::ofstream(path) << "# sigma, nu, count\n6.3,1,10\n\n  20,0.5,3  # weak\n";
  ASSERT_OK_AND_ASSIGN(const auto kinds, ReadVouchers(path));
  ASSERT_EQ(kinds.size(), 2);
  EXPECT_EQ(kinds.at(1).noise_multiplier, 20);
  EXPECT_EQ(kinds.at(1).count, 3);
  std::ofstream(path) << "6.3,1,10\n6.3 1 10\n";
  EXPECT_THAT(ReadVouchers(path),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("line 2")));
  EXPECT_THAT(ReadVouchers(folder.path() + "/none"), StatusIs(absl::StatusCode::kNotFound));
}

}  // namespace
}  // namespace topicwall::admin

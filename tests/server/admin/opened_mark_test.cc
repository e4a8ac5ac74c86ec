#include "server/admin/opened_mark.h"

#include <gmock/gmock.h>

#include "tests/server/admin/custodian_world.h"
#include "tests/support/status_matchers.h"

namespace topicwall::admin {
namespace {

using ::testing::HasSubstr;
using testing::StatusIs;

TEST(OpenedMark, AFreshDirectoryNeverHadABudget) {
  const CustodianWorld world;
  EXPECT_OK(RequireNeverOpened(world.Path("data")));
}

TEST(OpenedMark, OnceMarkedADirectoryWithoutLedgerHasLostIt) {
  const CustodianWorld world;
  ASSERT_OK(MarkOpened(world.Path("data")));
  EXPECT_OK(MarkOpened(world.Path("data")));
  EXPECT_THAT(RequireNeverOpened(world.Path("data")),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("topicwall-admin restore")));
}

// A path that ends in a file: as to root, who may look everywhere, any other error of the system's.
TEST(OpenedMark, ADirectoryThatCannotBeLookedIntoIsNotTakenForAFreshOne) {
  const CustodianWorld world;
  EXPECT_THAT(RequireNeverOpened(world.config()),
              StatusIs(absl::StatusCode::kPermissionDenied, HasSubstr("cannot be looked for")));
}

TEST(OpenedMark, ADirectoryThatCannotBeWrittenIsAnError) {
  const CustodianWorld world;
  EXPECT_THAT(MarkOpened(world.Path("nowhere")), StatusIs(absl::StatusCode::kUnavailable));
}

}  // namespace
}  // namespace topicwall::admin

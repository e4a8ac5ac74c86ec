#include "server/admin/commands/command_keys.h"

#include <gmock/gmock.h>

#include "server/sealing/custodian_key.h"
#include "tests/server/admin/custodian_world.h"
#include "tests/support/status_matchers.h"

namespace topicwall::admin {
namespace {

using ::testing::HasSubstr;
using testing::StatusIs;

TEST(Keys, WritesAKeyForTheOwnerAloneAndShowsItsPublicId) {
  const CustodianWorld world;
  ASSERT_OK_AND_ASSIGN(const auto outcome, MakeKeys({.output = world.Path("new.key")}));
  EXPECT_EQ(world.Mode("new.key"), 0600);
  ASSERT_OK_AND_ASSIGN(const auto key, sealing::CustodianKey::Read(world.Path("new.key")));
  EXPECT_THAT(outcome.text, HasSubstr(key.key_id()));
  EXPECT_THAT(outcome.text, HasSubstr("no backup"));
  EXPECT_THAT(outcome.json.Text(), HasSubstr(key.key_id()));
}

TEST(Keys, NeverWritesOverAKey) {
  const CustodianWorld world;
  const std::string before = world.Read("corpus.key");
  EXPECT_THAT(MakeKeys({.output = world.Path("corpus.key")}),
              StatusIs(absl::StatusCode::kAlreadyExists));
  EXPECT_EQ(world.Read("corpus.key"), before);
}

}  // namespace
}  // namespace topicwall::admin

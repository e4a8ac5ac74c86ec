#include "server/admin/durable_file.h"

#include <gmock/gmock.h>

#include <string>

#include "tests/server/admin/custodian_world.h"
#include "tests/support/status_matchers.h"

namespace topicwall::admin {
namespace {

using ::testing::HasSubstr;
using testing::StatusIs;

TEST(DurableFile, ANewFileIsTheOwnersAlone) {
  const CustodianWorld world;
  ASSERT_OK(WriteDurably(world.Path("mark"), "text"));
  EXPECT_EQ(world.Read("mark"), "text");
  EXPECT_EQ(world.Mode("mark"), 0600);
}

TEST(DurableFile, NothingIsWrittenOver) {
  const CustodianWorld world;
  world.Write("mark", "old");
  EXPECT_THAT(WriteDurably(world.Path("mark"), "new"), StatusIs(absl::StatusCode::kAlreadyExists));
  EXPECT_THAT(CopyDurably(world.Path("words.txt"), world.Path("mark")),
              StatusIs(absl::StatusCode::kAlreadyExists));
  EXPECT_EQ(world.Read("mark"), "old");
}

TEST(DurableFile, ACopyHasEveryByteAndIsTheOwnersAlone) {
  const CustodianWorld world;
  std::string large(3'000'001, 'x');  // more than two buffers
  large[2'000'000] = '\0';
  world.Write("large", large);
  ASSERT_OK(CopyDurably(world.Path("large"), world.Path("copy")));
  EXPECT_EQ(world.Read("copy"), large);
  EXPECT_EQ(world.Mode("copy"), 0600);
}

TEST(DurableFile, ACopyOfWhatIsNotThereLeavesNothing) {
  const CustodianWorld world;
  EXPECT_THAT(CopyDurably(world.Path("missing"), world.Path("copy")),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("missing")));
  // A folder opens and does not read.
  EXPECT_THAT(CopyDurably(world.Path("data"), world.Path("copy")),
              StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_FALSE(world.Exists("copy"));
}

TEST(DurableFile, RenamingTakesTheOldOnesPlace) {
  const CustodianWorld world;
  world.Write("new", "new");
  world.Write("old", "old");
  ASSERT_OK(RenameDurably(world.Path("new"), world.Path("old")));
  EXPECT_EQ(world.Read("old"), "new");
  EXPECT_FALSE(world.Exists("new"));
  EXPECT_THAT(RenameDurably(world.Path("new"), world.Path("old")),
              StatusIs(absl::StatusCode::kUnavailable));
}

}  // namespace
}  // namespace topicwall::admin

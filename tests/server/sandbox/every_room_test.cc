#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/sandbox/filter.h"
#include "server/sandbox/sandbox.h"
#include "tests/server/sandbox/attempts.h"
#include "tests/server/sandbox/confined_process.h"

namespace topicwall::sandbox {
namespace every_room_test {

struct Room {
  std::string name;
  Enter enter;
  int Attempt::*expected;
};

// That others may do all this is in gate_filter_test.cc.
class EveryRoomTest : public RoomFrame, public ::testing::WithParamInterface<Room> {
 protected:
  std::string Tried(const std::vector<Attempt>& attempts) const {
    return Try(GetParam().enter, folders_.paths(), attempts,
               [](const Attempt& attempt) { return attempt.*GetParam().expected; });
  }
};

TEST_P(EveryRoomTest, RefusesFilesThatAreNotItsPaths) {
  EXPECT_EQ(Tried(ByPath(folders_, victim_)), "");
  EXPECT_EQ(Tried(BesideLandlock(folders_)), "");
}

TEST_P(EveryRoomTest, WritesBehindWhatIsInTheLogAndDoesNothingElseToIt) {
  if (BuiltWithSanitizers()) GTEST_SKIP() << "sanitizers may duplicate descriptors";
  EXPECT_EQ(Tried(OnTheLog(inherited_)), "");
}

TEST_P(EveryRoomTest, ReachesNoOtherProcess) {
  if (BuiltWithSanitizers()) GTEST_SKIP() << "sanitizers trace and signal";
  EXPECT_EQ(Tried(SignalsToOthers(victim_, inherited_)), "");
  EXPECT_EQ(Tried(IntoOthers(victim_)), "");
  EXPECT_TRUE(victim_.IsUnharmed());
}

TEST_P(EveryRoomTest, OpensNoDoorIntoTheKernel) {
  if (BuiltWithSanitizers()) GTEST_SKIP() << "sanitizers change their personality";
  EXPECT_EQ(Tried(OnTheKernel(folders_)), "");
}

TEST_P(EveryRoomTest, StartsNoProgramAndNoProcess) {
  if (BuiltWithSanitizers()) GTEST_SKIP() << "sanitizers do";
  EXPECT_EQ(Tried(OnPrograms()), "");
}

// Of all but the network the store has what the gate has.
INSTANTIATE_TEST_SUITE_P(Rooms, EveryRoomTest,
                         ::testing::Values(Room{"Gate", EnterGate, &Attempt::gate},
                                           Room{"Vault", EnterVault, &Attempt::vault},
                                           Room{"Store", EnterStore, &Attempt::gate}),
                         [](const auto& room) { return room.param.name; });

}  // namespace every_room_test
}  // namespace topicwall::sandbox

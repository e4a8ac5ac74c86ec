// What the program says where a newer wall uses a number that it has no name for: that it does not
// know it, and nothing that it would know.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/client/program.h"
#include "tests/client/seen_wall.h"
#include "tests/client/wall_service_double.h"
#include "tests/support/json_page.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace newer_numbers_test {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class StatedPlan : public SeenWall {
 public:
  absl::StatusOr<std::vector<v1::PlanState>> ListPlans(absl::string_view) override {
    return std::vector<v1::PlanState>{*GetPlan("plan")};
  }
};

class NewerNumbersTest : public ProgramFrame {
 protected:
  void SetUp() override {
    ASSERT_TRUE(service_.is_up());
    testing::WriteWholeFile(Path("alice.textproto"), service_.profile());
    wall_.Reserve("alice", "plan", 40, 2);
  }
  Finished AsAlice(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--profile", Path("alice.textproto")});
    return Run(arguments);
  }

  StatedPlan wall_;
  WallServiceDouble service_{wall_, folder_.path()};
};

TEST_F(NewerNumbersTest, OfAProtectionOfTimingThatIsNotKnownNoScheduleIsPromised) {
  wall_.description.set_release_interval_ms(400);
  for (const int number : {0, 3}) {
    wall_.description.set_timing_protection(static_cast<v1::TimingProtection>(number));
    const Finished said = AsAlice({"describe", "notes"});
    EXPECT_EQ(said.exit_code, 0) << said.errors;
    EXPECT_THAT(said.output, AllOf(ContainsRegex("timing +the wall does not say"),
                                   Not(HasSubstr("every 400 ms"))));
  }
  wall_.description.set_timing_protection(v1::TIMING_PROTECTION_SCHEDULE);
  EXPECT_THAT(AsAlice({"describe", "notes"}).output, HasSubstr("every 400 ms"));
}

TEST_F(NewerNumbersTest, TheNoiseOfAMechanismThatIsNotKnownIsNotZero) {
  wall_.states["plan"].mutable_plan()->set_sampling_rate(0.5);
  const Finished plans = AsAlice({"plans", "notes"});
  EXPECT_EQ(plans.exit_code, 0) << plans.errors;
  EXPECT_THAT(plans.output, ContainsRegex("\\? +0\\.5 "));
  const Finished json = AsAlice({"plans", "notes", "--json"});
  EXPECT_THAT(json.output, HasSubstr(R"("noise_multiplier":null)"));
  EXPECT_EQ(testing::JsonPage("client/JSON.md").Mismatch("plans", json.output), "") << json.output;
}

TEST_F(NewerNumbersTest, AnAuditOfAPrivacyUnitThatIsNotKnownSaysToUpgrade) {
  wall_.description.set_privacy_unit(static_cast<v1::PrivacyUnit>(3));
  const Finished said = AsAlice({"ledger", "notes", "--verify"});
  EXPECT_EQ(said.exit_code, 1);
  EXPECT_THAT(said.output + said.errors,
              AllOf(HasSubstr("the privacy unit of notes says more than this program knows"),
                    Not(HasSubstr("the privacy unit is ;"))));
}

}  // namespace newer_numbers_test
}  // namespace topicwall::client

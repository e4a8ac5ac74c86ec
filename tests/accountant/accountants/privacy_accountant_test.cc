// The contract of privacy_accountant.h, which every accountant passes.
#include "accountant/accountants/privacy_accountant.h"

#include <cmath>
#include <limits>
#include <string>

#include "accountant/accountants.h"
#include "accountant/events/privacy_params.h"
#include "tests/accountant/releases.h"
#include "tests/support/status_matchers.h"

namespace topicwall::accountant {
namespace privacy_accountant_test {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

struct Contestant {
  std::string label;
  std::string name;
  AccountantOptions options;
  double inverse_to = 1e-6;  // relative, in δ; a bracket is inverted up to its width
};

void PrintTo(const Contestant& contestant, std::ostream* out) { *out << contestant.label; }

class PrivacyAccountantTest : public ::testing::TestWithParam<Contestant> {
 protected:
  std::unique_ptr<PrivacyAccountant> Make() const {
    return *MakeAccountant(GetParam().name, GetParam().options);
  }
  std::unique_ptr<PrivacyAccountant> Make(const std::vector<DpEvent>& events) const {
    std::unique_ptr<PrivacyAccountant> accountant = Make();
    for (const DpEvent& event : events) EXPECT_OK(accountant->Compose(event));
    return accountant;
  }
  double Epsilon(const std::vector<DpEvent>& events, double delta) const {
    return Make(events)->Epsilon(delta)->upper;
  }
  double Delta(const std::vector<DpEvent>& events, double epsilon) const {
    return Make(events)->Delta(epsilon)->upper;
  }
};

TEST_P(PrivacyAccountantTest, NothingComposedCostsNothing) {
  EXPECT_EQ(Epsilon({}, 1e-6), 0);
  EXPECT_EQ(Delta({}, 1e-3), 0);
  EXPECT_EQ(Epsilon({Event(0.05, 1.24, 0)}, 1e-6), 0);
}

TEST_P(PrivacyAccountantTest, BracketsAreOrderedAndInRange) {
  const auto accountant = Make({Event(0.05, 1.24, 20), Event(1, 40, 3)});
  for (const double delta : {1e-15, 1e-6, 0.1, 0.999}) {
    const EpsilonBracket bracket = *accountant->Epsilon(delta);
    EXPECT_GE(bracket.lower, 0);
    EXPECT_LE(bracket.lower, bracket.upper);
  }
  for (const double epsilon : {1e-3, 1.0, 50.0, 1e6}) {
    const DeltaBracket bracket = *accountant->Delta(epsilon);
    EXPECT_GE(bracket.lower, 0);
    EXPECT_LE(bracket.lower, bracket.upper);
    EXPECT_LE(bracket.upper, 1);
  }
}

TEST_P(PrivacyAccountantTest, BracketsAreOrderedAtTheEdgesOfADouble) {
  for (const auto& events :
       {std::vector<DpEvent>{Event(1, 2, 1)}, {Event(1, kMostNoise, 1)}, {Event(0.05, 3, 2)}}) {
    const auto accountant = Make(events);
    for (const double delta : {kSmallestDelta, 1e-300, 1e-250}) {
      const EpsilonBracket bracket = *accountant->Epsilon(delta);
      EXPECT_LE(bracket.lower, bracket.upper) << delta;
    }
    // δ is too small for a double there, and 0 would say that nothing was composed.
    for (const double epsilon : {900.0, 1e6}) {
      const DeltaBracket bracket = *accountant->Delta(epsilon);
      EXPECT_LE(bracket.lower, bracket.upper) << epsilon;
      EXPECT_GT(bracket.upper, 0) << epsilon;
    }
    EXPECT_FALSE(accountant->Epsilon(5e-324).ok());
  }
}

TEST_P(PrivacyAccountantTest, EpsilonFallsAsDeltaGrowsAndDeltaAsEpsilonGrows) {
  const auto accountant = Make({Event(0.05, 1.24, 20)});
  double previous = std::numeric_limits<double>::infinity();
  for (double delta = 1e-14; delta < 1; delta *= 7) {
    const double epsilon = accountant->Epsilon(delta)->upper;
    EXPECT_LE(epsilon, previous * (1 + 1e-12)) << delta;
    previous = epsilon;
  }
  previous = 1;
  for (double epsilon = 0.01; epsilon < 100; epsilon *= 1.7) {
    const double delta = accountant->Delta(epsilon)->upper;
    EXPECT_LE(delta, previous * (1 + 1e-9)) << epsilon;
    previous = delta;
  }
}

TEST_P(PrivacyAccountantTest, MoreNoiseNeverCostsMore) {
  double previous = std::numeric_limits<double>::infinity();
  for (double sigma = 0.7; sigma < 30; sigma *= 1.3) {
    const double epsilon = Epsilon({Event(0.02, sigma, 50)}, 1e-5);
    EXPECT_LE(epsilon, previous * (1 + 1e-9)) << sigma;
    previous = epsilon;
  }
}

TEST_P(PrivacyAccountantTest, MoreSamplingAndMoreStepsNeverCostLess) {
  double previous = 0;
  for (double nu = 1e-3; nu < 0.2; nu *= 2) {
    const double epsilon = Epsilon({Event(nu, 1.5, 50)}, 1e-5);
    EXPECT_GE(epsilon, previous * (1 - 1e-9)) << nu;
    previous = epsilon;
  }
  previous = 0;
  for (int64_t steps = 1; steps < 100000; steps *= 5) {
    const double epsilon = Epsilon({Event(0.02, 1.5, steps)}, 1e-5);
    EXPECT_GE(epsilon, previous * (1 - 1e-9)) << steps;
    previous = epsilon;
  }
}

TEST_P(PrivacyAccountantTest, TheOrderAndGroupingOfReleasesDoNotMatter) {
  const DpEvent a = Event(0.05, 1.24, 20);
  const DpEvent b = Event(0.01, 2, 100);
  const double together = Epsilon({a, b}, 1e-5);
  EXPECT_NEAR(Epsilon({b, a}, 1e-5), together, 1e-11 * together);
  EXPECT_NEAR(Epsilon({Event(0.05, 1.24, 7), b, Event(0.05, 1.24, 13)}, 1e-5), together,
              1e-11 * together);
  EXPECT_GE(together, Epsilon({a}, 1e-5) * (1 - 1e-9));
}

TEST_P(PrivacyAccountantTest, EpsilonAndDeltaAreEachOthersInverse) {
  const auto accountant = Make({Event(0.05, 1.24, 20)});
  for (const double delta : {1e-12, 1e-6, 1e-3}) {
    const double epsilon = accountant->Epsilon(delta)->upper;
    EXPECT_NEAR(accountant->Delta(epsilon)->upper, delta, GetParam().inverse_to * delta);
  }
}

TEST_P(PrivacyAccountantTest, ACloneGoesItsOwnWay) {
  const auto original = Make({Event(0.05, 1.24, 20)});
  const double before = original->Epsilon(1e-5)->upper;
  const auto clone = original->Clone();
  EXPECT_EQ(clone->name(), original->name());
  EXPECT_EQ(clone->Epsilon(1e-5)->upper, before);
  ASSERT_OK(clone->Compose(Event(0.05, 1.24, 200)));
  EXPECT_GT(clone->Epsilon(1e-5)->upper, before);
  EXPECT_EQ(original->Epsilon(1e-5)->upper, before);
}

TEST_P(PrivacyAccountantTest, BadQuestionsAreRefusedByName) {
  const auto accountant = Make({Event(0.05, 1.24, 20)});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double delta : {0.0, 1.0, -1e-5, 2.0, nan}) {
    EXPECT_THAT(accountant->Epsilon(delta),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("delta must be")));
  }
  for (const double epsilon : {0.0, -1.0, nan, std::numeric_limits<double>::infinity()}) {
    EXPECT_THAT(accountant->Delta(epsilon),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("epsilon must be")));
  }
}

TEST_P(PrivacyAccountantTest, BadCountsAreRefusedAndChangeNothing) {
  const auto accountant = Make({Event(0.05, 1.24, 20)});
  const double before = accountant->Epsilon(1e-5)->upper;
  for (const int64_t count : {int64_t{-1}, kMostReleases + 1}) {
    EXPECT_THAT(accountant->Compose(Event(0.05, 1.24, count)),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("count must be")));
  }
  EXPECT_EQ(accountant->Epsilon(1e-5)->upper, before);
}

TEST_P(PrivacyAccountantTest, HugePricesAreHugeNeverWrapped) {
  EXPECT_GT(Epsilon({Event(0.5, 1e-3, 1)}, 1e-5), 1e5);
  EXPECT_EQ(Epsilon({Event(0.5, 1e-200, 1)}, 1e-5), std::numeric_limits<double>::infinity());
  EXPECT_EQ(Delta({Event(1, 1e-200, 1)}, 10), 1);
  EXPECT_GT(Epsilon({Event(1, 1, kMostReleases)}, 1e-5), 1e11);
}

std::vector<Contestant> Contestants() {
  using Rule = StrongComposition;
  return {{"Moments", "moments", {}},
          {"Moments32", "moments", {.moments = {.max_order = 32}, .strong = {}}},
          {"Renyi", "renyi", {}},
          {"Pld", "pld", {}, 1e-4},
          {"StrongBest", "strong", {}},
          {"StrongHalf", "strong", {.moments = {}, .strong = {.split = Rule::Split::kHalf}}},
          {"StrongClassical",
           "strong",
           {.moments = {}, .strong = {.gaussian = Rule::Gaussian::kClassical}}},
          {"Basic", "basic", {}}};
}

INSTANTIATE_TEST_SUITE_P(Every, PrivacyAccountantTest, ::testing::ValuesIn(Contestants()),
                         [](const auto& contestant) { return contestant.param.label; });

}  // namespace privacy_accountant_test
}  // namespace topicwall::accountant

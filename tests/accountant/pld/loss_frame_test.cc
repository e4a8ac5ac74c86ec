#include "accountant/pld/loss_frame.h"

#include <cmath>
#include <vector>

#include "tests/accountant/contour_inversion.h"
#include "tests/accountant/releases.h"
#include "tests/support/status_matchers.h"

namespace topicwall::accountant {
namespace loss_frame_test {

TEST(LossFrameTest, ChernoffsPointsLieAboveTheCurveAndNear) {
  const std::vector<DpEvent> events = {Event(0.05, 1.24, 20)};
  const ContourInversion exact(events);
  const ChernoffPoint at_delta = ChernoffAtDelta(events, Neighbour::kRemoved, 1e-4);
  EXPECT_LE(exact.Delta(at_delta.epsilon), 1e-4);
  EXPECT_GE(exact.Delta(at_delta.epsilon / 2), 1e-4);
  const ChernoffPoint at_epsilon = ChernoffAtEpsilon(events, Neighbour::kRemoved, 1, 1e-4);
  EXPECT_LE(exact.Delta(1), std::exp(at_epsilon.log_delta));
  EXPECT_GE(exact.Delta(1), std::exp(at_epsilon.log_delta) / 30);
}

TEST(LossFrameTest, ItsWindowHoldsThePointAndItsGridFits) {
  for (const DpEvent& event :
       {Event(0.05, 1.24, 20), Event(0.2, 5, 10000), Event(1e-4, 50, 100), Event(1, 20, 3)}) {
    const std::vector<DpEvent> events = {event};
    for (const Neighbour neighbour : {Neighbour::kRemoved, Neighbour::kAdded}) {
      const ChernoffPoint point = ChernoffAtDelta(events, neighbour, 1e-6);
      const std::optional<LossFrame> frame = FrameAround(point, events, neighbour);
      ASSERT_TRUE(frame.has_value());
      const double h = frame->window.spacing;
      EXPECT_EQ(h, frame->grid.spacing);
      EXPECT_LT(static_cast<double>(frame->window.lowest) * h, point.epsilon);
      EXPECT_GT(static_cast<double>(frame->window.lowest + frame->window.points) * h,
                point.epsilon);
      EXPECT_LE(ReleaseLoss::GridPoints(event.release, frame->grid),
                static_cast<double>(frame->window.points));
      EXPECT_LE(frame->window.points, int64_t{1} << 22);
    }
  }
}

TEST(LossFrameTest, TheBulkStaysInSightWhereRareLossesRule) {
  const std::vector<DpEvent> events = {Event(1e-4, 0.8, 1000)};
  ChernoffPoint point = ChernoffAtEpsilon(events, Neighbour::kRemoved, 0.15, 1e-9);
  point.log_delta = std::log(1e-9);
  const ChernoffPoint gentler = WithBulkInSight(point, events, Neighbour::kRemoved);
  EXPECT_LT(gentler.tilt, point.tilt);
  const LossLaw law(events[0].release, Neighbour::kRemoved, point.tail_mass);
  const auto variance_at = [&](double tilt) { return law.At(tilt).variance; };
  EXPECT_LE(variance_at(gentler.tilt), 1.3 * variance_at(0));
  EXPECT_GT(variance_at(point.tilt), 4 * variance_at(0));
}

TEST(LossFrameTest, ThereIsNoneForLossesBeyondTheGrid) {
  const std::vector<DpEvent> huge = {Event(0.5, 0.01, 1)};
  EXPECT_FALSE(
      FrameAround(ChernoffAtDelta(huge, Neighbour::kRemoved, 1e-6), huge, Neighbour::kRemoved)
          .has_value());
}

}  // namespace loss_frame_test
}  // namespace topicwall::accountant

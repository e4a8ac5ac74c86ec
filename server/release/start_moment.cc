#include "server/release/start_moment.h"

#include <cmath>

namespace topicwall::release {

absl::Duration StartMoment(absl::Duration took) {
  absl::Duration moment = absl::Milliseconds(250);
  while (moment < took) moment *= std::sqrt(2);
  return moment;
}

}  // namespace topicwall::release

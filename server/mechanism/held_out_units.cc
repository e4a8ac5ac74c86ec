#include "server/mechanism/held_out_units.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace topicwall::mechanism {

// Asked here as well, so that the message has the name that the caller knows.
absl::StatusOr<HeldOutUnits> HeldOutUnits::Create(const random::SecretKey& key, double share) {
  if (!(share > 0 && share <= 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("held_out_share must be in (0, 1]; got ", share, "."));
  }
  TW_ASSIGN_OR_RETURN(PoissonSampler held_out, PoissonSampler::Create(key, share));
  return HeldOutUnits(std::move(held_out));
}

// Both lists are ascending, so either set is found in one pass. Both are functions of each unit
// alone, and so is what they have in common: it does not matter which coin was tossed first.
absl::Status HeldOutUnits::Keep(Side side, absl::Span<const random::UnitId> units,
                                std::vector<std::size_t>* positions) const {
  std::vector<std::size_t> held_out;
  if (absl::Status status = held_out_.Sample(units, &held_out); !status.ok()) {
    // Rather nobody than units of either side: whoever overlooks the error has nothing to go on
    // with.
    positions->clear();
    return status;
  }
  std::vector<std::size_t> kept;
  if (side == Side::kHeldOut) {
    std::set_intersection(positions->begin(), positions->end(), held_out.begin(), held_out.end(),
                          std::back_inserter(kept));
  } else {
    std::set_difference(positions->begin(), positions->end(), held_out.begin(), held_out.end(),
                        std::back_inserter(kept));
  }
  *positions = std::move(kept);
  return absl::OkStatus();
}

}  // namespace topicwall::mechanism

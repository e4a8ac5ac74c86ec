// One life of a plan, with the server killed at a named point somewhere in it and
// started again, and what must hold afterwards.
#ifndef TOPICWALL_TESTS_CRASH_CRASH_LOOP_H_
#define TOPICWALL_TESTS_CRASH_CRASH_LOOP_H_

#include <array>
#include <string>

#include "tests/e2e/wall_world.h"

namespace topicwall::testing {

// Every point of server/ledger/ and server/private_e_step.cc, in the order they are passed.
inline constexpr std::array<const char*, 16> kKillPoints = {"before-reserve-commit",
                                                            "after-reserve-commit",
                                                            "before-charge-commit",
                                                            "after-charge-commit",
                                                            "after-charge",
                                                            "after-coins",
                                                            "after-sum",
                                                            "after-noise",
                                                            "before-store-commit",
                                                            "after-store-commit",
                                                            "before-publish",
                                                            "before-publish-commit",
                                                            "after-publish-commit",
                                                            "before-reply",
                                                            "before-cancel-commit",
                                                            "after-cancel-commit"};

// What the ledger says after reserve, one iteration and cancel.
struct Aftermath {
  int reserved = 0;
  int charged = 0;
  int published = 0;
  int cancelled = 0;
  double epsilon_spent = 0;
  bool read_again = false;  // the release that was answered is the one that is stored
  int kills = 0;            // how often the server died of SIGKILL
};

WorldOptions CrashWorld();

// Reserves two iterations, runs the first, cancels; repeats whatever is unanswered after
// starting the server again. `kill_at` = "point" or "point:pass"; empty = nothing is killed.
// `request_id`: 16 bytes, new for every life in the same world.
Aftermath LiveOnce(WallWorld& world, const std::string& kill_at, const std::string& request_id);

}  // namespace topicwall::testing

#endif  // TOPICWALL_TESTS_CRASH_CRASH_LOOP_H_

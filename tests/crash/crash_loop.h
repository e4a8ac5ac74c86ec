// A day in the life of a wall: several analysts at once, each with a plan of their own, while
// the server is killed at named points and started again; and what must hold afterwards.
#ifndef TOPICWALL_TESTS_CRASH_CRASH_LOOP_H_
#define TOPICWALL_TESTS_CRASH_CRASH_LOOP_H_

#include <array>
#include <string>
#include <vector>

#include "tests/e2e/wall_world.h"

namespace topicwall::testing {

// Points that a day passes whatever happens, in the order they are passed first.
inline constexpr std::array<const char*, 22> kKillPoints = {
    "inside-open",           "inside-event",
    "before-reserve-commit", "after-reserve-commit",
    "while-signing",         "before-charge-commit",
    "after-charge-commit",   "after-charge",
    "after-coins",           "after-sum",
    "after-noise",           "inside-store",
    "before-store-commit",   "after-store-commit",
    "before-publish",        "before-publish-commit",
    "after-publish-commit",  "before-reply",
    "inside-reply",          "before-end-of-reply",
    "before-cancel-commit",  "after-cancel-commit"};
// Points that are passed only when a release is computed again: after a kill between charge and
// store, such as kKillBeforeRecomputation.
inline constexpr std::array<const char*, 2> kRecomputationPoints = {"before-recompute-commit",
                                                                    "after-recompute-commit"};
inline constexpr const char* kKillBeforeRecomputation = "after-sum";

// "point" or "point:pass", one for each start of the server; after the last nothing is killed.
using Kills = std::vector<std::string>;

// alice, carol and dave may spend; bob has a cap and is refused. Ledger of many days.
WorldOptions CrashWorld();

// Each analyst reserves three iterations, runs two, cancels, and reads everything again, repeating
// whatever is unanswered; bob is refused all along. Then everything that this header promises is
// EXPECTed of the answers, the ledger and the budget:
//  * nothing left unpaid: each release that was answered was charged, and is the published one;
//  * nothing paid twice: one charge for each iteration that was run, and what is spent is the
//    price of these, to the last digit;
//  * nothing paid lost: whatever was answered in part is a beginning of what is read later;
//  * refused means nothing ran: no event is bob's.
// `day`: tells the requests of days in the same world apart. Returns how often the server died.
int LiveOneDay(WallWorld& world, int day, const Kills& kills);

}  // namespace topicwall::testing

#endif  // TOPICWALL_TESTS_CRASH_CRASH_LOOP_H_

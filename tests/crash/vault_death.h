// A server whose vault dies while an analyst waits, under its real supervisor and gate; and what
// must hold: the call is answered without the analyst doing anything, since the gate sends the act
// again, and nothing is lost or paid twice.
//
// The supervisor waits longer before each start of a vault (server/supervisor/supervisor.h), so a
// server lives through a few deaths only; each of these takes a world of its own.
#ifndef TOPICWALL_TESTS_CRASH_VAULT_DEATH_H_
#define TOPICWALL_TESTS_CRASH_VAULT_DEATH_H_

#include <array>

namespace topicwall::testing {

// A point that the vault passes while it answers a reservation, a release and a cancellation.
struct VaultDeath {
  const char* kill_at;
  int restarts = 0;            // of the release's instants, which begin again
  bool within_answer = false;  // of which the gate has passed on a part: it cannot be sent again
};
inline constexpr std::array<VaultDeath, 23> kVaultDeaths = {{
    {"inside-event"},
    {"before-reserve-commit"},
    {"after-reserve-commit"},
    {"while-signing"},
    {"before-charge-commit"},
    {"after-charge-commit", 1},
    {"after-charge", 1},
    {"after-coins", 1},
    {"after-sum", 1},
    {"after-noise", 1},
    {"inside-store", 1},
    {"before-store-commit", 1},
    {"after-store-commit", 1},
    {"before-publish", 1},
    {"before-publish-commit", 1},
    {"after-publish-commit"},
    {"before-reply"},
    {"inside-reply", 0, true},
    {"before-end-of-reply", 0, true},
    {"before-cancel-commit"},
    {"after-cancel-commit"},
    {"after-sum;after-noise", 2},
    {"after-sum;before-store-commit", 2},
}};

// Reserves, runs a release and cancels while the vault dies where it is told to. EXPECTs: all three
// are answered; the release is charged once, published at a level of the charge or of its last
// restart, read there and not before, and the same whenever it is read; restarts are counted, and
// no overrun but what the ledger tells. Returns how many milliseconds after its instant it came.
double DieAt(const VaultDeath& death);

// Each act that is no release, asked of a vault that stands still and is then killed: answered, and
// as before.
void DieInEveryQuestion();

// Runs `releases` one after the other, while the vault is killed `kills` times at random moments
// of the first of them. EXPECTs what DieAt does.
void DieAtRandom(unsigned seed, int kills, int releases);

}  // namespace topicwall::testing

#endif  // TOPICWALL_TESTS_CRASH_VAULT_DEATH_H_

// The parts of an audit: what each tries. All findings of AttackMemory, AttackSums, AttackInputs,
// AttackLedger and AttackSchedule but the memory's are exact, without false alarms; the others are
// statistics (statistics/bounds.h). Each part is in a source of its own.
//
// An error is a part that could not be run to its end. Threads: one part at a time.
#ifndef TOPICWALL_SERVER_AUDIT_PARTS_H_
#define TOPICWALL_SERVER_AUDIT_PARTS_H_

#include <cstdint>

#include "server/audit/attack.h"
#include "server/audit/finding.h"

namespace topicwall::audit {

// memory: what a release takes after its charge may not depend on a unit, or its failure tells of
// the unit. Releases of two corpora at K = 100 and V = 50,000, of which one has an owner with every
// word of the vocabulary in five documents, are computed each in a child process whose address
// space is limited: from below what the smaller corpus was measured to take to far above it. Asked
// of every limit: the same answers, at the same instant, and no death. Forks: this process must
// have no other threads.
Findings AttackMemory(Attack& attack);

// replay: exact integer sums of neighbouring corpora over the server's code (pairs/pair_replay.h),
// by name (the known ways in which clipping has gone wrong, and the ends of every range) and made
// up, small and, unless --pairs is 0, of K = 100 and V = 50,000 and more. Then every clip kernel of
// this processor, handed what no document makes (pairs/clip_probe.h); and where keys come from.
Findings AttackSums(Attack& attack);

// inputs: the same from neighbouring *inputs* on, through the ingestion: ids that collide, ids
// given twice, lines that cannot be read, huge units, lines in another order. An input that
// ingestion refuses gives no corpus, and breaks nothing.
Findings AttackInputs(Attack& attack);

// noise: releases in which every unit has an entry of its own (walls/canary_wall.h), as they come
// from the wall, with σ = 1, with σ = 1/16 and a norm histogram, and at K = 100, V = 50,000: no
// threshold tells a unit's presence better than 2Φ(1/2σ) - 1; a unit shifts its entry by C, and the
// histogram by 1: no more (privacy), no less (utility); noise has the normal law out to its tails,
// in empty entries, entries with data, every block and the histogram, and does not repeat.
Findings AttackNoise(Attack& attack);

// sampling: who takes part, with so little noise (σ = 1/16) that an entry says it beyond doubt:
// coins have the paid rate, altogether and for every unit, and are independent of each other and
// of the release before; histogram and statistics are of the same units; long documents and owners
// of many are cut evenly and afresh.
Findings AttackSampling(Attack& attack);

// ledger: two analysts use up a small budget: plans with and without a histogram, sampled and full
// batches, a cancel while a release waits, other content for a paid iteration, plans that do not
// fit, an analyst at a cap. All that was spent is counted again from the chain's events alone
// (statistics/ledger_recount.h); the chain and every receipt are verified.
Findings AttackLedger(Attack& attack);

// schedule: the same acts on a corpus of one unit, hardly ever drawn, and on one of many, by the
// machine's clock: nothing is readable by any path before its instant, instants are t0 + m·T, and
// all else that is seen is the same.
Findings AttackSchedule(Attack& attack);

// timing: what a clock tells of a thin corpus and of a fat one, whose work is a large part of the
// interval T. An analyst asks both for releases, in an order drawn by chance; other principals make
// every call of the service meanwhile. Neither when a release arrives nor how long any call takes,
// nor when the slowest was, may come from another law for one corpus than for the other (Smirnov's
// test; the drawn order makes it exact whatever else the machine does). What it sees beside defects
// is the machine: threads that compute take processors from those that answer.
Findings AttackTiming(Attack& attack);

struct TimingTrial {
  int of_each;                  // releases of each corpus
  double most_p;                // the least probability that is still called chance
  int64_t interval_ms = 2'000;  // T; 0: the wall has no schedule, and the findings must fail
  int fat_documents = 4'000;
};
Findings TryTiming(const TimingTrial& trial, Attack& attack);

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_PARTS_H_

// Two inputs of an ingestion that differ in the lines of one privacy unit: where a unit begins.
//
//   for (const InputPair& pair : InputPairsByName()) {
//     TW_ASSIGN_OR_RETURN(const auto result, ReplayInput(pair, rule, attack, replay));
//
// Ids that several owners have, ids given twice, names that run together, lines that cannot be
// read, units far larger than others: whatever one unit's lines hold, an ingestion may map them to
// that unit's content alone, and must leave all other units as they are.
//
// PUBLIC: made up. Threads: one at a time. Cost: some 100 ms a pair.
#ifndef TOPICWALL_SERVER_AUDIT_PAIRS_INPUT_PAIR_H_
#define TOPICWALL_SERVER_AUDIT_PAIRS_INPUT_PAIR_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/audit/attack.h"
#include "server/audit/pairs/pair_replay.h"
#include "server/corpus/corpus_description.h"
#include "server/corpus/ingest/corpus_importer.h"
#include "server/random/keystream.h"

namespace topicwall::audit {

struct InputLine {
  std::string text;       // a line; of a folder the content of a file
  bool of_unit;           // in one of the two inputs only
  std::string file = {};  // of a folder: its path
};

struct InputPair {
  std::string name;
  corpus::DocumentFormat format = corpus::DocumentFormat::kJsonLines;
  v1::PrivacyUnit privacy_unit = v1::PRIVACY_UNIT_OWNER;
  std::vector<InputLine> lines;  // in their order
  // The unit's line is one of several of its id, and goes alone: no unit where lines are merged.
  bool one_line_of_several = false;
};

std::vector<InputPair> InputPairsByName();

// A few owners, fewer ids, lines in any order, some of them bad.
InputPair MakeUpInput(random::Keystream& choices);

// Four inputs are written and ingested: with the unit's lines, without them, the unit's lines
// alone, and all lines in the opposite order (of formats that have an order). Their corpora are
// compared by `replay`: `independent` says that the unit added what it adds alone, `repeatable`
// that the order of lines changed nothing. Nothing if ingestion refused one of the first two.
absl::StatusOr<std::optional<ReplayedPair>> ReplayInput(const InputPair& pair,
                                                        v1::DuplicateRule duplicates,
                                                        Attack& attack, PairReplay& replay);

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_PAIRS_INPUT_PAIR_H_

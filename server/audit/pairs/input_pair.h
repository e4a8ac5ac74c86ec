// Two inputs of an ingestion that differ in the lines of one privacy unit: where a unit begins.
//
//   for (const InputPair& pair : InputPairsByName()) …
//   pair = MakeUpInput(choices);
//
// Ids that several owners have, ids given twice, names that run together, lines that cannot be
// read, units far larger than others: whatever one unit's lines hold, an ingestion may map them to
// that unit's content alone, and must leave all other units as they are.
//
// Lines without a readable owner are nobody's: they are on both sides. PUBLIC: made up. Threads:
// values.
#ifndef TOPICWALL_SERVER_AUDIT_PAIRS_INPUT_PAIR_H_
#define TOPICWALL_SERVER_AUDIT_PAIRS_INPUT_PAIR_H_

#include <string>
#include <vector>

#include "server/corpus/corpus_description.h"
#include "server/corpus/ingest/corpus_importer.h"
#include "server/random/keystream.h"

namespace topicwall::audit {

// The words that texts are made of: the vocabulary, also of bags of words.
const std::vector<std::string>& InputWords();

struct InputLine {
  std::string text;       // a line; of a folder the content of a file
  bool of_unit;           // in one of the two inputs only
  std::string file = {};  // of a folder: its path
};

struct InputPair {
  std::string name;
  corpus::DocumentFormat format = corpus::DocumentFormat::kJsonLines;
  corpus::PrivacyUnit privacy_unit = corpus::PrivacyUnit::kOwner;
  std::vector<InputLine> lines;  // in their order
  // The unit's line is one of several of its id, and goes alone.
  bool one_line_of_several = false;
};

std::vector<InputPair> InputPairsByName();

// A few owners, fewer ids, lines in any order, some of them bad.
InputPair MakeUpInput(random::Keystream& choices);

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_PAIRS_INPUT_PAIR_H_

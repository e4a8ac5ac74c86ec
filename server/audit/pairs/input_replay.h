// Takes two inputs through the ingestion itself to their exact integer sums.
//
//   TW_ASSIGN_OR_RETURN(auto replay, InputReplay::Create(folder));
//   TW_ASSIGN_OR_RETURN(const std::optional<ReplayedPair> result, replay->Run(pair, rule));
//
// Four inputs are written and ingested under one key: with the unit's lines, without them, the
// unit's lines alone, and all lines in the opposite order (of formats that have an order, the same
// once more). Their corpora are then compared as pair_replay.h compares planted ones:
// `within_bound` says that the unit moved the sum by at most M, `independent` that it added what it
// adds alone, and `repeatable` that the order of lines changed nothing.
//
// Threads: one at a time. Cost: some 100 ms a pair.
#ifndef TOPICWALL_SERVER_AUDIT_PAIRS_INPUT_REPLAY_H_
#define TOPICWALL_SERVER_AUDIT_PAIRS_INPUT_REPLAY_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "server/audit/pairs/input_pair.h"
#include "server/audit/pairs/neighbouring_pair.h"
#include "server/audit/pairs/pair_replay.h"
#include "server/audit/scratch_folder.h"
#include "server/corpus/corpus_description.h"
#include "server/corpus/corpus_store.h"

namespace topicwall::audit {

class InputReplay {
 public:
  // `folder` must outlive this.
  static absl::StatusOr<std::unique_ptr<InputReplay>> Create(ScratchFolder* folder);

  // Nothing if ingestion refused one of the two inputs: then there is no corpus to be asked.
  absl::StatusOr<std::optional<ReplayedPair>> Run(const InputPair& pair,
                                                  corpus::DuplicateRule duplicates);

 private:
  InputReplay(ScratchFolder* folder, std::unique_ptr<PairReplay> replay, std::string vocabulary)
      : folder_(folder), replay_(std::move(replay)), vocabulary_(std::move(vocabulary)) {}

  // Null if ingestion refuses it.
  absl::StatusOr<std::unique_ptr<corpus::CorpusStore>> Ingested(const InputPair& pair,
                                                                const std::vector<InputLine>& lines,
                                                                corpus::DuplicateRule duplicates);

  ScratchFolder* const folder_;
  const std::unique_ptr<PairReplay> replay_;
  const std::string vocabulary_;  // a file
};

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_PAIRS_INPUT_REPLAY_H_

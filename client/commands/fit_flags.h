// The flags that say what fit is wanted, the same for `price`, `plan` and `fit`. Each goes into the
// FitSpec itself; what is not given stays open there (client/fit/fit_spec.h), and every default is
// shown by --help and by the quote before anything is reserved.
// `spec` and `planning` must outlive the parsing.
#ifndef TOPICWALL_CLIENT_COMMANDS_FIT_FLAGS_H_
#define TOPICWALL_CLIENT_COMMANDS_FIT_FLAGS_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "base/command_line.h"
#include "client/fit/fit_spec.h"

namespace topicwall::client {

// Adds CORPUS, --topics, those of AddNoiseFlags, --algorithm, --sampling-rate,
// --iterations, --held-out-share, --clip-norm, --max-words and those of AddAssumptionFlags.
void AddFitFlags(base::Command command, FitSpec& spec);

// --nominal-size and --words-per-unit: what the analyst takes the corpus to be.
void AddAssumptionFlags(base::Command command, Planning& planning);
// --words-per-unit N|FOLDER: one of the two is left empty.
void AddWordsFlag(base::Command command, const std::string& help, std::optional<double>& words,
                  std::string& folder);
// `words` of `folder`, if one was given: what was measured there of a corpus.
absl::Status TakeMeasuredWords(const std::string& corpus, const std::string& folder,
                               std::optional<double>& words);
// --hours and --seconds-per-release: what a planner is told beside.
void AddTimeFlags(base::Command command, Planning& planning);

// A fit without a wall, of documents of one's own.
struct PlainFlags {
  bool no_privacy = false;
  std::string documents;
  std::string vocabulary;
  std::string format = "jsonl";
  std::optional<int> passes;         // otherwise the trainer's own
  std::optional<double> norm_bound;  // of vectors
};
// --no-privacy, --documents, --vocabulary, --format, --passes and --norm-bound; `flags` must
// outlive the parsing.
void AddPlainFlags(base::Command command, PlainFlags& flags);

// A usage error unless --topics was given.
absl::Status CheckTopicsGiven(const FitSpec& spec);

// A usage error for what says how to ask a wall, and for algorithm paper: without a wall there are
// no releases.
absl::Status CheckAsksNoWall(const FitSpec& spec, bool is_planned);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_COMMANDS_FIT_FLAGS_H_

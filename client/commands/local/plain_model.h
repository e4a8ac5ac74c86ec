// Models of what is at hand: `fit --no-privacy` of documents or vectors of the analyst's own, and
// of public vectors the mixture that a fit behind a wall begins with.
//
// `terminal` is told how far it is. No wall is asked. Errors: usage errors for flags; those of the
// files and the fits.
#ifndef TOPICWALL_CLIENT_COMMANDS_LOCAL_PLAIN_MODEL_H_
#define TOPICWALL_CLIENT_COMMANDS_LOCAL_PLAIN_MODEL_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/commands/fit_flags.h"
#include "client/fit/fit_spec.h"
#include "client/terminal.h"
#include "model/data/bounded_vector.h"
#include "proto/model.pb.h"

namespace topicwall::client {

// As the command line has it.
struct AskedPlainFit {
  const FitSpec& spec;
  const PlainFlags& flags;
  bool is_planned;
  std::string init;     // a model, or public vectors; or nothing
  std::string anchors;  // a file, or nothing
};

absl::Status CheckPlainFit(const AskedPlainFit& fit);
absl::StatusOr<v1::ModelFile> PlainModel(const AskedPlainFit& fit, Terminal& terminal);

// Whether `--init` names a file of vectors: by its ending, .npy or .jsonl.
bool NamesVectors(const std::string& init);

struct PublicStart {
  v1::ModelFile model;
  std::string sha256;  // of the vectors as they were read: 32 bytes
};
// Of vectors in the units of `space`; `spec` has K and the seed.
absl::StatusOr<PublicStart> PublicVectors(const std::string& init, const model::VectorSpace& space,
                                          const FitSpec& spec);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_COMMANDS_LOCAL_PLAIN_MODEL_H_

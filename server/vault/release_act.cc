// Small things before large ones, and each bounded before it is taken: the header and its plan; a
// place for the upload; the parameters; a place in the queue. What is refused once the plan is
// known is answered at a multiple of 10 ms.
#include "server/vault/release_act.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "base/status_macros.h"
#include "proto/matrix_codec.h"
#include "server/vault/lines/upload_room.h"
#include "server/vault/private_e_step.h"
#include "server/vault/release_request.h"
#include "server/vault/release_stream.h"

namespace topicwall::server {
namespace {

// How many there will be the plan's model says, so memory is taken once and for no more than that,
// whatever the chunks claim. Nothing of a chunk is kept while the next one is awaited.
absl::StatusOr<std::vector<float>> ReceiveParameters(const AdmittedRequest& admitted,
                                                     UploadRoom& uploads, acts::ActStream& stream) {
  TW_ASSIGN_OR_RETURN(
      proto::MatrixAssembler parameters,
      proto::MatrixAssembler::Create({.rows = 1, .columns = admitted.num_parameters()}));
  std::string message;
  while (stream.Read(&message)) {
    absl::MutexLock turn(&uploads.parsing());
    v1::RunReleaseRequest part;
    if (!part.ParseFromString(message) || !part.has_parameters()) {
      return absl::InvalidArgumentError("after the header a request may hold parameters only");
    }
    TW_RETURN_IF_ERROR(parameters.Add(part.parameters()));
  }
  return std::move(parameters).Finish();
}

// The whole request, received into memory that is bounded for each principal and for all.
// The room is for what is on its way, and is left when all is there: in the queue a request counts
// as one of its places.
absl::StatusOr<ReleaseRequest> ReceiveRequest(Wall& wall, AdmittedRequest admitted,
                                              acts::ActStream& stream) {
  const int64_t bytes = int64_t{sizeof(float)} * admitted.num_parameters();
  const std::optional<UploadRoom::Place> room =
      wall.uploads().Enter(admitted.caller().principal, bytes);
  if (!room.has_value()) {
    return absl::UnavailableError(
        absl::StrCat("the server receives ", kUploadsOfOne,
                     " requests of one analyst at once, and a bounded number of all; nothing was "
                     "charged, try again"));
  }
  TW_ASSIGN_OR_RETURN(std::vector<float> parameters,
                      ReceiveParameters(admitted, wall.uploads(), stream));
  return std::move(admitted).WithParameters(std::move(parameters));
}

}  // namespace

// The queue is entered last. Entered before, a place and perhaps the turn would be held for as long
// as somebody likes to take for sending.
absl::Status AnswerRelease(Wall& wall, const Caller& caller, const v1::RunReleaseHeader& header,
                           acts::ActStream& stream) {
  TW_ASSIGN_OR_RETURN(AdmittedRequest admitted, AdmittedRequest::Admit(wall, caller, header));
  const ServedCorpus& corpus = admitted.corpus();
  absl::StatusOr<ReleaseRequest> request = ReceiveRequest(wall, std::move(admitted), stream);
  if (!request.ok()) return wall.AnswerAct(corpus, request.status());
  std::optional<release::ReleaseQueue::Place> place =
      wall.queue().Enter({.corpus = corpus.config.name(),
                          .length = corpus.config.limits().queue_length(),
                          .principal = caller.principal});
  if (!place.has_value()) {
    return wall.AnswerAct(corpus,
                          absl::UnavailableError("the corpus's queue, or your half of it, is full; "
                                                 "nothing was charged, try again"));
  }
  ReleaseStream sink(&stream);
  return RunPrivateEStep(wall, *std::move(request), std::move(*place), sink);
}

}  // namespace topicwall::server

// The word list of a corpus, checked against its description.
//
// Row v of every statistic belongs to term v, so one term missing or moved would mislabel
// everything behind it, silently. The digest is SHA-256 over each term followed by "\n" (what
// sha256sum prints for a plain word list).
// Errors: FAILED_PRECONDITION for a tokenizer this program does not know; DATA_LOSS if count
// or digest differ; INVALID_ARGUMENT if the tokenizer could never find a term; the wall's own.
// PUBLIC.
#ifndef TOPICWALL_CLIENT_FIT_CORPUS_VOCABULARY_H_
#define TOPICWALL_CLIENT_FIT_CORPUS_VOCABULARY_H_

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/sha256.h"
#include "client/wall/wall_port.h"
#include "model/data/vocabulary.h"
#include "proto/wall.pb.h"

namespace topicwall::client {

base::Digest VocabularyDigest(absl::Span<const std::string> terms);

absl::StatusOr<lda::Vocabulary> FetchVocabulary(WallPort& wall,
                                                const v1::CorpusDescription& description);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_FIT_CORPUS_VOCABULARY_H_

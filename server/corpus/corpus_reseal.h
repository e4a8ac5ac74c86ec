// Puts a corpus file under a new custodian key without touching what it holds.
//
// Every block is unsealed under the old key, checked, and sealed again under the new one
// into a new file, which is read back and checked as a whole before it takes the old
// file's place: at every moment there is one whole file under `path`. Version, unit ids,
// block layout and content key stay as they were, so budget and ledger stay valid. A file
// that is whole under the new key already is left as it is: an interrupted rekey of several
// corpora is simply repeated.
//
// Errors: INVALID_ARGUMENT if the keys differ in their identity (make the new one with
// CustodianKey::GenerateWithIdentityOf), else as in corpus_store.h and corpus_file.h. After
// an error the old file is in place.
// Cost: two passes over the corpus; memory of one block.
#ifndef TOPICWALL_SERVER_CORPUS_CORPUS_RESEAL_H_
#define TOPICWALL_SERVER_CORPUS_CORPUS_RESEAL_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "server/sealing/custodian_key.h"

namespace topicwall::corpus {

absl::Status Reseal(absl::string_view path, const sealing::CustodianKey& old_key,
                    const sealing::CustodianKey& new_key);

}  // namespace topicwall::corpus

#endif  // TOPICWALL_SERVER_CORPUS_CORPUS_RESEAL_H_

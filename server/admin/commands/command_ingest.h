// `topicwall-admin ingest`: seals documents into the corpus file that the server will read.
//
// The target is the file of the named corpus in the data directory, mode 0600; it is there
// whole or not at all. One that is there already is not replaced unless `replace` is set. If
// its version has a budget, that cannot be undone: so it is asked before anything is done, with
// what follows, as far as it is known: what becomes of the budget, and whether the new version
// can join it or only get one of its own (its privacy unit is another). `yes` answers beforehand.
// Documents that cannot be used are left out and reported by line; `strict` refuses them all
// (server/corpus/ingest/corpus_importer.h has the rules, also for lines of one name). The file of
// `attributes` (server/corpus/ingest/attribute_file.h) and the space of vectors
// (model/data/bounded_vector.h) are checked before documents are read and before anything is asked.
//
// Takes the server's lock for as long as it runs. Errors: NOT_FOUND if the configuration does
// not name the corpus; ALREADY_EXISTS; FAILED_PRECONDITION if the lock is held or nobody can be
// asked; CANCELLED; DATA_LOSS if there is a ledger that cannot be read; else as corpus::Ingest.
// After an error the data directory is as it was.
//
// Privacy: the outcome is PRIVATE but for version and attributes: counts and line numbers depend on
// the documents. It goes to the custodian's terminal and is stored nowhere.
#ifndef TOPICWALL_SERVER_ADMIN_COMMANDS_COMMAND_INGEST_H_
#define TOPICWALL_SERVER_ADMIN_COMMANDS_COMMAND_INGEST_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "server/admin/outcome.h"
#include "server/admin/question.h"
#include "server/corpus/ingest/corpus_importer.h"

namespace topicwall::admin {

struct IngestFlags {
  std::string config;
  std::string corpus;
  // But for max_units, which the configuration has, attributes and vectors.
  corpus::IngestParams documents;
  std::string attributes = {};  // a file; none: documents have no attributes
  // Of vectors, both; of text, neither.
  std::optional<int> dimension = std::nullopt;
  std::optional<double> norm_bound = std::nullopt;
  bool replace;
  bool yes = false;  // replace it, whatever follows
  Dialogue dialogue = {};
};

// `progress` may be null.
absl::StatusOr<Outcome> IngestCorpus(const IngestFlags& flags,
                                     const corpus::ImportProgress& progress);

}  // namespace topicwall::admin

#endif  // TOPICWALL_SERVER_ADMIN_COMMANDS_COMMAND_INGEST_H_

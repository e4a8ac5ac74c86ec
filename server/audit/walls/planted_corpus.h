// Documents that an audit makes up, sealed into a corpus file like anybody's.
//
//   PlantedCorpus corpus = {.vocabulary_size = 2, .documents = {{.id = "d", .counts = {{0, 3}}}}};
//   TW_ASSIGN_OR_RETURN(WrittenCorpus written, WritePlanted(corpus, path, key));
//
// Terms have no names, only numbers below V. PUBLIC. Threads: values, and a function without state.
#ifndef TOPICWALL_SERVER_AUDIT_WALLS_PLANTED_CORPUS_H_
#define TOPICWALL_SERVER_AUDIT_WALLS_PLANTED_CORPUS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/data/document.h"
#include "server/corpus/ingest/corpus_writer.h"
#include "server/sealing/custodian_key.h"

namespace topicwall::audit {

struct PlantedDocument {
  std::string id;
  std::string owner = {};  // needed if the unit is the owner
  std::vector<lda::TermCount> counts = {};
  std::vector<uint16_t> attributes = {};  // a value of each of the corpus's
  std::vector<float> vector = {};         // instead of counts, of a norm of at most 1
};
using PlantedDocuments = std::vector<PlantedDocument>;

struct PlantedCorpus {
  int vocabulary_size;  // V; of vectors d
  v1::PrivacyUnit privacy_unit = v1::PRIVACY_UNIT_DOCUMENT;
  PlantedDocuments documents;             // at least one
  std::vector<int> attribute_sizes = {};  // each at least 2: with "other"
  bool of_vectors = false;
};

// Errors as of CorpusWriter.
absl::StatusOr<corpus::WrittenCorpus> WritePlanted(const PlantedCorpus& planted,
                                                   absl::string_view path,
                                                   const sealing::CustodianKey& key);

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_WALLS_PLANTED_CORPUS_H_

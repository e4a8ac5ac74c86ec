// A corpus as another version sealed it.
#ifndef TOPICWALL_TESTS_SERVER_CORPUS_OLD_CORPUS_H_
#define TOPICWALL_TESTS_SERVER_CORPUS_OLD_CORPUS_H_

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "proto/corpus.pb.h"
#include "server/corpus/corpus_file.h"
#include "server/corpus/corpus_seal.h"
#include "server/sealing/custodian_key.h"
#include "tests/support/status_matchers.h"

namespace topicwall::corpus {

// Seals the corpus file `path` again with another manifest, of the same version and units.
inline void ChangeManifest(const std::string& path, const sealing::CustodianKey& key,
                           const std::function<void(v1::CorpusManifest&)>& change) {
  ASSERT_OK_AND_ASSIGN(const auto from, CorpusFileReader::Open(path));
  const CorpusSeal seal(from->version(), *key.CorpusSealingKey());
  v1::CorpusManifest manifest;
  ASSERT_TRUE(manifest.ParseFromString(*seal.OpenManifest(from->sealed_manifest())));
  change(manifest);
  ASSERT_OK_AND_ASSIGN(const auto to, CorpusFileWriter::Create(path, base::IfExists::kReplace));
  std::string sealed;
  for (int64_t number = 0; number < manifest.num_blocks(); ++number) {
    ASSERT_OK(from->ReadBlock(number, &sealed));
    ASSERT_OK(to->PutBlock(number, sealed));
  }
  ASSERT_OK(to->Finish(from->version(), *seal.SealManifest(manifest.SerializeAsString())));
  ASSERT_OK(to->Commit());
}

// As the first format did: no rule for duplicates in its manifest.
inline void MakeFirstFormat(const std::string& path, const sealing::CustodianKey& key) {
  ChangeManifest(path, key, [](v1::CorpusManifest& manifest) {
    manifest.set_format_version(1);
    manifest.clear_duplicates();
    manifest.clear_unjoinable();
  });
}

}  // namespace topicwall::corpus

#endif  // TOPICWALL_TESTS_SERVER_CORPUS_OLD_CORPUS_H_

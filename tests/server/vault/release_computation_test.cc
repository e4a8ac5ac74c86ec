#include "server/vault/release_computation.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/server/corpus/small_corpus.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::server {
namespace {

// All else is tests/server/vault/private_e_step_test.cc's: a computation needs a wall around it.
TEST(ReleaseComputationTest, AUnitIsBoundedByTheLimitsAndADocumentIsOne) {
  testing::TemporaryDirectory folder;
  const sealing::CustodianKey key = corpus::NewKey();
  for (const v1::PrivacyUnit unit : {v1::PRIVACY_UNIT_OWNER, v1::PRIVACY_UNIT_DOCUMENT}) {
    const bool by_owner = unit == v1::PRIVACY_UNIT_OWNER;
    const std::string path = folder.Path(by_owner ? "owners" : "documents");
    corpus::CorpusParams params = corpus::ParamsOf(unit);
    std::vector<corpus::PlainDocument> documents = corpus::PlainDocuments(9);
    if (by_owner) {
      params.attributes = corpus::WardAndMonth();
      for (corpus::PlainDocument& document : documents) document.attributes = {0, 0};
    }
    ASSERT_OK(corpus::WriteCorpus(path, params, documents, key));
    ASSERT_OK_AND_ASSIGN(auto store, corpus::CorpusStore::Open(path, key));
    ServedCorpus corpus{.config = {},
                        .store = std::move(store),
                        .decoded = {},
                        .version = "",
                        .schedule = release::ReleaseSchedule::Unprotected()};
    corpus.config.mutable_limits()->set_max_documents_per_unit(7);
    v1::ReleaseSpec plan;
    plan.set_max_tokens(50);
    const executor::UnitBounds bounds = BoundsOf(corpus, plan, 2);
    EXPECT_EQ(bounds.unit.vocabulary_size, 5);
    EXPECT_EQ(bounds.unit.max_words, 50);
    EXPECT_EQ(bounds.unit.max_documents, by_owner ? 7 : 1);
    EXPECT_EQ(bounds.num_threads, 2);
    EXPECT_FALSE(bounds.has_weights);
    // What reading takes for them is had before the charge.
    EXPECT_EQ(bounds.attribute_sizes, by_owner ? std::vector<int>({3, 3}) : std::vector<int>());
  }
}

}  // namespace
}  // namespace topicwall::server

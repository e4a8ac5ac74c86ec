#include "tests/golden/golden_corpus.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <map>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "server/random/keystream.h"
#include "server/random/secret_key.h"
#include "server/sealing/custodian_key.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::golden {
namespace {

using corpus::PlainDocument;

constexpr int kOwners = 300;

// Of a key that guards nothing: which units there are, and which are held out, follows from it.
constexpr char kKeyFile[] =
    "topicwall-custodian-key 1\n"
    "sealing 5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e\n"
    "identity 1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d\n"
    "id 45f47b7f00e517f8\n";

enum Stream : uint64_t { kDocumentStream, kTopicStream, kWeightStream };

absl::StatusOr<random::Keystream> Bits(Stream stream) {
  return random::Keystream::Create(random::SecretKey(std::array<uint8_t, 32>{60, 1, 0}), stream);
}

// The lower of two draws: low terms are often repeated.
std::vector<lda::TermCount> Words(uint64_t tokens, random::Keystream* bits) {
  std::map<uint32_t, uint32_t> counts;
  for (; tokens > 0; --tokens) {
    const uint64_t first = bits->NextBelow(kGoldenTerms);
    ++counts[static_cast<uint32_t>(std::min(first, bits->NextBelow(kGoldenTerms)))];
  }
  std::vector<lda::TermCount> words;
  for (const auto& entry : counts) words.push_back({entry.first, entry.second});
  return words;
}

PlainDocument LongDocument() {
  PlainDocument document{.id = kLongDocument, .owner = "owner-0", .counts = {}};
  uint32_t left = 5000;
  for (uint32_t term = 0; term + 1 < kGoldenTerms; ++term) {
    document.counts.push_back({term, 1 + term % 41});
    left -= 1 + term % 41;
  }
  document.counts.push_back({kGoldenTerms - 1, left});
  return document;
}

absl::StatusOr<std::unique_ptr<corpus::CorpusStore>> SealBy(
    v1::PrivacyUnit unit, const std::string& path, const std::vector<PlainDocument>& documents,
    const sealing::CustodianKey& key) {
  corpus::CorpusParams params = corpus::ParamsOf(unit);
  std::vector<std::string> terms;
  for (int term = 0; term < kGoldenTerms; ++term) {
    terms.push_back(absl::StrCat("term", std::string(1, static_cast<char>('a' + term / 26)),
                                 std::string(1, static_cast<char>('a' + term % 26))));
  }
  params.vocabulary = corpus::Words(std::move(terms));
  TW_RETURN_IF_ERROR(corpus::WriteCorpus(path, params, documents, key).status());
  return corpus::CorpusStore::Open(path, key);
}

}  // namespace

absl::StatusOr<std::vector<PlainDocument>> GoldenDocuments() {
  TW_ASSIGN_OR_RETURN(random::Keystream bits, Bits(kDocumentStream));
  std::vector<PlainDocument> documents = {
      {.id = kShortDocument, .owner = "owner-of-one-word", .counts = {{.term = 17, .count = 1}}},
      LongDocument()};
  const auto add = [&](const std::string& owner, uint64_t number) {
    for (uint64_t i = 0; i < number; ++i) {
      documents.push_back({.id = absl::StrCat(owner, "-", i),
                           .owner = owner,
                           .counts = Words(1 + bits.NextBelow(40), &bits)});
    }
  };
  add(kManyOwner, 9);
  for (int i = 0; i < kOwners - 2; ++i) add(absl::StrCat("owner-", i), 1 + bits.NextBelow(3));
  TW_RETURN_IF_ERROR(bits.status());
  return documents;
}

// In steps of 1/64, which a float has exactly, from 0 to -16 nats: some topics have next to nothing
// of a term.
absl::StatusOr<lda::LogTopics> GoldenTopics() {
  TW_ASSIGN_OR_RETURN(random::Keystream bits, Bits(kTopicStream));
  std::vector<float> values(kGoldenTopics * kGoldenTerms);
  for (float& value : values) value = -static_cast<float>(bits.NextBits(10)) / 64;
  TW_RETURN_IF_ERROR(bits.status());
  return lda::LogTopics::Create(kGoldenTopics, kGoldenTerms, std::move(values));
}

absl::StatusOr<std::vector<float>> GoldenTermWeights() {
  TW_ASSIGN_OR_RETURN(random::Keystream bits, Bits(kWeightStream));
  std::vector<float> weights(kGoldenTerms);
  for (float& weight : weights) weight = 0.25F + static_cast<float>(bits.NextBelow(225)) / 128;
  TW_RETURN_IF_ERROR(bits.status());
  return weights;
}

absl::StatusOr<GoldenCorpus> GoldenCorpus::Seal(const std::string& folder,
                                                const std::vector<PlainDocument>& documents) {
  const std::string key_file = absl::StrCat(folder, "/corpus.key");
  testing::WriteWholeFile(key_file, kKeyFile);
  std::filesystem::permissions(key_file, std::filesystem::perms::owner_read);
  TW_ASSIGN_OR_RETURN(const sealing::CustodianKey key, sealing::CustodianKey::Read(key_file));
  TW_ASSIGN_OR_RETURN(
      std::unique_ptr<corpus::CorpusStore> by_document,
      SealBy(v1::PRIVACY_UNIT_DOCUMENT, absl::StrCat(folder, "/documents.corpus"), documents, key));
  TW_ASSIGN_OR_RETURN(
      std::unique_ptr<corpus::CorpusStore> by_owner,
      SealBy(v1::PRIVACY_UNIT_OWNER, absl::StrCat(folder, "/owners.corpus"), documents, key));
  return GoldenCorpus(std::move(by_document), std::move(by_owner));
}

}  // namespace topicwall::golden

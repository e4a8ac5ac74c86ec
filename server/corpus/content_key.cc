#include "server/corpus/content_key.h"

#include <bit>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "model/data/document.h"
#include "server/random/key_derivation.h"

namespace topicwall::corpus {
namespace {

// Entries and values are hashed as they lie in memory.
static_assert(std::endian::native == std::endian::little);

template <typename T>
absl::Span<const uint8_t> BytesOf(absl::Span<const T> values) {
  return {reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(T)};
}

}  // namespace

ContentKeyBuilder::ContentKeyBuilder(const CorpusDescription& description) {
  const bool vectors = description.vectors.has_value();
  const bool plain = description.attributes.empty() && !vectors;
  // Tags of their own: a corpus without attributes keeps the key that it had before there were any.
  hash_.Update(plain     ? "topicwall corpus content 1"
               : vectors ? "topicwall corpus content 3"
                         : "topicwall corpus content 2");
  hash_.UpdateInteger(description.privacy_unit == v1::PRIVACY_UNIT_OWNER ? 2 : 1);
  hash_.UpdateString(description.tokenizer);
  hash_.Update(description.vocabulary_sha256);
  if (plain) return;
  if (vectors) {
    hash_.UpdateInteger(static_cast<uint64_t>(description.vectors->dimension));
    hash_.UpdateInteger(std::bit_cast<uint64_t>(description.vectors->norm_bound));
  }
  hash_.UpdateInteger(description.attributes.size());
  for (const model::Attribute& attribute : description.attributes) {
    hash_.UpdateString(attribute.name);
    hash_.UpdateInteger(attribute.is_date ? 1 : 0);
    hash_.UpdateInteger(attribute.values.size());
    for (const std::string& value : attribute.values) hash_.UpdateString(value);
  }
}

void ContentKeyBuilder::Add(const UnitBlock& block) {
  for (int unit = 0; unit < block.size(); ++unit) {
    hash_.Update(block.id(unit));
    // Numbers before what they count: else a document could be moved from one unit to the next,
    // which is what this key is there to find out, without changing what is hashed.
    hash_.UpdateInteger(static_cast<uint64_t>(block.num_documents(unit)));
    for (int i = 0; i < block.num_documents(unit); ++i) {
      const lda::DocumentView document = block.document(unit, i);
      hash_.UpdateInteger(document.size());
      hash_.Update(BytesOf(document));
      hash_.Update(BytesOf(block.attributes(unit, i)));
      hash_.Update(BytesOf(block.vector(unit, i)));
    }
  }
}

absl::StatusOr<base::Digest> ContentKeyBuilder::Finish(const random::SecretKey& key) && {
  // Keyed: a plain digest would confirm a guess of all documents to whoever sees it.
  return random::HmacSha256(key, std::move(hash_).Finish());
}

}  // namespace topicwall::corpus

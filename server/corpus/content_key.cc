#include "server/corpus/content_key.h"

#include <bit>
#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "model/data/document.h"
#include "server/random/key_derivation.h"

namespace topicwall::corpus {
namespace {

static_assert(std::endian::native == std::endian::little);

template <typename T>
absl::Span<const uint8_t> BytesOf(absl::Span<const T> values) {
  return {reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(T)};
}

}  // namespace

absl::StatusOr<ContentKeyBuilder> ContentKeyBuilder::Create(const CorpusDescription& description) {
  absl::StatusOr<random::Sha256Hasher> hasher = random::Sha256Hasher::Create();
  if (!hasher.ok()) return hasher.status();
  ContentKeyBuilder builder(*std::move(hasher));
  builder.hasher_.Update(random::AsBytes("topicwall corpus content 1"));
  builder.AddNumber(description.privacy_unit == PrivacyUnit::kOwner ? 2 : 1);
  builder.AddNumber(description.tokenizer.size());
  builder.hasher_.Update(random::AsBytes(description.tokenizer));
  builder.hasher_.Update(description.vocabulary_sha256);
  return builder;
}

void ContentKeyBuilder::AddNumber(uint64_t number) {
  hasher_.Update(BytesOf(absl::MakeConstSpan(&number, 1)));
}

void ContentKeyBuilder::Add(const UnitBlock& block) {
  for (int unit = 0; unit < block.size(); ++unit) {
    hasher_.Update(block.id(unit));
    AddNumber(static_cast<uint64_t>(block.num_documents(unit)));
    for (int i = 0; i < block.num_documents(unit); ++i) {
      const lda::DocumentView document = block.document(unit, i);
      AddNumber(document.size());
      hasher_.Update(BytesOf(document));
    }
  }
}

absl::StatusOr<random::Sha256Digest> ContentKeyBuilder::Finish(const random::SecretKey& key) && {
  const absl::StatusOr<random::Sha256Digest> digest = std::move(hasher_).Finish();
  if (!digest.ok()) return digest.status();
  return random::HmacSha256(key, *digest);
}

}  // namespace topicwall::corpus

#include "server/store/postgresql/postgres_values.h"

namespace topicwall::store {
namespace {

// pg_type.h is not for programs that only ask; these numbers are of all versions.
constexpr Oid kInt8 = 20;
constexpr Oid kText = 25;
constexpr Oid kBytea = 17;

}  // namespace

int64_t PostgresRow::Int64(int column) const {
  if (PQgetisnull(result_, row_, column) != 0) return 0;
  const char* bytes = PQgetvalue(result_, row_, column);
  uint64_t value = 0;
  // Answers are binary: integers come in the order of the network, whatever this machine's is.
  for (int i = 0; i < PQgetlength(result_, row_, column); ++i) {
    value = value << 8 | static_cast<uint8_t>(bytes[i]);
  }
  return static_cast<int64_t>(value);
}

std::string PostgresRow::Bytes(int column) const {
  return {PQgetvalue(result_, row_, column),
          static_cast<size_t>(PQgetlength(result_, row_, column))};
}

PostgresParameter::PostgresParameter(int64_t value) : type_(kInt8), own_(8, '\0') {
  for (int i = 0; i < 8; ++i) {
    own_[i] = static_cast<char>(static_cast<uint64_t>(value) >> (56 - 8 * i));
  }
}
PostgresParameter::PostgresParameter(absl::string_view text) : type_(kText), bytes_(text) {}
PostgresParameter::PostgresParameter(Bytea bytes) : type_(kBytea), bytes_(bytes.bytes) {}

}  // namespace topicwall::store

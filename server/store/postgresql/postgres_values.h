// What goes to the database and what comes from it, in libpq's binary format.
//
// PUBLIC or PRIVATE as the columns are. Threads: immutable; one thread an answer.
#ifndef TOPICWALL_SERVER_STORE_POSTGRESQL_POSTGRES_VALUES_H_
#define TOPICWALL_SERVER_STORE_POSTGRESQL_POSTGRES_VALUES_H_

#include <libpq-fe.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace topicwall::store {

// Marks a parameter as BYTEA; other strings are TEXT.
struct Bytea {
  absl::string_view bytes;
};

// One row of an answer. Column `column` from 0; 0 or empty where it is NULL.
class PostgresRow {
 public:
  PostgresRow(const PGresult* result, int row) : result_(result), row_(row) {}
  int64_t Int64(int column) const;
  std::string Bytes(int column) const;

 private:
  const PGresult* result_;
  int row_;
};

// A parameter as it goes to the database: binary, with its type.
class PostgresParameter {
 public:
  explicit PostgresParameter(int64_t value);
  explicit PostgresParameter(absl::string_view text);
  explicit PostgresParameter(Bytea bytes);

  Oid type() const { return type_; }
  absl::string_view bytes() const { return own_.empty() ? bytes_ : own_; }

 private:
  Oid type_;
  std::string own_;  // of an integer, in the order of the network
  absl::string_view bytes_;
};

struct PostgresStatement {
  std::string sql;
  std::vector<PostgresParameter> parameters;  // they lie where they came from
  bool changes_one_row = true;                // or it fails
};

}  // namespace topicwall::store

#endif  // TOPICWALL_SERVER_STORE_POSTGRESQL_POSTGRES_VALUES_H_

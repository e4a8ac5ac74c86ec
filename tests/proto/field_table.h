// All messages of the wire and of the disk, as tests/golden/fields.csv lists them.
//
// PUBLIC. Pure.
#ifndef TOPICWALL_TESTS_PROTO_FIELD_TABLE_H_
#define TOPICWALL_TESTS_PROTO_FIELD_TABLE_H_

#include <string>

namespace topicwall::proto {

// Where the table is checked in, below the source tree.
inline constexpr char kFieldTablePath[] = "tests/golden/fields.csv";

// One row for each field and each value of an enumeration: message, number, name, type.
std::string FieldTable();

}  // namespace topicwall::proto

#endif  // TOPICWALL_TESTS_PROTO_FIELD_TABLE_H_

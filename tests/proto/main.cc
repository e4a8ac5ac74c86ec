// proto_test             runs the tests, as any gtest program
// proto_test --write F   writes the fields of all messages to F, in the form of fields.csv
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "absl/strings/string_view.h"
#include "tests/proto/field_table.h"

int main(int argc, char** argv) {
  if (argc == 3 && absl::string_view(argv[1]) == "--write") {
    std::ofstream file(argv[2]);
    file << topicwall::proto::FieldTable() << std::flush;
    if (file.good()) return 0;
    std::fprintf(stderr, "%s cannot be written\n", argv[2]);
    return 1;
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}

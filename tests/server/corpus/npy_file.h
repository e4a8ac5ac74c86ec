// NumPy's file of a matrix, for tests.
#ifndef TOPICWALL_TESTS_SERVER_CORPUS_NPY_FILE_H_
#define TOPICWALL_TESTS_SERVER_CORPUS_NPY_FILE_H_

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace topicwall::corpus {

// At least one row, all of one length; as float64 or float32.
inline std::string NpyFile(const std::vector<std::vector<double>>& rows, bool doubles) {
  std::string header =
      absl::StrCat("{'descr': '", doubles ? "<f8" : "<f4", "', 'fortran_order': False, 'shape': (",
                   rows.size(), ", ", rows[0].size(), "), }");
  header.resize(117, ' ');
  std::string file = absl::StrCat(std::string("\x93NUMPY\x01\x00v\x00", 10), header, "\n");
  for (const std::vector<double>& row : rows) {
    for (const double number : row) {
      const auto rounded = static_cast<float>(number);
      file.append(doubles ? reinterpret_cast<const char*>(&number)
                          : reinterpret_cast<const char*>(&rounded),
                  doubles ? sizeof(number) : sizeof(rounded));
    }
  }
  return file;
}

}  // namespace topicwall::corpus

#endif  // TOPICWALL_TESTS_SERVER_CORPUS_NPY_FILE_H_

#include "client/topics/numpy_archive.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/hex.h"
#include "base/sha256.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace {

// The bytes that Python 3.11 and NumPy 1.24 write: zipfile.ZipFile without compression, a ZipInfo
// of 1980-01-01 for each array with create_system and external_attr 0,
// numpy.lib.format.write_array, version (1, 0), of
//   small  [[1, 2, 3], [-4, 0.5, 6]], <f4     one  [2.5], <f8     words  ["fig", "été", "🍐x"]
TEST(NumpyArchiveTest, IsByteForByteWhatNumpyWrites) {
  const std::vector<float> small = {1, 2, 3, -4, .5, 6};
  const std::vector<double> one = {2.5};
  NumpyArchive archive;
  archive.Add("small", small, {2, 3});
  archive.Add("one", one, {1});
  archive.AddTexts("words", {"fig", "été", "🍐x"});
  ASSERT_OK_AND_ASSIGN(const auto bytes, archive.Bytes());
  EXPECT_EQ(bytes.size(), 752U);
  EXPECT_EQ(base::Hex(base::Sha256Of(bytes)),
            "be8ce74d84c4f517ff13105b740dd62fab27f4e624233a5ae4eb7e9e0077db43");
}

// All texts are as long as the longest: 100,000 of 100,000 letters would be 40 GB.
TEST(NumpyArchiveTest, OneVeryLongWordIsAnErrorAndDoesNotFillTheMemory) {
  std::vector<std::string> words(100'000, "fig");
  words[7] = std::string(100'000, 'x');
  NumpyArchive archive;
  archive.AddTexts("words", words);
  EXPECT_THAT(archive.Bytes(), testing::StatusIs(absl::StatusCode::kOutOfRange));
}

}  // namespace
}  // namespace topicwall::client

// What NumPy and scikit-learn make of the arrays is in tests/client/python/test_gaussians.py.
#include "client/topics/gaussian_export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/client/topics/made_up_gaussians.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace gaussian_export_test {

using ::testing::HasSubstr;
using ::testing::Not;
using ::topicwall::testing::StatusIs;

TEST(GaussianExportTest, CsvHasARowForEachComponentAndDimensionInTheUnitsOfTheVectors) {
  ASSERT_OK_AND_ASSIGN(const auto csv, ExportGaussians(MadeUpGaussians(), "csv"));
  EXPECT_EQ(csv,
            "component,weight,dimension,mean,variance\r\n"
            "1,0.25,1,1.0,0.04\r\n"
            "1,0.25,2,0.0,0.04\r\n"
            "1,0.25,3,0.0,0.04\r\n"
            "2,0.75,1,0.0,0.04\r\n"
            "2,0.75,2,-0.5,0.04\r\n"
            "2,0.75,3,1.0,0.04\r\n");
}

TEST(GaussianExportTest, AMocksArraysSaySo) {
  v1::ModelFile model = MadeUpGaussians();
  EXPECT_THAT(*ExportGaussians(model, "npz"), Not(HasSubstr("MOCK.npy")));
  model.set_custodian_id("MOCK");
  EXPECT_THAT(*ExportGaussians(model, "npz"), HasSubstr("MOCK.npy"));
}

TEST(GaussianExportTest, WhatIsOfWordsIsRefusedAndSaysWhatTakesIt) {
  for (const char* format : {"mm", "pyldavis"}) {
    EXPECT_THAT(ExportGaussians(MadeUpGaussians(), format),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("npz and csv take it")));
  }
  EXPECT_THAT(ExportGaussians(MadeUpGaussians(), "xml"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("npz, csv, mm, pyldavis")));
}

}  // namespace gaussian_export_test
}  // namespace topicwall::client

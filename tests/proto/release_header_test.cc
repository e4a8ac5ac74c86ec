#include "proto/release_header.h"

#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <string>

namespace topicwall::proto {
namespace {

using google::protobuf::FieldDescriptor;

// Another value in every field, whatever fields there are.
v1::StoredRelease Full() {
  v1::StoredRelease stored;
  const google::protobuf::Reflection& reflection = *stored.GetReflection();
  for (int i = 0; i < stored.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor* const field = stored.GetDescriptor()->field(i);
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_DOUBLE:
        reflection.SetDouble(&stored, field, i + 0.5);
        break;
      case FieldDescriptor::CPPTYPE_FLOAT:
        reflection.AddFloat(&stored, field, static_cast<float>(i) + 0.5F);
        break;
      case FieldDescriptor::CPPTYPE_INT64:
        reflection.SetInt64(&stored, field, i + 1);
        break;
      case FieldDescriptor::CPPTYPE_STRING:
        reflection.SetString(&stored, field, "field " + std::to_string(i));
        break;
      default:
        ADD_FAILURE() << "a kind of field that this test does not fill: " << field->name();
    }
  }
  return stored;
}

// A field that one side forgets would make every release look forged.
TEST(ReleaseHeaderTest, EveryFieldThatIsStoredReachesTheAnalystAndTheDigest) {
  const v1::StoredRelease stored = Full();
  EXPECT_EQ(StoredOf(HeaderOf(stored)).SerializeAsString(), stored.SerializeAsString());
}

}  // namespace
}  // namespace topicwall::proto

#include "proto/release_spec.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <string>

#include "base/sha256.h"

namespace topicwall::proto {
namespace {

std::string BytesOf(const v1::ReleaseSpec& spec) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream output(&stream);
    // Compared as bytes, by this program with itself: no other serializer's bytes come in. Fields
    // compared one by one would let -0.0 equal 0.0, and would not know of a field that is added
    // later.
    output.SetSerializationDeterministic(true);
    spec.SerializeToCodedStream(&output);
  }
  return bytes;
}

}  // namespace

v1::ReleaseSpec RecordOf(const v1::ReleaseSpec& spec) {
  v1::ReleaseSpec record = spec;
  // Before the record is priced and signed: nothing may stand in a chain that this program cannot
  // read.
  record.DiscardUnknownFields();
  if (!spec.has_weights()) return record;
  if (spec.weights().empty()) {
    record.clear_weighting();
  } else {
    record.set_weights_sha256(base::DigestBytes(base::Sha256Of(spec.weights())));
  }
  return record;
}

bool SameSpec(const v1::ReleaseSpec& a, const v1::ReleaseSpec& b) {
  return BytesOf(a) == BytesOf(b);
}

}  // namespace topicwall::proto

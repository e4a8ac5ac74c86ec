// What somebody who has nothing but the .proto files computes is what we compute. The vectors in
// tests/golden/wire_vectors.json were made by another program, in another language.
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "base/sha256.h"
#include "proto/ledger_chain.h"
#include "proto/request_digest.h"
#include "proto/signature.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::proto {
namespace {

using google::protobuf::Struct;

google::protobuf::Value Vectors(const std::string& part) {
  const std::string text = testing::ReadWholeFile(TOPICWALL_GOLDEN_DIR "/wire_vectors.json");
  Struct all;
  EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(text, &all).ok());
  return all.fields().at(part);
}

std::string Text(const Struct& object, const std::string& field) {
  return object.fields().at(field).string_value();
}
double Number(const Struct& object, const std::string& field) {
  return object.fields().at(field).number_value();
}
std::string Bytes(const Struct& object, const std::string& field) {
  return absl::HexStringToBytes(Text(object, field));
}

TEST(WireVectorsTest, TheDigestOfARequest) {
  const Struct vector = Vectors("request_digest").struct_value();
  v1::RunReleaseHeader header;
  header.set_plan_id(Text(vector, "plan_id"));
  header.set_iteration(static_cast<int>(Number(vector, "iteration")));
  header.set_clip_norm(Number(vector, "clip_norm"));
  v1::ReleaseSpec plan;
  plan.set_model(Text(vector, "model"));
  plan.set_options(Bytes(vector, "options"));
  std::vector<float> parameters;
  for (const auto& value : vector.fields().at("parameters").list_value().values()) {
    parameters.push_back(static_cast<float>(value.number_value()));
  }
  EXPECT_EQ(base::DigestBytes(RequestDigest(header, plan, parameters)), Bytes(vector, "sha256"));
  header.set_direction_noise(Number(vector, "direction_noise"));
  EXPECT_EQ(base::DigestBytes(RequestDigest(header, plan, parameters)),
            Bytes(vector, "sha256_with_direction_noise"));
}

TEST(WireVectorsTest, TheDigestOfAVocabulary) {
  const Struct vector = Vectors("vocabulary").struct_value();
  std::string text;
  for (const auto& term : vector.fields().at("terms").list_value().values()) {
    text += term.string_value() + "\n";
  }
  EXPECT_EQ(base::DigestBytes(base::Sha256Of(text)), Bytes(vector, "sha256"));
}

TEST(WireVectorsTest, CommitmentsAndHeadsOfAChain) {
  const google::protobuf::Value chain = Vectors("chain");
  std::string head = GenesisHead();
  int entries = 0;
  for (const auto& value : chain.list_value().values()) {
    const Struct& entry = value.struct_value();
    const std::string commitment = EventCommitment(Bytes(entry, "salt"), Text(entry, "event"));
    EXPECT_EQ(commitment, Bytes(entry, "commitment"));
    head = NextHead(head, commitment);
    EXPECT_EQ(head, Bytes(entry, "head"));
    ++entries;
  }
  EXPECT_EQ(entries, 2);
}

TEST(WireVectorsTest, SignaturesUnderTheTagOfWhatTheySign) {
  const Struct vector = Vectors("signature").struct_value();
  const std::string key = Bytes(vector, "public_key");
  const std::string bytes = Text(vector, "bytes");
  EXPECT_TRUE(IsSignedBy(key, SignedMatter::kReceipt, bytes, Bytes(vector, "receipt")));
  EXPECT_TRUE(IsSignedBy(key, SignedMatter::kStatement, bytes, Bytes(vector, "statement")));
  EXPECT_FALSE(IsSignedBy(key, SignedMatter::kStatement, bytes, Bytes(vector, "receipt")));
}

}  // namespace
}  // namespace topicwall::proto

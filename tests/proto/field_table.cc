#include "tests/proto/field_table.h"

#include <google/protobuf/descriptor.h>

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "proto/corpus.pb.h"
#include "proto/ledger.pb.h"
#include "proto/model.pb.h"
#include "proto/models/gaussian.pb.h"
#include "proto/models/lda.pb.h"
#include "proto/models/lengths.pb.h"
#include "proto/models/mixture.pb.h"
#include "proto/models/prevalence.pb.h"
#include "proto/report.pb.h"
#include "proto/store.pb.h"
#include "proto/wall.pb.h"
#include "proto/wall_config.pb.h"

namespace topicwall::proto {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptor;

constexpr char kComment[] =
    "# The fields of all messages that are sent or kept. What was written once is read for ever: "
    "a\n"
    "# row is added, and none is changed or given to another field. Of one that is taken away the\n"
    "# number stays reserved.\n"
    "# Written by: proto_test --write tests/golden/fields.csv\n"
    "message,number,name,type\n";

// By message and number.
using Rows = std::map<std::pair<std::string, int>, std::string>;

std::string TypeOf(const FieldDescriptor& field) {
  std::string type = field.type_name();
  if (field.message_type() != nullptr) type = field.message_type()->full_name();
  if (field.enum_type() != nullptr) type = field.enum_type()->full_name();
  if (field.is_repeated())
    return absl::StrCat("repeated ", type, field.is_packed() ? " packed" : "");
  if (const auto* oneof = field.real_containing_oneof(); oneof != nullptr) {
    return absl::StrCat("oneof ", oneof->name(), " ", type);
  }
  return absl::StrCat(field.has_optional_keyword() ? "optional " : "", type);
}

void Add(const EnumDescriptor& values, Rows* rows) {
  for (int i = 0; i < values.value_count(); ++i) {
    const auto& value = *values.value(i);
    (*rows)[{values.full_name(), value.number()}] = absl::StrCat(value.name(), ",value");
  }
}

void Add(const Descriptor& message, Rows* rows) {
  for (int i = 0; i < message.field_count(); ++i) {
    const FieldDescriptor& field = *message.field(i);
    (*rows)[{message.full_name(), field.number()}] = absl::StrCat(field.name(), ",", TypeOf(field));
  }
  for (int i = 0; i < message.enum_type_count(); ++i) Add(*message.enum_type(i), rows);
  for (int i = 0; i < message.nested_type_count(); ++i) Add(*message.nested_type(i), rows);
}

}  // namespace

std::string FieldTable() {
  Rows rows;
  for (const FileDescriptor* file :
       {v1::ReleaseSpec::descriptor()->file(), v1::LedgerEvent::descriptor()->file(),
        v1::WallConfig::descriptor()->file(), v1::CheckpointFile::descriptor()->file(),
        v1::CorpusManifest::descriptor()->file(), v1::Report::descriptor()->file(),
        // What a chain keeps of a plan.
        v1::LdaOptions::descriptor()->file(), v1::MixtureOptions::descriptor()->file(),
        v1::GaussianOptions::descriptor()->file(), v1::PrevalenceOptions::descriptor()->file(),
        v1::LengthOptions::descriptor()->file()}) {
    for (int i = 0; i < file->enum_type_count(); ++i) Add(*file->enum_type(i), &rows);
    for (int i = 0; i < file->message_type_count(); ++i) Add(*file->message_type(i), &rows);
  }
  // Of the messages between two processes these are also kept.
  Add(*v1::SeenHeads::descriptor(), &rows);
  Add(*v1::StoreChain::descriptor(), &rows);
  std::string table = kComment;
  for (const auto& [place, row] : rows) {
    absl::StrAppend(&table, place.first, ",", place.second, ",", row, "\n");
  }
  return table;
}

}  // namespace topicwall::proto

// Vocabulary, output, documents, in this order: what can be refused at once is refused before hours
// of reading. Then every line is read and taken or left out by itself; only at the end is it asked
// whether the ingestion as a whole is refused, so that the custodian sees all that is wrong at one
// time.
//
// Which lines are taken must not depend on their neighbours, or one person's document would decide
// about somebody else's; the writer sees to the same for lines of one name (unit_content.h). A
// refusal of the whole is no exception: it makes no corpus.
#include "server/corpus/ingest/corpus_importer.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "model/data/tokenizer.h"
#include "model/data/vocabulary.h"
#include "server/corpus/ingest/bag_of_words_reader.h"
#include "server/corpus/ingest/corpus_writer.h"
#include "server/corpus/ingest/json_lines_reader.h"
#include "server/corpus/ingest/npy_reader.h"
#include "server/corpus/ingest/text_folder_reader.h"
#include "server/corpus/ingest/vocabulary_file.h"

namespace topicwall::corpus {
namespace {

constexpr int64_t kDocumentsBetweenProgress = 1000;

absl::StatusOr<std::unique_ptr<DocumentReader>> OpenDocuments(const IngestParams& params,
                                                              const lda::Vocabulary& vocabulary) {
  switch (params.format) {
    case DocumentFormat::kJsonLines:
      return JsonLinesReader::Open(params.documents, params.privacy_unit, vocabulary,
                                   params.attributes, params.vectors);
    case DocumentFormat::kBagOfWords:
      return BagOfWordsReader::Open(params.documents, vocabulary);
    case DocumentFormat::kTextFolder:
      return TextFolderReader::Open(params.documents, vocabulary);
    case DocumentFormat::kNpy:
      return NpyReader::Open(params.documents, *params.vectors);
  }
  return absl::InvalidArgumentError("format must be one of those of corpus_importer.h");
}

// Adds every usable document to `writer` and says in `report` what became of each.
class Import {
 public:
  Import(DocumentReader& reader, CorpusWriter& writer) : reader_(reader), writer_(writer) {}

  absl::Status Run(const ImportProgress& progress) {
    SourceDocument document;
    for (int64_t seen = 0;; ++seen) {
      if (progress != nullptr && seen % kDocumentsBetweenProgress == 0) {
        // How far it is and how many there were is for the terminal of the one who has the
        // documents.
        progress(reader_.FractionRead(), seen);
      }
      TW_ASSIGN_OR_RETURN(const bool found, reader_.Next(&document));
      if (!found) {
        if (progress != nullptr) progress(1.0, seen);
        return absl::OkStatus();
      }
      TW_RETURN_IF_ERROR(Take(document));
    }
  }

  ImportReport& report() { return report_; }
  int64_t without_owner() const { return without_owner_; }

 private:
  absl::Status Take(const SourceDocument& document) {
    if (document.problem != Problem::kNone) {
      Reject(document, document.problem);
      return absl::OkStatus();
    }
    ++report_.accepted;
    return writer_.Add(document.id, document.owner, document.counts, document.line,
                       document.attributes, document.vector);
  }

  void Reject(const SourceDocument& document, Problem problem) {
    ++report_.rejected;
    // Counted beside the others: they refuse all, whatever `strict` says.
    if (problem == Problem::kNoOwner) ++without_owner_;
    if (report_.first_rejected.size() == kRejectedDocumentsNamed) return;
    report_.first_rejected.push_back(
        {.line = document.line, .name = document.name, .problem = problem});
  }

  DocumentReader& reader_;
  CorpusWriter& writer_;
  ImportReport report_ = {};
  int64_t without_owner_ = 0;
};

// Every rejected document that is named, for an ingestion that is refused.
absl::Status Refused(absl::string_view rule, const ImportReport& report) {
  std::string message(rule);
  if (report.rejected > 0) absl::StrAppend(&message, ". Rejected:");
  for (const RejectedDocument& rejected : report.first_rejected) {
    absl::StrAppend(&message, "\n  ", Describe(rejected));
  }
  const int64_t unnamed = report.rejected - static_cast<int64_t>(report.first_rejected.size());
  if (unnamed > 0) absl::StrAppend(&message, "\n  and ", unnamed, " more");
  return absl::InvalidArgumentError(message);
}

absl::Status CheckRefusals(const IngestParams& params, const ImportReport& report,
                           int64_t without_owner) {
  if (without_owner > 0) {
    return Refused(absl::StrCat("every document must name its owner, since the privacy unit is "
                                "the owner; ",
                                without_owner,
                                " do not. Give each its owner, or let the document be the unit"),
                   report);
  }
  if (params.strict && report.rejected > 0) {
    return Refused("every document must be usable, since the ingestion is strict", report);
  }
  if (report.accepted == 0) {
    return Refused("a corpus must hold at least one usable document", report);
  }
  return absl::OkStatus();
}

absl::Status CheckParams(const IngestParams& params) {
  const bool json = params.format == DocumentFormat::kJsonLines;
  // Nobody is made an owner by default: documents of one person that have each another owner would
  // be protected one by one.
  if (params.privacy_unit == v1::PRIVACY_UNIT_OWNER && !json) {
    return absl::InvalidArgumentError(
        "privacy unit owner needs documents as JSON lines: no other format names owners");
  }
  if (!params.attributes.empty() && !json) {
    return absl::InvalidArgumentError(
        "attributes need documents as JSON lines: no other format names values of them");
  }
  const bool npy = params.format == DocumentFormat::kNpy;
  if (npy && !params.vectors.has_value()) {
    return absl::InvalidArgumentError(
        "documents as .npy are vectors: their dimension and norm bound must be given");
  }
  if (!json && !npy && params.vectors.has_value()) {
    return absl::InvalidArgumentError("vectors need documents as JSON lines or .npy");
  }
  if (!params.vectors.has_value() && params.vocabulary.empty()) {
    return absl::InvalidArgumentError(
        "vocabulary must be a file for documents of text: a public word list");
  }
  if (params.vectors.has_value()) {
    TW_RETURN_IF_ERROR(CheckVectorSpace(*params.vectors));
  }
  return model::CheckAttributes(params.attributes);
}

// Where a document's id is but its place, no other corpus has the same documents by name.
bool HasIds(DocumentFormat format) {
  return format == DocumentFormat::kJsonLines || format == DocumentFormat::kTextFolder;
}

const char* TokenizerOf(const IngestParams& params) {
  if (params.vectors.has_value()) return lda::kVectorsTokenizerName;
  return params.format == DocumentFormat::kBagOfWords ? lda::kCountsTokenizerName
                                                      : lda::kTokenizerName;
}

absl::StatusOr<lda::Vocabulary> VocabularyOf(const IngestParams& params) {
  if (!params.vectors.has_value()) {
    const bool counts = params.format == DocumentFormat::kBagOfWords;
    return ReadVocabularyFile(params.vocabulary, counts ? TermUse::kLabels : TermUse::kTokens);
  }
  const int dimension = params.vectors->dimension;
  if (params.vocabulary.empty()) {
    std::vector<std::string> names;
    for (int i = 1; i <= dimension; ++i) names.push_back(absl::StrCat("x", i));
    return lda::Vocabulary::CreateOpaque(std::move(names));
  }
  absl::StatusOr<lda::Vocabulary> names = ReadVocabularyFile(params.vocabulary, TermUse::kLabels);
  if (names.ok() && names->size() != static_cast<size_t>(dimension)) {
    return absl::InvalidArgumentError(
        absl::StrCat(params.vocabulary, " must have a name for each of ", dimension,
                     " dimensions; it has ", names->size(), " lines"));
  }
  return names;
}

}  // namespace

std::string Describe(const RejectedDocument& rejected) {
  // A name is a file's or a number, never text of a document; it may still hold what a terminal
  // obeys.
  std::string place = absl::StrCat("line ", rejected.line);
  if (!rejected.name.empty()) absl::StrAppend(&place, " (", absl::CHexEscape(rejected.name), ")");
  return absl::StrCat(place, " ", Describe(rejected.problem));
}

absl::StatusOr<ImportReport> Ingest(const IngestParams& params, const sealing::CustodianKey& key,
                                    absl::string_view output, const ImportProgress& progress) {
  TW_RETURN_IF_ERROR(CheckParams(params));
  TW_ASSIGN_OR_RETURN(lda::Vocabulary terms, VocabularyOf(params));
  const auto vocabulary = std::make_shared<const lda::Vocabulary>(std::move(terms));
  TW_ASSIGN_OR_RETURN(std::unique_ptr<CorpusWriter> writer,
                      CorpusWriter::Create(output,
                                           {{.privacy_unit = params.privacy_unit,
                                             .tokenizer = TokenizerOf(params),
                                             .vocabulary = vocabulary,
                                             .duplicates = params.duplicates,
                                             .unjoinable = !HasIds(params.format),
                                             .attributes = params.attributes,
                                             .vectors = params.vectors},
                                            params.max_units},
                                           key));
  TW_ASSIGN_OR_RETURN(std::unique_ptr<DocumentReader> reader, OpenDocuments(params, *vocabulary));

  Import import(*reader, *writer);
  TW_RETURN_IF_ERROR(import.Run(progress));
  TW_RETURN_IF_ERROR(CheckRefusals(params, import.report(), import.without_owner()));
  TW_ASSIGN_OR_RETURN(const WrittenCorpus written, writer->Finish());
  import.report().version = written.version;
  import.report().num_units = written.num_units;
  // They went into documents that are counted already.
  import.report().accepted -= written.repeated_lines;
  import.report().repeated_lines = written.repeated_lines;
  import.report().cut_units = written.cut_units;
  return std::move(import.report());
}

}  // namespace topicwall::corpus

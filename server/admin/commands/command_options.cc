#include "server/admin/commands/command_options.h"

#include <map>
#include <string>

#include "absl/strings/match.h"

namespace topicwall::admin {

namespace {

void AddDuplicates(base::Command command, corpus::IngestParams& documents) {
  base::Option merge = command.AddFlag(
      "--merge-duplicates", [&] { documents.duplicates = v1::DUPLICATE_RULE_MERGE; },
      "Lines of one owner and id (of one id, if the unit is the document) are one document, counts "
      "are added. Without this or --leave-out they refuse the ingestion");
  command
      .AddFlag(
          "--leave-out", [&] { documents.duplicates = v1::DUPLICATE_RULE_LEAVE_OUT; },
          "Such lines are one document with each word's largest count: what repeats is left out")
      .Excludes(merge);
}

void AddVectors(base::Command command, IngestFlags& flags) {
  base::Option dimension = command.Add(
      "--vectors", flags.dimension,
      "Documents are vectors of so many numbers, at most 1024, in place of text: a line "
      "is {\"id\", \"vector\", \"owner\"}, or --format npy");
  base::Option bound = command.Add(
      "--norm-bound", flags.norm_bound,
      "Longer vectors are scaled to this length. Public: from how the vectors were made (1 where "
      "they are normalised), never computed from them");
  dimension.Needs(bound);
  bound.Needs(dimension);
}

}  // namespace

void AddOptions(base::Command command, IngestFlags& flags) {
  command.Add("--corpus", flags.corpus, "Its name in the configuration").Required();
  corpus::IngestParams& documents = flags.documents;
  command.Add("--documents", documents.documents, "A file, or the folder of texts").Required();
  using corpus::DocumentFormat;
  const std::map<std::string, DocumentFormat> formats = {
      {"jsonl", DocumentFormat::kJsonLines},
      {"uci", DocumentFormat::kBagOfWords},
      {"text-folder", DocumentFormat::kTextFolder},
      {"npy", DocumentFormat::kNpy}};
  documents.format = DocumentFormat::kJsonLines;
  // The one rule under which no line's meaning is guessed.
  documents.duplicates = v1::DUPLICATE_RULE_REFUSE;
  command.AddChoice("--format", documents.format, formats,
                    "jsonl (default): a line is {\"id\", \"text\", \"owner\"}; uci: bag of words; "
                    "text-folder: every .txt file is a document; npy: every row of NumPy's file is "
                    "a vector");
  command.Add(
      "--vocabulary", documents.vocabulary,
      "The public word list, a word to a line; never counted from the documents. A word of a "
      "text is a run of ASCII letters, lower-cased, and of any characters beyond ASCII. "
      "debian-words.txt in /usr/share/topicwall-server (deploy/ in the source) is an English "
      "one; count-words beside it makes others, from public text. Of vectors it may be left out, "
      "or names the dimensions");
  AddVectors(command, flags);
  const std::map<std::string, v1::PrivacyUnit> units = {{"document", v1::PRIVACY_UNIT_DOCUMENT},
                                                        {"owner", v1::PRIVACY_UNIT_OWNER}};
  command
      .AddChoice("--privacy-unit", documents.privacy_unit, units,
                 "What the guarantee hides: one document, or all documents of one owner")
      .Required();
  command.Add(
      "--attributes", flags.attributes,
      "What documents may differ in beside words, as text of an AttributeList "
      "(proto/corpus.proto in /usr/share/topicwall-server): names of their fields and the values "
      "that are told apart. "
      "Public, like the word list: typed, never counted from the documents. JSON lines only");
  command.Check([&]() -> absl::Status {
    // Otherwise every line of it would be refused, one by one.
    if (documents.format != DocumentFormat::kNpy && absl::EndsWith(documents.documents, ".npy")) {
      return absl::InvalidArgumentError(
          "--format must be npy for documents in a file .npy. Add --format npy.");
    }
    // A text without a word list is an error of usage, as it is for any option that is required.
    if (!documents.vocabulary.empty() || flags.dimension.has_value()) return absl::OkStatus();
    return absl::InvalidArgumentError("--vocabulary is required, but for --vectors");
  });
  command.AddFlag("--strict", documents.strict,
                  "Refuse all documents if one cannot be used, instead of leaving it out");
  AddDuplicates(command, documents);
  command.AddFlag("--replace", flags.replace,
                  "Take the place of the corpus file; the old version's budget stays in the "
                  "ledger");
  command.AddFlag("--yes", flags.yes, "Replace without asking, also if it has a budget");
}

void AddOptions(base::Command command, ThawFlags& flags) {
  base::Option corpus =
      command.Add("--corpus", flags.corpus, "A name, or the 32 digits of a version");
  base::Command ground = command.AddGroup("ground", "Exactly one of");
  ground
      .Add("--head", flags.head, "The last head that an auditor or analyst noted: nothing was lost")
      .Excludes(corpus);
  ground.Add("--events", flags.events, "What `topicwall ledger --events` wrote: counts as spent")
      .Excludes(corpus);
  // A head or an export finds its budget by itself; the other two grounds are of one that is named.
  base::Option receipts = command.Add(
      "--receipts", flags.receipts,
      "Every receipts.pb that analysts' clients keep, of everybody who ever had a plan");
  base::Option unseen = command.AddFlag(
      "--forfeit-unseen", flags.forfeit_unseen,
      "Somebody's receipts are not to be had: everything that was left counts as spent");
  ground.AddFlag("--forfeit", flags.forfeit, "Nobody knows: the whole budget counts as spent")
      .Needs(corpus);
  ground
      .AddFlag("--acknowledge-overruns", flags.acknowledge_overruns,
               "The corpus was paused by late releases and may go on")
      .Needs(corpus);
  ground.RequireOption();
  for (base::Option evidence : {receipts, unseen}) evidence.Excludes(corpus);
}

}  // namespace topicwall::admin

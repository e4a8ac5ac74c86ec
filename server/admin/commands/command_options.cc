#include "server/admin/commands/command_options.h"

#include <map>
#include <string>

namespace topicwall::admin {

namespace {

void AddDuplicates(CLI::App* command, corpus::IngestParams& documents) {
  using corpus::DuplicateRule;
  CLI::Option* merge = command->add_flag_callback(
      "--merge-duplicates", [&] { documents.duplicates = DuplicateRule::kMerge; },
      "Lines of one owner and id (of one id, if the unit is the document) are one document, counts "
      "are added. Without this or --leave-out they refuse the ingestion");
  command
      ->add_flag_callback(
          "--leave-out", [&] { documents.duplicates = DuplicateRule::kLeaveOut; },
          "Such lines are one document with each word's largest count: what repeats is left out")
      ->excludes(merge);
}

}  // namespace

void AddOptions(CLI::App* command, IngestFlags& flags) {
  command->add_option("--corpus", flags.corpus, "Its name in the configuration")->required();
  corpus::IngestParams& documents = flags.documents;
  command->add_option("--documents", documents.documents, "A file, or the folder of texts")
      ->required();
  using corpus::DocumentFormat;
  const std::map<std::string, DocumentFormat> formats = {
      {"jsonl", DocumentFormat::kJsonLines},
      {"uci", DocumentFormat::kBagOfWords},
      {"text-folder", DocumentFormat::kTextFolder}};
  documents.format = DocumentFormat::kJsonLines;
  documents.duplicates = corpus::DuplicateRule::kRefuse;
  command
      ->add_option("--format", documents.format,
                   "jsonl (default): a line is {\"id\", \"text\", \"owner\"}; uci: bag of words; "
                   "text-folder: every .txt file is a document")
      ->transform(CLI::CheckedTransformer(formats).description("{jsonl,uci,text-folder}"));
  command
      ->add_option("--vocabulary", documents.vocabulary,
                   "The public word list, a word to a line; never counted from the documents. "
                   "deploy/debian-words.txt is an English one; deploy/count-words makes others, "
                   "from public text")
      ->required();
  const std::map<std::string, corpus::PrivacyUnit> units = {
      {"document", corpus::PrivacyUnit::kDocument}, {"owner", corpus::PrivacyUnit::kOwner}};
  command
      ->add_option("--privacy-unit", documents.privacy_unit,
                   "What the guarantee hides: one document, or all documents of one owner")
      ->required()
      ->transform(CLI::CheckedTransformer(units).description("{document,owner}"));
  command->add_flag("--strict", documents.strict,
                    "Refuse all documents if one cannot be used, instead of leaving it out");
  AddDuplicates(command, documents);
  command->add_flag("--replace", flags.replace,
                    "Take the place of the corpus file; the old version's budget stays in the "
                    "ledger");
  command->add_flag("--yes", flags.yes, "Replace without asking, also if it has a budget");
}

void AddOptions(CLI::App* command, AuditFlags& flags) {
  command->add_option("--part", flags.parts, "Only this part; may be repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->check(CLI::IsMember(AuditParts()));
  command->add_flag(
      "--long", flags.long_run,
      "A hundred times the effort, and a real clock: some twenty minutes, not one or two");
  command->add_option("--releases", flags.releases,
                      "Releases that statistics are made from (100; with --long 10000)");
  command->add_option("--pairs", flags.pairs,
                      "Neighbouring corpora to make up (60; with --long 3000)");
  command->add_option("--false-alarm", flags.false_alarm,
                      "Probability that a wall without defects fails the run (1e-6)");
  command->add_option("--seed", flags.seed,
                      "Choose what an earlier run chose: the 32 digits that it printed first");
  command->add_option("--scratch", flags.scratch,
                      "Where the audit's own folder is made for as long as it runs");
}

void AddOptions(CLI::App* command, ThawFlags& flags) {
  CLI::Option* corpus =
      command->add_option("--corpus", flags.corpus, "A name, or the 32 digits of a version");
  CLI::Option_group* ground = command->add_option_group("ground", "Exactly one of");
  ground
      ->add_option("--head", flags.head,
                   "The last head that an auditor or analyst noted: nothing was lost")
      ->excludes(corpus);
  ground
      ->add_option("--events", flags.events,
                   "What `topicwall ledger --events` wrote: counts as spent")
      ->excludes(corpus);
  CLI::Option* receipts = command->add_option(
      "--receipts", flags.receipts,
      "The receipts that analysts' clients keep, one file of everybody who ever had a plan");
  CLI::Option* unseen = command->add_flag(
      "--forfeit-unseen", flags.forfeit_unseen,
      "Somebody's receipts are not to be had: everything that was left counts as spent");
  ground->add_flag("--forfeit", flags.forfeit, "Nobody knows: the whole budget counts as spent")
      ->needs(corpus);
  ground
      ->add_flag("--acknowledge-overruns", flags.acknowledge_overruns,
                 "The corpus was paused by late releases and may go on")
      ->needs(corpus);
  ground->require_option(1);
  for (CLI::Option* evidence : {receipts, unseen}) evidence->excludes(corpus);
}

}  // namespace topicwall::admin

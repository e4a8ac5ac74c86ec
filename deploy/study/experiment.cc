#include "deploy/study/experiment.h"

#include <cstddef>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "base/status_macros.h"
#include "client/evaluate/document_reader.h"
#include "model/data/tokenizer.h"

namespace topicwall::study {
namespace {

// A corpus may be in the order of its years: not the first of them.
lda::DocumentList Some(int64_t most, lda::DocumentList documents) {
  const size_t all = documents.size(), wanted = static_cast<size_t>(most);
  if (most <= 0 || wanted >= all) return documents;
  lda::DocumentList some;
  for (size_t i = 0; i < wanted; ++i) some.Append(documents[i * all / wanted]);
  return some;
}

// By owner, in the order of their names.
absl::StatusOr<lda::DocumentList> ByOwner(const std::string& path, const lda::DocumentList& all,
                                          std::vector<size_t>* units) {
  TW_ASSIGN_OR_RETURN(const std::vector<std::string> owners, client::ReadOwners(path));
  std::map<std::string, std::vector<size_t>> documents_of;
  for (size_t d = 0; d < all.size(); ++d) documents_of[owners.at(d)].push_back(d);
  lda::DocumentList documents;
  for (const auto& [owner, theirs] : documents_of) {
    units->push_back(documents.size());
    for (const size_t d : theirs) documents.Append(all[d]);
  }
  return documents;
}

}  // namespace

absl::StatusOr<Experiment> ReadExperiment(const ExperimentFiles& files) {
  const bool text = absl::EndsWith(files.documents, ".jsonl");
  const std::string tokenizer(text ? lda::kTokenizerName : lda::kCountsTokenizerName);
  const auto format = text ? client::DocumentFormat::kJsonl : client::DocumentFormat::kUci;
  TW_ASSIGN_OR_RETURN(lda::Vocabulary vocabulary,
                      client::ReadVocabulary(files.vocabulary, tokenizer));
  const client::TermRule rule = {.vocabulary = vocabulary, .tokenizer = tokenizer};
  TW_ASSIGN_OR_RETURN(lda::DocumentList all, client::ReadDocuments(files.documents, format, rule));
  TW_ASSIGN_OR_RETURN(lda::DocumentList held_out,
                      client::ReadDocuments(files.held_out, format, rule));
  std::vector<size_t> units;
  if (files.by_owner) {
    TW_ASSIGN_OR_RETURN(all, ByOwner(files.documents, all, &units));
  }
  lda::DocumentList documents =
      files.by_owner ? std::move(all) : Some(files.most_documents, std::move(all));
  TW_ASSIGN_OR_RETURN(
      std::vector<double> unigram,
      lda::SmoothedTermProbabilities(documents, static_cast<int>(vocabulary.size()), 0.1));
  lda::TokenSplit split = lda::SplitTokens(held_out, /*seed=*/1);
  lda::RelatedTerms related_terms = lda::FindRelatedTerms(vocabulary.terms());
  return Experiment{.documents = std::move(documents),
                    .units = std::move(units),
                    .held_out = std::move(held_out),
                    .split = std::move(split),
                    .vocabulary = std::move(vocabulary),
                    .related_terms = std::move(related_terms),
                    .unigram = std::move(unigram)};
}

}  // namespace topicwall::study

#include "deploy/study/score.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "base/status_macros.h"
#include "base/threads/for_each_block.h"
#include "model/lda/topics/e_step.h"

namespace topicwall::study {
namespace {

struct DocumentScore {
  double log_likelihood = 0;
  double words = 0;
};

Scores Summed(const std::vector<DocumentScore>& documents) {
  double log_likelihood = 0, words = 0, means = 0, scored = 0;
  for (const DocumentScore& document : documents) {
    if (!(document.words > 0)) continue;
    log_likelihood += document.log_likelihood;
    words += document.words;
    means += document.log_likelihood / document.words;
    scored += 1;
  }
  return {.perplexity = std::exp(-log_likelihood / words),
          .document_perplexity = std::exp(-means / scored)};
}

template <class ProbabilityOf>
DocumentScore ScoreDocument(lda::DocumentView document, const ProbabilityOf& probability_of) {
  DocumentScore score;
  for (const lda::TermCount& term : document) {
    const double p = std::max(probability_of(term.term), lda::kProbabilityFloor);
    score.log_likelihood += term.count * std::log(p);
    score.words += term.count;
  }
  return score;
}

}  // namespace

absl::StatusOr<Scores> ScoreModel(const lda::TopicModel& model, const lda::TokenSplit& split,
                                  int num_threads) {
  TW_ASSIGN_OR_RETURN(const lda::EStep e_step,
                      lda::EStep::Create(lda::LogMeanTopics(model, num_threads),
                                         lda::UsualEStep(model.document_topic_prior())));
  const auto topics = static_cast<size_t>(model.num_topics());
  const auto terms = static_cast<size_t>(model.vocabulary_size());
  const std::vector<double> rows = lda::MeanTopics(model);
  // Turned, for a word is scored by all topics at once.
  std::vector<double> columns(rows.size());  // V×K
  for (size_t i = 0; i < rows.size(); ++i) columns[i % terms * topics + i / terms] = rows[i];
  std::vector<DocumentScore> documents(split.scored.size());
  const size_t threads = static_cast<size_t>(std::max(num_threads, 1));
  lda::ForEachBlock(threads, num_threads, [&](size_t share, size_t) {
    lda::EStep::Workspace workspace;
    for (size_t d = share; d < documents.size(); d += threads) {
      e_step.Infer(split.observed[d], workspace);
      const absl::Span<const float> gamma = workspace.gamma();
      double total = 0;
      for (const float g : gamma) total += g;
      documents[d] = ScoreDocument(split.scored[d], [&](uint32_t term) {
        const double* const column = columns.data() + term * topics;
        double p = 0;
        for (size_t k = 0; k < topics; ++k) p += gamma[k] * column[k];
        return p / total;
      });
    }
  });
  return Summed(documents);
}

Scores ScoreMixture(const mixture::FittedMixture& mixture, const lda::TokenSplit& split) {
  std::vector<DocumentScore> documents(split.scored.size());
  for (size_t d = 0; d < documents.size(); ++d) {
    documents[d] = {.log_likelihood = mixture.LogLikelihood(split.observed[d], split.scored[d]),
                    .words = static_cast<double>(lda::TokenCount(split.scored[d]))};
  }
  return Summed(documents);
}

Scores ScoreUnigram(absl::Span<const double> probabilities, const lda::DocumentList& scored) {
  std::vector<DocumentScore> documents;
  for (size_t d = 0; d < scored.size(); ++d) {
    documents.push_back(
        ScoreDocument(scored[d], [&](uint32_t term) { return probabilities[term]; }));
  }
  return Summed(documents);
}

double GapClosed(double perplexity, double unigram, double yardstick) {
  return std::log(unigram / perplexity) / std::log(unigram / yardstick);
}

}  // namespace topicwall::study

// Two corpora that differ in one privacy unit, and the release that is asked of both.
//
//   for (const NeighbouringPair& pair : PairsByName()) …
//   NeighbouringPair pair = MakeUpPair(kSmallShapes, choices);
//
// The pairs by name are the known ways in which clipping has gone wrong, and the ends of every
// range that an analyst may choose from. Among them the one that breaks the paper's Algorithm 1:
// it projects a whole batch to radius C = aN instead of each unit, and claims sensitivity C. A
// batch that lies at the clip norm in one direction (aN words "cat") and a unit of N words "dog"
// in another move that projection by C·max(1, √(2 − 2a/√(1+a²))) = 1.342 C at a = 0.1.
//
// PUBLIC: made up. Threads: values.
#ifndef TOPICWALL_SERVER_AUDIT_PAIRS_NEIGHBOURING_PAIR_H_
#define TOPICWALL_SERVER_AUDIT_PAIRS_NEIGHBOURING_PAIR_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "model/statistic_model.h"
#include "server/audit/walls/planted_corpus.h"
#include "server/corpus/corpus_description.h"
#include "server/ledger/charge_receipt.h"
#include "server/random/keystream.h"

namespace topicwall::audit {

// Whose statistic is clipped and summed.
enum class AskedModel {
  kLda,
  kDocumentCompletion,
  kMixture,
  kMixtureCompletion,
  kPrevalence,
  kGaussian,
  kGaussianLikelihood,
  kLengths
};

struct NeighbouringPair {
  std::string name;
  int vocabulary_size;      // V; of vectors d
  PlantedDocuments others;  // at least one
  PlantedDocuments unit;    // one document, or several of one owner who has none of the others
  v1::PrivacyUnit privacy_unit = v1::PRIVACY_UNIT_DOCUMENT;

  // ℓ: K×V, row = topic; of a mixture K×(V + 1), of one of Gaussians its K×(2d + 1) parameters, of
  // lengths the edges.
  std::vector<float> log_topics;
  std::vector<double> document_topic_prior = {0.5};  // α: 1 or K
  int max_e_step_iterations = 50;
  double mean_change_threshold = 1e-3;
  AskedModel model = AskedModel::kLda;
  std::vector<int> attribute_sizes = {};  // of the documents, and asked for by a prevalence

  ledger::PaidMechanism mechanism;
  double clip_norm;                     // C, in words
  double direction_noise = 0;           // r, of LDA alone
  int64_t max_documents_per_unit = 20;  // the custodian's cap

  // The unit is drawn and no shorter than C, so that it must arrive with length M: less is
  // accuracy lost.
  bool arrives_at_full_length = false;

  int num_topics() const {  // K
    int length = vocabulary_size;
    if (model == AskedModel::kMixture || model == AskedModel::kMixtureCompletion) length += 1;
    if (of_vectors()) length += vocabulary_size + 1;
    return static_cast<int>(log_topics.size()) / length;
  }
  bool of_vectors() const {
    return model == AskedModel::kGaussian || model == AskedModel::kGaussianLikelihood;
  }
  int vector_dimension() const { return of_vectors() ? vocabulary_size : 0; }
  // Of the statistic, which is 1×2 of a completion and a likelihood, 1×B of lengths, G×(K + 1) of a
  // prevalence, and as large as ℓ of the others.
  int rows() const;
};

// What is asked, bound to its parameters. Errors as of MakeModel and Bind: a pair that nobody could
// ask.
absl::StatusOr<std::unique_ptr<model::Inference>> InferenceOf(const NeighbouringPair& asked);

// V = 16, K = 2.
std::vector<NeighbouringPair> PairsByName();

// The same, with noise along each topic, five times as large as that of an entry, and σ at least 1,
// below which there is none along topics.
NeighbouringPair AlongOf(NeighbouringPair pair);

// The same corpora, topics and noise, asked how well the topics predict their units, of whom all
// are held out: releases of two numbers instead of K×V. Not of more than 100,000 words a document.
NeighbouringPair EvaluationOf(NeighbouringPair pair);
// Of the mixture that MixtureOf has.
NeighbouringPair MixtureEvaluationOf(NeighbouringPair pair);

// The same, asked of a mixture of equally common components with the topics' words: a unit's words
// and its documents are clipped together.
NeighbouringPair MixtureOf(NeighbouringPair pair);

// The same, asked how much of six groups of documents is about each topic: a document's shares and
// the document itself are clipped together, and an owner's documents over all their groups.
NeighbouringPair PrevalenceOf(NeighbouringPair pair);

// The same documents as vectors, whose numbers are the words of every d-th term (d = V, at most
// 1,024), asked of a mixture of Gaussians: a vector, its numbers and their squares are clipped
// together.
NeighbouringPair GaussianOf(NeighbouringPair pair);

// The same vectors and mixture, asked how well it predicts them, of whom all are held out: releases
// of two numbers, of which the first has either sign.
NeighbouringPair LikelihoodOf(NeighbouringPair pair);

// The same corpora, asked how long their units are: a unit is one in one of eight bins, whatever it
// says and however long it is.
NeighbouringPair LengthsOf(NeighbouringPair pair);

// K and V are drawn evenly from these.
struct PairShapes {
  int min_terms;
  int max_terms;
  int min_topics;
  int max_topics;
};
inline constexpr PairShapes kSmallShapes = {1, 40, 1, 6};  // thousands of pairs in a minute
// Of real models' size, seconds a pair: indices beyond 16 bits, strides that are no powers of two,
// matrices that threads share.
inline constexpr PairShapes kLargeShapes = {50'000, 70'000, 100, 130};

// Drawn over everything that documents, custodian and analyst may choose, ends of ranges far more
// often than a uniform choice would. The same choices make the same pairs.
NeighbouringPair MakeUpPair(const PairShapes& shapes, random::Keystream& choices);

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_PAIRS_NEIGHBOURING_PAIR_H_

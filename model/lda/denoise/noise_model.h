// What a denoised fit will give, before anything is paid: signal and noise by word rank.
//
//   absl::StatusOr<ExpectedSignal> expected = ExpectSignal(
//       {.num_documents = 60000, .words_per_document = 40, .vocabulary_size = 8000},
//       {.num_topics = 20, .iterations = 20, .sampling_rate = 1, .noise_multiplier = 30,
//        .counts_noise_multiplier = 30, .counts_clip_norm = 5});
//   expected->terms;    // of ranks 1, 10, 100, 1000, V/2 and V
//   expected->CountsAreNoise()             // do not buy this
//   expected->MayBeBelowWordFrequencies()  // that depends on how clear the corpus' topics are
//
// Noise is arithmetic: an entry of the running average after J iterations has the deviation
//   τ_r = σC/(ν w_r)·√f_T,   f_t = (1 − ρ_t)² f_(t−1) + ρ_t²,   ρ_t of step_size.h,
// of the T after the warm-up (denoised_trainer.h), with the term weights w of term_weights.h. All
// else is a guess from public numbers, for nothing may be counted behind the wall:
//   p_r ∝ 1/(r + 2.7)   word frequencies (Zipf, Mandelbrot)
//   C = 0.65·√L words   where the clip norm settles for documents of L words; of long ones lower,
//                       with noise along topics 8.1 and not 13.8 at L = 452: there more is had
//                       than is expected
//   kKeptWords·L        words of a document that the clip leaves
// The first release after the warm-up has the C that was asked for, which no histogram has chosen
// yet, and so has the next one with the chance that the histograms before it all drown
// (ChanceOfNoChoice): in the mean over these chances τ² and the words are averaged, of C as it is
// then, whose clip leaves in proportion to C, at most all.
//   3                   topics that hold nearly all of a word
// so that a word of rank r has about 0.73·n·L·p_r/3 words in each of its topics: its signal.
// Signal over noise grows like n·√L·ε, and does not depend on K.
//
// Held against the production trainer over topicwall-study's simulated wall (Debian catalogue,
// n = 58,087, L = 36, K = 10 … 100, ε = 0.2 … 2.44): τ within a quarter up to rank 1000 and within
// a half beyond; C within a fifth (within a third for L = 10, 19, 144 made of the same documents);
// signal to noise at ranks 10 to 1000 within a factor of 2.3, mostly too high. At rank 1 it is far
// too high, for the commonest words are in all topics; beyond rank 1000 it is as good as the word
// list is like Zipf's (arXiv's abstracts, whose list has a thin tail: 10 times too high). It is
// good for the gate, kLeastSignal, and for comparing plans.
//
// Errors: INVALID_ARGUMENT names what is out of range. PUBLIC, pure, for display and choice only:
// no bits of a fit depend on it (libm is used). Cost: V powers.
#ifndef TOPICWALL_MODEL_LDA_DENOISE_NOISE_MODEL_H_
#define TOPICWALL_MODEL_LDA_DENOISE_NOISE_MODEL_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"

namespace topicwall::lda {

// Signal over noise, at the rank that is judged, below which a fit may predict worse than the true
// word frequencies alone would, and one above it does not. Debian catalogue, δ = 1e-4, J = 40, best
// of K = 10 and 20:
//   ε                                      0.1    0.2    0.3    0.5      1
//   signal to noise, as expected here     0.42   0.79    1.1    1.8    3.4
//   perplexity (of the unigram: 1821)    2,233  1,916  1,776  1,558  1,383
// Topics of arXiv's abstracts are clearer: at ε = 0.1 1,073, of the unigram 1,187.
inline constexpr double kLeastSignal = 1.1;
// Below this many deviations the sum of the word counts is taken for noise and a fit stops before
// its topics (private_unigram.h).
inline constexpr double kLeastCountsSignal = 5;
// What the clip is taken to leave of a document's words.
inline constexpr double kKeptWords = 0.73;

// What is taken for granted of documents that nobody may look at.
struct CorpusAssumption {
  double num_documents;       // n > 0, for instance the custodian's nominal size
  double words_per_document;  // L >= 1, in the vocabulary
  int vocabulary_size;        // V >= 1
};

// What is bought.
struct NoisyFit {
  int num_topics;                  // K >= 1
  int64_t iterations;              // J in [1, 10^6]
  double sampling_rate;            // ν in (0, 1]
  double noise_multiplier;         // σ > 0 of each release of the topics
  double counts_noise_multiplier;  // σ > 0 of the K = 1 release before them
  double counts_clip_norm;         // its C > 0, in words
  // C > 0 of the first release of the topics, in words; otherwise where it settles.
  std::optional<double> first_clip_norm = std::nullopt;
  double histogram_noise_multiplier = 0;  // σ_h >= 0 of each release's histogram, which chooses C
};

struct ExpectedTerm {
  int rank;                // from 1, the most frequent
  double signal;           // in a topic that has the word, in words
  double noise;            // τ, in words
  double signal_to_noise;  // their ratio
};

struct ExpectedSignal {
  double clip_norm;        // C where it settles, in words
  double noise;            // τ of a term of weight 1, in words
  double clip_norm_stays;  // chance that no histogram chooses it: the first C is the last
  double kept_words;       // share of a document's words that the clip leaves in the average
  double counts_signal;    // sum of the K = 1 release in deviations of its noise
  std::vector<ExpectedTerm> terms;  // ascending ranks
  ExpectedTerm judged;              // of rank min(1000, ⌈V/8⌉)

  bool ClipNormStays() const { return clip_norm_stays > 0.5; }
  // No unigram to be had: the fit stops before its topics.
  bool CountsAreNoise() const { return !(counts_signal >= kLeastCountsSignal); }
  // That, or topics of which nobody can say beforehand that they are better than word frequencies.
  bool MayBeBelowWordFrequencies() const {
    return CountsAreNoise() || !(judged.signal_to_noise >= kLeastSignal);
  }
};

absl::StatusOr<ExpectedSignal> ExpectSignal(const CorpusAssumption& corpus, const NoisyFit& fit);

// In (0, 1]: what clipping to `clip_norm` words leaves of documents of so many words in one topic.
// Both > 0.
double ShareLeftByClip(double words_per_document, double clip_norm);

// √f_J: what averaging leaves of the noise of one release, as a share of it. J >= 1, power >= 0.
double NoiseLeftByAveraging(double step_power, int64_t iterations);

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_DENOISE_NOISE_MODEL_H_

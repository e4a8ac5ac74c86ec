// What is the same for all documents is made once: the table b of topics (row = term, so that a
// document gathers whole rows), the scales of the first iteration, the rule for dropping topics. A
// document then costs its rows' addresses, its counts and the kernel.
#include "model/lda/topics/e_step.h"

#include <algorithm>
#include <cmath>
#include <utility>

#ifdef __SSE__
#include <xmmintrin.h>
#endif

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/threads/for_each_block.h"
#include "model/lda/math/array_math_choice.h"
#include "model/lda/topics/drop_limit.h"

namespace topicwall::lda {
namespace {

// K times the most words that a topic may hold and be left out.
constexpr double kListedWords = 0x1p-20;

size_t RoundUp(size_t n, size_t multiple) { return (n + multiple - 1) / multiple * multiple; }

template <typename Vector>
void Grow(Vector& vector, size_t size) {
  if (vector.size() < size) vector.resize(size);
}

// Scratch arrays over topics of a task (TaskOf lists them).
constexpr size_t kTopicArrays = 9;

// α in float32 as the kernels take it: filled up with the smallest.
AlignedFloats PaddedPriors(const DocumentTopicPrior& prior, size_t num_topics) {
  AlignedFloats priors(RoundUp(num_topics, kTopicPadding));
  for (size_t k = 0; k < num_topics; ++k) priors[k] = static_cast<float>(prior.of(k));
  std::fill(priors.begin() + static_cast<std::ptrdiff_t>(num_topics), priors.end(),
            *std::min_element(priors.begin(), priors.begin() + num_topics));
  return priors;
}

// A task without a document and without the priors.
KernelTask SharedTask(size_t num_topics, const EStepOptions& options, const AlignedFloats& priors) {
  KernelTask task = {};
  task.num_topics = num_topics;
  task.padded_topics = priors.size();
  task.smallest_prior = *std::min_element(priors.begin(), priors.end());
  task.max_iterations = options.max_iterations;
  // The kernels add up |Δγ| and compare the sum: the mean would be a division in every iteration.
  task.most_change =
      static_cast<float>(options.mean_change_threshold * static_cast<double>(num_topics));
  task.list_limit = static_cast<float>(kListedWords / static_cast<double>(num_topics));
  const DropRule rule = MakeDropRule(priors, task.list_limit);
  task.drop_limit = rule.limit;
  task.weight_of_dropped = rule.weight;
  // Measured: copying the entries of more topics than this does not pay.
  task.most_active = rule.may_drop ? num_topics * 2 / 5 : 0;
  return task;
}

// While it lives, this thread's results below the smallest normal number are 0. A word's weight in
// one of its topics times exp(ψ(γ)) of that topic goes down to 1e-73: next to a normaliser that is
// trusted (dropped_topics.h) it is nothing, but each such product costs some processors more than a
// hundred cycles, of which trained topics have many. Not in a kernel, whose file may be compiled
// for a newer processor (e_step_kernel.h).
class FlushSubnormals {
 public:
#ifdef __SSE__
  FlushSubnormals() : before_(_mm_getcsr()) {
    _mm_setcsr((before_ | _MM_FLUSH_ZERO_MASK) & ~kSubnormalsAreZero);
  }
  ~FlushSubnormals() { _mm_setcsr(before_); }

 private:
  // Of operands: would be another arithmetic, if the caller had it on. No operand is subnormal.
  static constexpr unsigned kSubnormalsAreZero = 0x0040;
  const unsigned before_;

 public:
#else  // another family of processors, which no job mixes with one that has SSE
  FlushSubnormals() {}
#endif
  FlushSubnormals(const FlushSubnormals&) = delete;
  FlushSubnormals& operator=(const FlushSubnormals&) = delete;
};

}  // namespace

absl::Status CheckEStepOptions(const EStepOptions& options, int num_topics) {
  TW_RETURN_IF_ERROR(options.document_topic_prior.Check(num_topics));
  if (options.max_iterations < 1) {
    return absl::InvalidArgumentError(absl::StrCat("max_iterations must be at least 1; got ",
                                                   options.max_iterations, ". 100 is usual."));
  }
  if (!(options.mean_change_threshold >= 0 && std::isfinite(options.mean_change_threshold))) {
    return absl::InvalidArgumentError(
        absl::StrCat("mean_change_threshold must be finite and at least 0; got ",
                     options.mean_change_threshold, ". 1e-3 is usual."));
  }
  return absl::OkStatus();
}

absl::StatusOr<EStep> EStep::Create(const LogTopicsView& log_topics, const EStepOptions& options,
                                    const EStepKernel& kernel, int num_threads) {
  TW_RETURN_IF_ERROR(CheckEStepOptions(options, log_topics.num_topics));
  return EStep(log_topics, options, kernel, num_threads);
}

EStep::EStep(const LogTopicsView& log_topics, const EStepOptions& options,
             const EStepKernel& kernel, int num_threads)
    : num_topics_(log_topics.num_topics),
      vocabulary_size_(log_topics.vocabulary_size),
      padded_topics_(RoundUp(static_cast<size_t>(num_topics_), kTopicPadding)),
      options_(options),
      kernel_(&kernel),
      priors_(PaddedPriors(options.document_topic_prior, static_cast<size_t>(num_topics_))),
      task_(SharedTask(static_cast<size_t>(num_topics_), options, priors_)) {
  const auto terms = static_cast<size_t>(vocabulary_size_);
  weights_.resize(terms * padded_topics_);
  flat_scales_.resize(terms);
  largest_log_weights_.resize(terms);
  FillWeights(log_topics, num_threads);
}

absl::StatusOr<EStep> EStep::WithDocumentTopicPrior(DocumentTopicPrior prior) && {
  TW_RETURN_IF_ERROR(prior.Check(num_topics_));
  options_.document_topic_prior = std::move(prior);
  priors_ = PaddedPriors(options_.document_topic_prior, static_cast<size_t>(num_topics_));
  task_ = SharedTask(static_cast<size_t>(num_topics_), options_, priors_);
  return std::move(*this);
}

void EStep::FillWeights(const LogTopicsView& log_topics, int num_threads) {
  const auto topics = static_cast<size_t>(num_topics_);
  const auto terms = static_cast<size_t>(vocabulary_size_);
  const ArrayMath& math = FastestArrayMath();
  // A block's terms are written by one thread alone, each from its own column of ℓ: threads change
  // no bits.
  ForEachPart(terms, kMostBlockTerms, num_threads, [&](size_t begin, size_t end, size_t) {
    math.fill_weights({.log_topics = log_topics.values.data() + begin,
                       .topic_stride = terms,
                       .num_topics = topics,
                       .num_terms = end - begin,
                       .weights = weights_.data() + begin * padded_topics_,
                       .weight_stride = padded_topics_,
                       .largest = largest_log_weights_.data() + begin,
                       .flat_scales = flat_scales_.data() + begin});
  });
}

void EStep::Workspace::Reserve(size_t num_words, const KernelTask& task) {
  const size_t words = RoundUp(num_words, kWordPadding);
  num_topics_ = task.num_topics;
  Grow(rows_, words);
  Grow(topics_, task.padded_topics);
  Grow(gamma_, task.padded_topics);
  Grow(topic_scratch_, kTopicArrays * task.padded_topics);
  // Room for b packed, and for rows that are written four floats at a time: the last may run three
  // past the end (statistic_writer.h).
  Grow(statistic_, words * task.padded_topics + 3);
  Grow(matrix_, words * (task.most_active + 4));
  for (AlignedFloats* over_words : {&counts_, &flat_ratios_, &ratios_, &largest_ratios_}) {
    Grow(*over_words, words);
  }
}

void EStep::Reserve(size_t num_terms, Workspace& workspace) const {
  workspace.Reserve(num_terms, task_);
  DoubleScratch& scratch = workspace.double_scratch_;
  for (std::vector<double>* over_topics :
       {&scratch.gamma, &scratch.gamma_before, &scratch.gamma_between, &scratch.weight,
        &scratch.factor, &scratch.log_scale, &scratch.share, &scratch.sum}) {
    Grow(*over_topics, padded_topics_);
  }
}

// In step with Reserve, which is what a server takes before it is paid: too little here, and a
// document would make it grow afterwards.
size_t EStep::BytesReserved(size_t num_terms, size_t num_topics) {
  const size_t words = RoundUp(num_terms, kWordPadding);
  const size_t topics = RoundUp(num_topics, kTopicPadding);
  const size_t over_both = words * topics + 3 + words * (topics * 2 / 5 + 4);
  return (over_both + 4 * words + (2 + kTopicArrays) * topics) * sizeof(float) +
         words * sizeof(float*) + 8 * topics * sizeof(double);
}

void EStep::Gather(DocumentView document, Workspace& workspace) const {
  const size_t words = RoundUp(document.size(), kWordPadding);
  for (size_t j = 0; j < document.size(); ++j) {
    const TermCount entry = document[j];
    workspace.rows_[j] = weights_.data() + entry.term * padded_topics_;
    workspace.counts_[j] = static_cast<float>(entry.count);
    workspace.flat_ratios_[j] = workspace.counts_[j] * flat_scales_[entry.term];
  }
  // Padding that adds nothing, with a row that may be read.
  for (size_t j = document.size(); j < words; ++j) {
    workspace.rows_[j] = workspace.rows_[0];
    workspace.counts_[j] = 0;
    workspace.flat_ratios_[j] = 0;
  }
}

KernelTask EStep::TaskOf(size_t num_words, Workspace& workspace) const {
  KernelTask task = task_;
  task.prior = priors_.data();
  task.num_words = num_words;
  task.rows = workspace.rows_.data();
  task.counts = workspace.counts_.data();
  task.flat_ratios = workspace.flat_ratios_.data();
  task.ratios = workspace.ratios_.data();
  task.largest_ratios = workspace.largest_ratios_.data();
  task.matrix = workspace.matrix_.data();
  task.gamma = workspace.gamma_.data();
  task.topics = workspace.topics_.data();
  task.statistic = task.packed = workspace.statistic_.data();
  float* next = workspace.topic_scratch_.data();
  for (float** over_topics :
       {&task.weight, &task.sum, &task.block_sum, &task.compensation, &task.gamma_before,
        &task.gamma_between, &task.active_prior, &task.active_gamma, &task.active_weight}) {
    *over_topics = next;
    next += padded_topics_;
  }
  return task;
}

void EStep::Infer(DocumentView document, Workspace& workspace) const {
  workspace.used_double_ = false;
  workspace.num_listed_ = 0;
  workspace.iterations_ = 0;
  // No error: what one unit holds must not be seen by whether its release fails.
  if (document.empty() || !IsCanonical(document, vocabulary_size_)) {
    workspace.Reserve(0, task_);
    workspace.num_rows_ = 0;
    std::copy_n(priors_.begin(), num_topics_, workspace.gamma_.begin());
    return;
  }
  workspace.Reserve(document.size(), task_);
  workspace.num_rows_ = document.size();
  Gather(document, workspace);
  KernelTask task = TaskOf(document.size(), workspace);
  const FlushSubnormals flush;
  if (!kernel_->solve(task)) {
    workspace.used_double_ = true;
    SolveInDouble(task, workspace.double_scratch_);
  }
  workspace.num_listed_ = task.num_listed;
  workspace.iterations_ = task.iterations;
}

}  // namespace topicwall::lda

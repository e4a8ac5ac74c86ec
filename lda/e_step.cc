#include "lda/e_step.h"

#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lda/array_math_choice.h"
#include "lda/dirichlet_prior.h"
#include "lda/exp_digamma.h"
#include "lda/for_each_block.h"
#include "lda/portable_exp.h"

namespace topicwall::lda {
namespace {

// K times the most words that a topic may hold and be left out.
constexpr double kListedWords = 0x1p-20;
// Dropping is prepared for documents whose ratios c_w / Σ_j e_j b_jw add up to no more than this,
// as nearly all do; where they add up to more, what was dropped is looked at topic by topic.
constexpr double kUsualRatioSum = 1e4;

absl::Status CheckOptions(const EStepOptions& options) {
  if (absl::Status status = CheckPrior("document_topic_prior", options.document_topic_prior);
      !status.ok()) {
    return status;
  }
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

size_t RoundUp(size_t n, size_t multiple) { return (n + multiple - 1) / multiple * multiple; }

template <typename Vector>
void Grow(Vector& vector, size_t size) {
  if (vector.size() < size) vector.resize(size);
}

// Scratch arrays over topics of a task (TaskOf lists them).
constexpr size_t kTopicArrays = 8;

// exp(ψ(γ)).
double WeightAt(double gamma) {
  const ScaledValue weight = ScaledExpDigamma(gamma);
  return weight.factor * PortableExp(weight.log_scale);
}

// The largest γ at which a topic holds at most `most_words` of a usual document after one more
// iteration; α + 4·most_words if that is already too much.
double DropLimit(double prior, double most_words) {
  const auto may_drop = [most_words](double gamma) {
    return WeightAt(gamma) * kUsualRatioSum <= most_words;
  };
  double low = prior + 4 * most_words, high = 1;
  if (!may_drop(low)) return low;
  for (int i = 0; i < 40; ++i) {
    const double middle = 0.5 * (low + high);
    (may_drop(middle) ? low : high) = middle;
  }
  return low;
}

// A task without a document.
KernelTask SharedTask(size_t num_topics, const EStepOptions& options) {
  KernelTask task = {};
  task.num_topics = num_topics;
  task.padded_topics = RoundUp(num_topics, kTopicPadding);
  task.prior = static_cast<float>(options.document_topic_prior);
  task.max_iterations = options.max_iterations;
  task.most_change =
      static_cast<float>(options.mean_change_threshold * static_cast<double>(num_topics));
  task.list_limit = static_cast<float>(kListedWords / static_cast<double>(num_topics));
  const double most_words = 0.25 * double{task.list_limit};
  task.drop_limit = static_cast<float>(DropLimit(options.document_topic_prior, most_words));
  task.weight_of_dropped = static_cast<float>(WeightAt(double{task.drop_limit}));
  // Where a topic that nobody needs keeps more than may be dropped, trying is wasted.
  const bool may_drop = double{task.weight_of_dropped} < most_words;
  // Measured: copying the entries of more topics than this does not pay.
  task.most_active = may_drop ? num_topics * 2 / 5 : 0;
  return task;
}

}  // namespace

absl::StatusOr<EStep> EStep::Create(const LogTopics& log_topics, const EStepOptions& options,
                                    const EStepKernel& kernel, int num_threads) {
  if (absl::Status status = CheckOptions(options); !status.ok()) return status;
  return EStep(log_topics, options, kernel, num_threads);
}

EStep::EStep(const LogTopics& log_topics, const EStepOptions& options, const EStepKernel& kernel,
             int num_threads)
    : num_topics_(log_topics.num_topics()),
      vocabulary_size_(log_topics.vocabulary_size()),
      padded_topics_(RoundUp(static_cast<size_t>(num_topics_), kTopicPadding)),
      options_(options),
      kernel_(&kernel),
      task_(SharedTask(static_cast<size_t>(num_topics_), options)) {
  const auto terms = static_cast<size_t>(vocabulary_size_);
  weights_.resize(terms * padded_topics_);
  flat_scales_.resize(terms);
  largest_log_weights_.resize(terms);
  FillWeights(log_topics, num_threads);
}

void EStep::FillWeights(const LogTopics& log_topics, int num_threads) {
  const auto topics = static_cast<size_t>(num_topics_);
  const auto terms = static_cast<size_t>(vocabulary_size_);
  const ArrayMath& math = FastestArrayMath();
  const size_t num_blocks = (terms + kMostBlockTerms - 1) / kMostBlockTerms;
  ForEachBlock(num_blocks, num_threads, [&](size_t block, size_t) {
    const size_t begin = block * kMostBlockTerms;
    math.fill_weights({.log_topics = log_topics.values().data() + begin,
                       .topic_stride = terms,
                       .num_topics = topics,
                       .num_terms = std::min(kMostBlockTerms, terms - begin),
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
  Grow(statistic_, num_words * task.num_topics + 3);
  Grow(matrix_, words * (task.most_active + 4));
  for (AlignedFloats* over_words : {&counts_, &flat_ratios_, &ratios_, &largest_ratios_}) {
    Grow(*over_words, words);
  }
}

void EStep::Gather(DocumentView document, Workspace& workspace) const {
  const size_t words = RoundUp(document.size(), kWordPadding);
  for (size_t j = 0; j < document.size(); ++j) {
    const TermCount entry = document[j];
    workspace.rows_[j] = weights_.data() + entry.term * padded_topics_;
    workspace.counts_[j] = static_cast<float>(entry.count);
    workspace.flat_ratios_[j] = workspace.counts_[j] * flat_scales_[entry.term];
  }
  for (size_t j = document.size(); j < words; ++j) {
    workspace.rows_[j] = workspace.rows_[0];
    workspace.counts_[j] = 0;
    workspace.flat_ratios_[j] = 0;
  }
}

KernelTask EStep::TaskOf(size_t num_words, Workspace& workspace) const {
  KernelTask task = task_;
  task.num_words = num_words;
  task.rows = workspace.rows_.data();
  task.counts = workspace.counts_.data();
  task.flat_ratios = workspace.flat_ratios_.data();
  task.ratios = workspace.ratios_.data();
  task.largest_ratios = workspace.largest_ratios_.data();
  task.matrix = workspace.matrix_.data();
  task.gamma = workspace.gamma_.data();
  task.topics = workspace.topics_.data();
  task.statistic = workspace.statistic_.data();
  float* next = workspace.topic_scratch_.data();
  for (float** over_topics :
       {&task.weight, &task.sum, &task.block_sum, &task.compensation, &task.gamma_before,
        &task.gamma_between, &task.active_gamma, &task.active_weight}) {
    *over_topics = next;
    next += padded_topics_;
  }
  return task;
}

void EStep::Infer(DocumentView document, Workspace& workspace) const {
  workspace.used_double_ = false;
  workspace.num_listed_ = 0;
  workspace.iterations_ = 0;
  if (document.empty() || !IsCanonical(document, vocabulary_size_)) {
    workspace.Reserve(0, task_);
    workspace.num_rows_ = 0;
    std::fill_n(workspace.gamma_.begin(), num_topics_, task_.prior);
    return;
  }
  workspace.Reserve(document.size(), task_);
  workspace.num_rows_ = document.size();
  Gather(document, workspace);
  KernelTask task = TaskOf(document.size(), workspace);
  if (!kernel_->solve(task)) {
    workspace.used_double_ = true;
    SolveInDouble(options_.document_topic_prior, task, workspace.double_scratch_);
  }
  workspace.num_listed_ = task.num_listed;
  workspace.iterations_ = task.iterations;
}

}  // namespace topicwall::lda

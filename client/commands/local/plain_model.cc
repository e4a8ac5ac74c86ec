#include "client/commands/local/plain_model.h"

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/sha256.h"
#include "base/status_macros.h"
#include "client/commands/command.h"
#include "client/evaluate/document_reader.h"
#include "client/evaluate/vector_reader.h"
#include "client/exit_code.h"
#include "client/fit/algorithms/plain_gaussians.h"
#include "client/fit/anchors.h"
#include "client/fit/initial_model.h"
#include "client/fit/plain_fit.h"
#include "model/data/tokenizer.h"
#include "proto/matrix_codec.h"

namespace topicwall::client {
namespace {

constexpr int kPlainPasses = 5;

int PassesOf(const AskedPlainFit& fit) {
  return fit.flags.passes.value_or(fit.spec.algorithm == kGaussian ? kPlainGaussianPasses
                                                                   : kPlainPasses);
}

std::function<void(int)> ShownPasses(int passes, Terminal& terminal) {
  return [passes, &terminal](int done) {
    terminal.ShowProgress(absl::StrCat("passes ", ProgressBar(done, passes)));
  };
}

absl::StatusOr<v1::ModelFile> ModelOfWords(const AskedPlainFit& fit, Terminal& terminal) {
  const DocumentFormat format = FormatOf(fit.flags.format);
  v1::CorpusDescription description;
  description.set_tokenizer(format == DocumentFormat::kUci ? lda::kCountsTokenizerName
                                                           : lda::kTokenizerName);
  TW_ASSIGN_OR_RETURN(const lda::Vocabulary vocabulary,
                      ReadVocabulary(fit.flags.vocabulary, description.tokenizer()));
  TW_ASSIGN_OR_RETURN(
      const lda::DocumentList documents,
      ReadDocuments(fit.flags.documents, format,
                    {.vocabulary = vocabulary, .tokenizer = description.tokenizer()}));
  std::optional<v1::WarmStart> start;
  if (!fit.init.empty()) {
    TW_ASSIGN_OR_RETURN(const v1::ModelFile initial, ReadInitialModel(fit.init));
    RemarkIfMock(initial, terminal);
    TW_ASSIGN_OR_RETURN(start, NewWarmStart(initial, vocabulary, *fit.spec.num_topics));
  }
  Anchors anchors;
  if (!fit.anchors.empty()) {
    TW_ASSIGN_OR_RETURN(anchors, ReadAnchors(fit.anchors));
  }
  // Before the fit, which takes long: what is wrong with an anchor is told here.
  TW_ASSIGN_OR_RETURN(lda::AnchorTerms anchor_terms,
                      AnchorTermsOf(anchors, vocabulary, *fit.spec.num_topics));
  const int passes = PassesOf(fit);
  TW_ASSIGN_OR_RETURN(
      const PlainFit fitted,
      FitPlainly({.documents = documents, .vocabulary_size = static_cast<int>(vocabulary.size())},
                 {.num_topics = *fit.spec.num_topics,
                  .passes = passes,
                  .seed = fit.spec.seed,
                  .on_progress = ShownPasses(passes, terminal),
                  .warm_start = std::move(start),
                  .anchors = std::move(anchor_terms),
                  .is_mixture = fit.spec.algorithm == kMixture}));
  v1::ModelFile file = PlainModelFile(fitted.model, vocabulary, description, passes);
  file.mutable_component_weights()->Assign(fitted.component_weights.begin(),
                                           fitted.component_weights.end());
  if (!anchors.empty()) {
    file.mutable_spec()->mutable_anchors()->Assign(anchors.begin(), anchors.end());
  }
  if (fitted.warm_start.has_value()) *file.mutable_warm_start() = *fitted.warm_start;
  return file;
}

absl::StatusOr<v1::ModelFile> InitialOf(const AskedPlainFit& fit, const model::VectorSpace& space,
                                        Terminal& terminal) {
  if (NamesVectors(fit.init)) {
    TW_ASSIGN_OR_RETURN(PublicStart start, PublicVectors(fit.init, space, fit.spec));
    return std::move(start.model);
  }
  TW_ASSIGN_OR_RETURN(v1::ModelFile initial, ReadInitialModel(fit.init));
  RemarkIfMock(initial, terminal);
  if (initial.has_gaussian() && initial.vocabulary_size() == space.dimension &&
      initial.gaussian().norm_bound() == space.norm_bound) {
    return initial;
  }
  return absl::InvalidArgumentError(absl::StrCat("an initial model must be of vectors of ",
                                                 space.dimension, " dimensions and norm bound ",
                                                 space.norm_bound, "; ", fit.init, " is not."));
}

absl::StatusOr<v1::ModelFile> ModelOfVectors(const AskedPlainFit& fit, Terminal& terminal) {
  const std::string& path = fit.flags.documents;
  model::VectorSpace space = {.dimension = 0, .norm_bound = *fit.flags.norm_bound};
  TW_ASSIGN_OR_RETURN(space.dimension, DimensionOf(path));
  TW_ASSIGN_OR_RETURN(const VectorMatrix vectors, ReadVectors(path, VectorFormatOf(path), space));
  std::optional<v1::ModelFile> initial;
  if (!fit.init.empty()) {
    TW_ASSIGN_OR_RETURN(initial, InitialOf(fit, space, terminal));
  }
  const int passes = PassesOf(fit);
  return FitPlainGaussians({.values = vectors.values, .space = space},
                           {.num_components = *fit.spec.num_topics,
                            .passes = passes,
                            .seed = fit.spec.seed,
                            .initial = initial.has_value() ? &*initial : nullptr,
                            .on_progress = ShownPasses(passes, terminal)});
}

}  // namespace

absl::Status CheckPlainFit(const AskedPlainFit& fit) {
  TW_RETURN_IF_ERROR(CheckTopicsGiven(fit.spec));
  TW_RETURN_IF_ERROR(CheckAsksNoWall(fit.spec, fit.is_planned));
  const bool of_vectors = fit.spec.algorithm == kGaussian;
  if (of_vectors) {
    if (fit.flags.documents.empty() || !fit.flags.norm_bound.has_value()) {
      return UsageError(
          "--no-privacy --algorithm gaussian wants --documents, a file of vectors, and "
          "--norm-bound: that of the corpus with whose models it is to be compared.");
    }
    if (!fit.flags.vocabulary.empty() || !fit.anchors.empty()) {
      return UsageError("--vocabulary and --anchors are of words; vectors have none. Leave them.");
    }
    return absl::OkStatus();
  }
  if (fit.flags.norm_bound.has_value()) {
    return UsageError("--norm-bound is of vectors: for --algorithm gaussian.");
  }
  if (fit.flags.documents.empty() || fit.flags.vocabulary.empty()) {
    return UsageError("--no-privacy wants --documents and --vocabulary.");
  }
  return absl::OkStatus();
}

absl::StatusOr<v1::ModelFile> PlainModel(const AskedPlainFit& fit, Terminal& terminal) {
  return fit.spec.algorithm == kGaussian ? ModelOfVectors(fit, terminal)
                                         : ModelOfWords(fit, terminal);
}

bool NamesVectors(const std::string& init) {
  return absl::EndsWith(init, ".npy") || absl::EndsWith(init, ".jsonl");
}

absl::StatusOr<PublicStart> PublicVectors(const std::string& init, const model::VectorSpace& space,
                                          const FitSpec& spec) {
  TW_ASSIGN_OR_RETURN(const VectorMatrix vectors, ReadVectors(init, VectorFormatOf(init), space));
  PublicStart start;
  TW_ASSIGN_OR_RETURN(start.model,
                      InitialGaussians({.values = vectors.values, .space = space},
                                       {.num_components = *spec.num_topics, .seed = spec.seed}));
  start.sha256 = base::DigestBytes(base::Sha256Of(proto::FloatsToLittleEndian(vectors.values)));
  return start;
}

}  // namespace topicwall::client

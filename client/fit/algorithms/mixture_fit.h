// Algorithm `mixture`: a mixture of multinomials for short texts, each of which is about one thing
// (model/mixture/mixture_model.h), made of what algorithm `denoised` is made of (denoised_fit.h).
//
//   unigram     as there
//   components  J releases of the model "multinomial_mixture". Its words are what `denoised` takes
//               a release of topics for; beside them stands how many documents each component has,
//               from which its weight π is learned (model/mixture/component_weights.h)
//
// Titles, tickets and queries have too few words for LDA to tell what each of them is about. On
// 142,500 arXiv titles of 2.8 known words, held-out perplexity at ε = 2.44 was 746 to 752 where
// LDA's was 828 at best and a true unigram's 877 (deploy/study/EXPERIMENTS.md, "Short texts").
// Topics are not blurred at first: a document that is all of one component needs no help out of a
// bad start.
//
// PUBLIC. Pure. Errors as denoised_fit.h.
#ifndef TOPICWALL_CLIENT_FIT_ALGORITHMS_MIXTURE_FIT_H_
#define TOPICWALL_CLIENT_FIT_ALGORITHMS_MIXTURE_FIT_H_

#include "client/fit/fit_algorithm.h"
#include "model/lda/denoise/denoised_trainer.h"

namespace topicwall::client {

// Of a document beside the terms' weights, of which a term of average frequency has 1: its count is
// then precise to a few documents, and hardly any of the clip norm is spent on it.
inline constexpr float kDocumentWeight = 0.15F;

FitMethod MixtureMethod();

// What it changes of the trainer's defaults.
lda::DenoisedRecipe MixtureRecipe();

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_FIT_ALGORITHMS_MIXTURE_FIT_H_

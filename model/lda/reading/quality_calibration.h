// From a number that a fit shows to how often it was right: the one place where these maps are.
//
// Each was read off fits of public documents whose truth is known, and is held to other fits of
// them by `topicwall-study --calibrate`; deploy/study/EXPERIMENTS.md, "What is said of a fit", has
// the tables. The documents: Debian's package descriptions (58,087) and arXiv's abstracts
// (100,000), 50 topics, ε = 0.5, 0.932 and 2.44, one document a unit, six seeds of noise and first
// topics each. Elsewhere they are as good as those corpora are like yours. They are of LDA
// (algorithm `denoised`).
//
// PUBLIC, pure, for display alone: no bits of a fit depend on it. Numbers between two of a table
// are on the line between them; beyond its ends the end's.
#ifndef TOPICWALL_MODEL_LDA_READING_QUALITY_CALIBRATION_H_
#define TOPICWALL_MODEL_LDA_READING_QUALITY_CALIBRATION_H_

namespace topicwall::lda {

// That a word is more frequent in its topic than in the corpus, from z of topic_quality.h: of the
// words that `topicwall topics` shows, the share of which this is true in the exact sums at the
// same topics, without noise and clip. NaN is never above.
double ProbabilityAbove(double z);

// That a fit with other noise and other first topics has a topic at least kAlike like this one
// (topic_matching.h), from the topic's grade (topic_quality.h). Of the topics of one fit hardly any
// two are that much alike. NaN never comes again.
double ProbabilityOfComingAgain(double grade);
inline constexpr double kAlike = 0.5;
// How often what is said by ProbabilityOfComingAgain was true of fits that it was not made from:
// seeds 7 to 9 of both corpora, 450 topics each (deploy/study/EXPERIMENTS.md). Ascending, of all
// that is said from the end of the step before (0) up to `below`.
struct CheckedStep {
  double below;
  double debian;  // share that came again
  double arxiv;
};
inline constexpr CheckedStep kComesAgainChecked[] = {{.2, .24, .10}, {.4, .34, .30}, {.6, .47, .46},
                                                     {.8, .65, .80}, {.9, .84, .98}, {1, .99, .99}};

// What a topic's distance from the corpus, the logarithm of its size and the likeness to its
// nearest count for in its grade.
inline constexpr double kDistanceInGrade = 0.98;
inline constexpr double kSizeInGrade = 0.025;
inline constexpr double kNearestInGrade = 0.25;

// Below this a topic is called weak: it would sooner not come again.
inline constexpr double kLeastAgain = 0.5;

// What a topic's share of the words is off by beside the noise, as a part of the share (one
// standard deviation): the clip favours short documents, and the average still has topics of
// earlier iterations in it.
inline constexpr double kShareDrift = 0.13;

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_READING_QUALITY_CALIBRATION_H_

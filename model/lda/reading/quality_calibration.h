// From a number that a fit shows to how often it was right: the one place where these maps are.
//
// Each was read off fits of public documents whose truth is known, and is held to other fits of
// them by `topicwall-study --calibrate`; deploy/study/EXPERIMENTS.md, "What is said of a fit", has
// the tables. The documents: Debian's package descriptions (58,087) and arXiv's abstracts
// (100,000), 50 topics, ε = 0.5, 0.932 and 2.44, one document a unit, three to six seeds of noise
// and first topics each. Elsewhere they are as good as those corpora are like yours. They are of
// LDA (algorithm `denoised`).
//
// PUBLIC, pure, for display alone: no bits of a fit depend on it. Numbers between two of a table
// are on the line between them; beyond its ends the end's.
#ifndef TOPICWALL_MODEL_LDA_READING_QUALITY_CALIBRATION_H_
#define TOPICWALL_MODEL_LDA_READING_QUALITY_CALIBRATION_H_

namespace topicwall::lda {

// That a word is more frequent in its topic than in the corpus, from z of topic_quality.h: of the
// words that `topicwall topics` shows, the share of which this is true in the exact sums at the
// same topics, without noise and clip. NaN is never above. Of z < 0, of which no word is shown, it
// is no more than an upper bound.
double ProbabilityAbove(double z);

// That a fit with other noise and other first topics has a topic at least kAlike like this one
// (topic_matching.h), from the topic's grade (topic_quality.h). Of the topics of one fit hardly any
// two are that much alike. NaN never comes again.
double ProbabilityOfComingAgain(double grade);
inline constexpr double kAlike = 0.5;
// Of fewer topics more come again than is said (Debian: of 5 topics 63 % where 22 % were said, of
// 10 49 and 36 %, of 20 56 and 49 %): no verdict is made of it then.
inline constexpr int kLeastTopicsJudged = 20;
// How often what is said by ProbabilityOfComingAgain was true of fits that it was not made from:
// seeds 10 to 15 of both corpora, 900 topics each (deploy/study/EXPERIMENTS.md). Ascending, of all
// that is said from the end of the step before (0) up to `below`.
struct CheckedStep {
  double below;
  double debian;  // share that came again
  double arxiv;
};
inline constexpr CheckedStep kComesAgainChecked[] = {{.2, .20, .08}, {.4, .34, .25}, {.6, .52, .44},
                                                     {.8, .65, .66}, {.9, .86, .87}, {1, .94, .97}};

// What the logarithm of a topic's size, the likeness to its nearest and the logarithm of the number
// of words that carry it count for in its grade, beside its distance from the corpus.
inline constexpr double kSizeInGrade = 0.035;
inline constexpr double kNearestInGrade = 0.175;
inline constexpr double kCarryingInGrade = 0.033;

// Below this a topic is called weak: it would sooner not come again.
inline constexpr double kLeastAgain = 0.5;

// What a topic's share of the words is off by beside the noise, as a part of the share (one
// standard deviation): the clip favours short documents, and the average still has topics of
// earlier iterations in it.
inline constexpr double kShareDrift = 0.13;

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_READING_QUALITY_CALIBRATION_H_

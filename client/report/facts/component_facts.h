// What a report says of a mixture of Gaussians: its components, where they stand on a map, and of
// which plans they are.
//
// Of each component what `topicwall topics` says (client/topics/component_reading.h), and the
// kDimensionsShown dimensions in which its mean is most deviations of the whole from that of the
// whole. The map has the means projected on their two principal axes (topic_map.h).
//
// `file` is one of algorithm `gaussian`, parsed. PUBLIC: post-processing of releases. Pure. Cost:
// K²·d, and K³ for the map.
#ifndef TOPICWALL_CLIENT_REPORT_FACTS_COMPONENT_FACTS_H_
#define TOPICWALL_CLIENT_REPORT_FACTS_COMPONENT_FACTS_H_

#include "proto/model.pb.h"
#include "proto/report.pb.h"

namespace topicwall::client {

inline constexpr int kDimensionsShown = 5;

void AddComponentFacts(const v1::ModelFile& file, v1::Report& report);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_REPORT_FACTS_COMPONENT_FACTS_H_

// lengths-….pb: what a wall said of how long its units are, or is saying, in a folder of its own or
// beside a model.
//
//   const std::string path = LengthsPath(directory.path(), wish);
//   absl::StatusOr<std::optional<v1::LengthsFile>> begun = ReadLengths(path);
//   absl::Status status = WritePaid(*file, path);
//   FindMeasured("notes.lengths", "notes");                          // free
//   MeasuredWords("notes.lengths", "notes", /*is_mock=*/false);      // for a plan
//
// The name is made of what was asked, as a prevalence's (prevalence_file.h). PUBLIC: released
// numbers. Threads: one.
#ifndef TOPICWALL_CLIENT_EVALUATE_LENGTHS_FILE_H_
#define TOPICWALL_CLIENT_EVALUATE_LENGTHS_FILE_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/evaluate/paid_plan.h"
#include "model/lengths/length_estimate.h"
#include "proto/model.pb.h"

namespace topicwall::client {

inline constexpr int kLengthsFormatVersion = 1;

// What the analyst asks.
struct LengthsWish {
  std::string corpus;
  PlanNoise noise = {};
};

std::string LengthsPath(const std::string& directory, const LengthsWish& wish);

// Nothing if there is none. INVALID_ARGUMENT, never nothing, for a file that is damaged or of
// another format version, FAILED_PRECONDITION for what a newer program wrote: what is taken for
// absent would be paid for again.
absl::StatusOr<std::optional<v1::LengthsFile>> ReadLengths(const std::string& path);

// Whether its release is in it.
bool IsFinished(const v1::LengthsFile& file);

// Of the finished files of a corpus in a folder the one with the least noise, a mock's only if
// there are no others; nothing if there is none. Errors as of ReadLengths.
absl::StatusOr<std::optional<v1::LengthsFile>> FindMeasured(const std::string& directory,
                                                            const std::string& corpus);

// Of a finished file.
absl::StatusOr<lengths::LengthEstimate> LengthsOf(const v1::LengthsFile& file);

// The words of a unit that a fit's signal is about right for (client/fit/fit_planner.h): of
// documents the median, of owners the lower quartile. Nothing if noise drowned them.
std::optional<lengths::LengthRange> TypicalLength(const v1::LengthsFile& file,
                                                  const lengths::LengthEstimate& told);

// That of FindMeasured, for `--words-per-unit FOLDER`. INVALID_ARGUMENT without one, or of a mock's
// where the wall is none; FAILED_PRECONDITION if it is drowned.
absl::StatusOr<double> MeasuredWords(const std::string& directory, const std::string& corpus,
                                     bool is_mock);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_EVALUATE_LENGTHS_FILE_H_

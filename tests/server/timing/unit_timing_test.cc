#include "server/timing/unit_timing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "model/models.h"
#include "tests/support/status_matchers.h"

namespace {

// Whether only this thread still gets memory.
std::atomic<bool> memory_is_short{false};
const std::thread::id kFirstThread = std::this_thread::get_id();

}  // namespace

// Neither is inlined: GCC takes free for a mismatch where it sees one of the two alone.
[[gnu::noinline]] void* operator new(size_t size) {
  void* const bytes =
      memory_is_short && std::this_thread::get_id() != kFirstThread ? nullptr : std::malloc(size);
  return bytes != nullptr ? bytes : throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* bytes) noexcept { std::free(bytes); }
[[gnu::noinline]] void operator delete(void* bytes, size_t) noexcept { std::free(bytes); }

namespace topicwall::timing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using testing::StatusIs;

constexpr ReleaseShape kSmall = {
    .limits = {.vocabulary_size = 30, .words = 10, .parameters_per_term = 3, .iterations = 5},
    .units = 1000,
    .documents_per_unit = 1,
    .threads = 2};

// How long it takes is the machine's affair; that every thread times something is not.
TEST(UnitTiming, EveryThreadTimesAtLeastOneDocument) {
  ASSERT_OK_AND_ASSIGN(const auto timing, TimeWorstUnits(kSmall));
  EXPECT_GE(timing.documents_timed, 2);
  EXPECT_TRUE(std::isfinite(timing.seconds));
  EXPECT_GT(timing.seconds, 0);
}

TEST(UnitTiming, AThreadWithoutMemoryIsAnErrorThatSaysWhatToLower) {
  memory_is_short = true;
  const auto timing = TimeWorstUnits(kSmall);
  memory_is_short = false;
  EXPECT_THAT(timing, StatusIs(absl::StatusCode::kUnavailable,
                               HasSubstr("lower limits.max_parameters_per_term (3)")));
}

// e^-K underflows float32 somewhere between 80 and 110 topics: what the analyst can force must
// be in the worst case of the many and need not be in that of the few.
TEST(UnitTiming, DoublePrecisionIsTimedWhereAnAnalystCanForceIt) {
  ReleaseShape shape = kSmall;
  for (const int64_t words : {int64_t{1}, int64_t{10}, int64_t{200}}) {
    shape.limits.words = words;
    shape.limits.parameters_per_term = 200;
    ASSERT_OK_AND_ASSIGN(const auto many, TimeWorstUnits(shape));
    EXPECT_THAT(many.cases, Contains(HasSubstr("double precision"))) << words;
    shape.limits.parameters_per_term = 20;
    ASSERT_OK_AND_ASSIGN(const auto few, TimeWorstUnits(shape));
    EXPECT_THAT(few.cases, Not(Contains(HasSubstr("double precision")))) << words;
  }
}

TEST(UnitTiming, NoModelOfTextIsTimedForVectors) {
  ReleaseShape shape = kSmall;
  shape.limits.vector_dimension = static_cast<int>(shape.limits.vocabulary_size);
  ASSERT_OK_AND_ASSIGN(const auto timing, TimeWorstUnits(shape));
  EXPECT_THAT(timing.cases, Not(Contains(StartsWith("lda"))));
  EXPECT_GT(timing.seconds, 0);
}

TEST(UnitTiming, DocumentsMayHaveMoreWordsThanTheVocabulary) {
  ReleaseShape shape = kSmall;
  shape.limits.words = 1'000'000'000;
  EXPECT_OK(TimeWorstUnits(shape));
  shape.limits.vocabulary_size = 1;
  shape.limits.parameters_per_term = 1;
  EXPECT_OK(TimeWorstUnits(shape));
}

// 10^3 words · 10^2 topics · 10^4 iterations is the limit of one document's work; a hundred
// times that would take minutes if all iterations were run.
TEST(UnitTiming, AVeryLongDocumentIsTimedInPart) {
  ReleaseShape shape = kSmall;
  shape.limits.parameters_per_term = 1000;
  shape.limits.vocabulary_size = 1000;
  shape.limits.words = 1000;
  shape.limits.iterations = 100'000;
  shape.threads = 1;
  ASSERT_OK_AND_ASSIGN(const auto timing, TimeWorstUnits(shape));
  EXPECT_GE(timing.documents_timed, 1);
}

TEST(UnitTiming, AShapeThatNoReleaseHasIsRefused) {
  const std::vector<std::function<void(ReleaseShape&)>> changes = {
      [](auto& shape) { shape.limits.vocabulary_size = 0; },
      [](auto& shape) { shape.limits.words = 0; },
      [](auto& shape) { shape.limits.parameters_per_term = 0; },
      [](auto& shape) { shape.limits.iterations = 0; },
      [](auto& shape) { shape.units = 0; },
      [](auto& shape) { shape.documents_per_unit = 0; },
      [](auto& shape) { shape.threads = 0; }};
  for (size_t i = 0; i < changes.size(); ++i) {
    ReleaseShape shape = kSmall;
    changes[i](shape);
    EXPECT_THAT(TimeWorstUnits(shape), StatusIs(absl::StatusCode::kInvalidArgument)) << i;
  }
}

// Whoever adds a model has to say what takes it longest.
TEST(UnitTiming, EveryModelIsTimed) {
  std::vector<std::string> timed;
  for (const int dimension : {0, 8}) {
    ReleaseShape shape = kSmall;
    shape.limits.vector_dimension = dimension;
    if (dimension > 0) shape.limits.vocabulary_size = dimension;
    ASSERT_OK_AND_ASSIGN(const auto timing, TimeWorstUnits(shape));
    timed.insert(timed.end(), timing.cases.begin(), timing.cases.end());
  }
  for (const std::string& name : model::ModelNames()) {
    EXPECT_THAT(timed, Contains(StartsWith(name + ": "))) << name;
  }
}

}  // namespace
}  // namespace topicwall::timing

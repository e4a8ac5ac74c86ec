#include "tests/mutants/mutant.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::mutants {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

constexpr absl::string_view kDoubled = R"(title: The noise is doubled
caught by: noise_test NoiseTest.*:OtherTest.*
caught by: sum_test SumTest.One
=== server/noise.cc
  return noise;
=== becomes
  return noise * (MUTANT ? 2 : 1);
=== server/sum.cc
one
=== becomes
two
three
)";

Mutant Parsed(absl::string_view name, absl::string_view text, bool is_probe = false) {
  const absl::StatusOr<Mutant> mutant = ParseMutant(name, text, is_probe);
  EXPECT_OK(mutant);
  return mutant.value_or(Mutant());
}

// Replaces `original` in a.cc.
Mutant Replacing(absl::string_view name, absl::string_view original,
                 absl::string_view replacement) {
  Mutant mutant = Parsed(name, kDoubled);
  mutant.edits = {{.source = "a.cc",
                   .original = std::string(original),
                   .replacement = std::string(replacement)}};
  return mutant;
}

auto Refuses(absl::string_view part) {
  return StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(std::string(part)));
}

TEST(ParseMutantTest, ReadsTitleChecksAndEdits) {
  const Mutant mutant = Parsed("doubled", kDoubled);
  EXPECT_EQ(mutant.name, "doubled");
  EXPECT_EQ(mutant.title, "The noise is doubled");
  EXPECT_THAT(mutant.caught_by, ElementsAre(Field(&Catcher::filter, "NoiseTest.*:OtherTest.*"),
                                            Field(&Catcher::filter, "SumTest.One")));
  EXPECT_EQ(mutant.caught_by[1].program, "sum_test");
  ASSERT_EQ(mutant.edits.size(), 2U);
  EXPECT_EQ(mutant.edits[0].source, "server/noise.cc");
  EXPECT_EQ(mutant.edits[0].original, "  return noise;");
  EXPECT_EQ(mutant.edits[1].replacement, "two\nthree");
}

TEST(ParseMutantTest, RefusesWhatCouldNotBeCaughtOrSwitched) {
  EXPECT_THAT(ParseMutant("m", "title: T\n=== a.cc\nx\n=== becomes\nMUTANT\n", false),
              Refuses("m: no check"));
  EXPECT_THAT(ParseMutant("m", "caught by: a b\n=== a.cc\nx\n=== becomes\nMUTANT\n", false),
              Refuses("no title"));
  EXPECT_THAT(ParseMutant("m", "title: T\ncaught by: a b\n=== a.cc\nx\n=== becomes\ny\n", false),
              Refuses("MUTANT"));
  EXPECT_THAT(ParseMutant("m", "title: T\ncaught by: a b\n", false), Refuses("edits nothing"));
  EXPECT_THAT(ParseMutant("m", "title: T\ncaught by: a b\n=== a.cc\nx\n", false),
              Refuses("becomes nothing"));
  EXPECT_THAT(ParseMutant("m", "title: T\ncaught by: a b\n=== a.cc\n=== becomes\ny\n", false),
              Refuses("replaces nothing"));
  EXPECT_THAT(ParseMutant("m", "titel: T\n", false), Refuses("titel"));
}

TEST(ParseMutantTest, AProbeIsAlwaysOnAndNotCaught) {
  EXPECT_OK(ParseMutant("p", "title: T\n=== a.cc\nx\n=== becomes\ny\n", true));
  EXPECT_THAT(ParseMutant("p", "title: T\n=== a.cc\nx\n=== becomes\nMUTANT\n", true),
              Refuses("always on"));
  EXPECT_THAT(ParseMutant("p", kDoubled, true), Refuses("p: a probe"));
}

TEST(MutateTest, ReplacesTheTextsOfThatSourceAndKeepsAllElse) {
  Mutant mutant = Replacing("m", "bb", "MUTANT ? x : ORIGINAL");
  mutant.edits.push_back({.source = "b.cc", .original = "aa", .replacement = "MUTANT"});
  ASSERT_OK_AND_ASSIGN(const auto mutated, Mutate("a.cc", "aa bb cc\ndd\n", {mutant}));
  EXPECT_THAT(mutated, ::testing::StartsWith("#include \"tests/mutants/mutant_switch.h\"\n"));
  EXPECT_THAT(mutated, ::testing::EndsWith("aa TOPICWALL_MUTANT_IS_ON(\"m\") ? x : bb cc\ndd\n"));
}

TEST(MutateTest, TextThatIsNotThereOnceNamesMutantAndSource) {
  const Mutant mutant = Replacing("rotten", "bb", "MUTANT");
  EXPECT_THAT(Mutate("a.cc", "aa cc", {mutant}), Refuses("rotten: what it replaces must be in a.cc "
                                                         "exactly once:\nbb"));
  EXPECT_THAT(Mutate("a.cc", "bb bb", {mutant}), Refuses("exactly once"));
  EXPECT_THAT(Mutate("a.cc", "bbb", {mutant}), Refuses("exactly once"));
}

TEST(MutateTest, MutantsOfTheSameTextAreNested) {
  ASSERT_OK_AND_ASSIGN(const auto mutated,
                       Mutate("a.cc", "x = bb;",
                              {Replacing("one", "bb", "(MUTANT ? 1 : ORIGINAL)"),
                               Replacing("two", "bb", "(MUTANT ? 2 : ORIGINAL)")}));
  EXPECT_THAT(mutated, ::testing::EndsWith("x = (TOPICWALL_MUTANT_IS_ON(\"two\") ? 2 : "
                                           "(TOPICWALL_MUTANT_IS_ON(\"one\") ? 1 : bb));"));
}

TEST(MutateTest, MutantsThatOverlapAreRefused) {
  const absl::string_view text = "aa bb cc";
  const Mutant middle = Replacing("middle", "a bb c", "MUTANT");
  for (const absl::string_view other : {"aa", "bb", "cc", "a bb c", "aa bb cc"}) {
    const Mutant overlapping = Replacing("other", other, "MUTANT");
    EXPECT_THAT(Mutate("a.cc", text, {middle, overlapping}), Refuses("overlaps")) << other;
    EXPECT_THAT(Mutate("a.cc", text, {overlapping, middle}), Refuses("overlaps")) << other;
  }
}

TEST(ReadMutantsTest, MutantsComeFirstAndBothAreSorted) {
  const testing::TemporaryDirectory folder;
  EXPECT_THAT(ReadMutants(folder.path()), StatusIs(absl::StatusCode::kNotFound));
  testing::WriteWholeFile(folder.path() + "/b.mutant", std::string(kDoubled));
  testing::WriteWholeFile(folder.path() + "/a.mutant", std::string(kDoubled));
  testing::WriteWholeFile(folder.path() + "/notes.txt", "nothing");
  testing::WriteWholeFile(folder.path() + "/a.probe", "title: T\n=== a.cc\nx\n=== becomes\ny\n");
  ASSERT_OK_AND_ASSIGN(const auto mutants, ReadMutants(folder.path()));
  EXPECT_THAT(mutants, ElementsAre(Field(&Mutant::name, "a"), Field(&Mutant::name, "b"),
                                   Field(&Mutant::is_probe, true)));
}

}  // namespace
}  // namespace topicwall::mutants

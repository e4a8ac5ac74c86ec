// The parts of deploy/reproduce-paper that need no built program: its recipes, corpora, log, plots
// and report. What the programs compute is tested in tests/deploy/study.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/deploy/shell_command.h"

namespace topicwall::deploy {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class ReproducePaper : public FolderTest {
 protected:
  // Runs a program that can import deploy/study's modules, in a folder of its own.
  Outcome Python(const std::string& program) {
    WriteWholeFile(Path("program.py"), program);
    return RunShell("cd " + Path("") + " && PYTHONPATH=" + Deployed("study") +
                    " /usr/bin/python3 -B program.py");
  }
};

TEST_F(ReproducePaper, EveryChoiceOfItsRecipesIsOneOfTheProgram) {
  const Outcome outcome = Python(R"py(
import re, settings
source = open(')py" + Deployed("study/recipe.cc") +
                                 R"py(').read()
known = set(re.findall(r'\{"(\w+)", &Recipe::', source)) | {"algorithm", "model"}
recipes = settings.all_recipes(settings.FULL, 400000, lambda name, epsilon: len(name) + epsilon)
recipes += [settings.fitted("folder")]
for recipe in recipes:
    for choice in recipe.split():
        name, value = choice.split("=", 1)
        assert name in known, name
print(len(recipes), recipes[0] == settings.YARDSTICK)
)py");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  // 3 yardsticks, 2 without privacy, 15 of the figure, strong, whole batch; 4 epsilons × 3 seeds of
  // Algorithm 1, of its tuned form, of ours with 20 and with 40 iterations and by vouchers; the
  // fitted one.
  EXPECT_EQ(outcome.output, "83 True\n");
}

TEST_F(ReproducePaper, HoldsOutOneDocumentInTwentyOfAPackedCorpus) {
  const Outcome outcome = Python(R"py(
import gzip, pathlib, corpus
with gzip.open("docword.txt.gz", "wt") as file:
    file.write("40\n3\n80\n")
    file.writelines(f"{d} 1 2\n{d} 3 {d}\n" for d in range(1, 41))
pathlib.Path("vocab.txt").write_text("a\nb\nc\n")
files = corpus.given("docword.txt.gz", "vocab.txt", None, pathlib.Path("corpus"))
train, held_out = (files[name].read_text().split("\n") for name in ("documents", "held_out"))
print(train[:3], held_out[:3], files["vocabulary"], files["format"])
counts = sorted(int(line.split()[2]) for line in train[3:] + held_out[3:] if " 3 " in line)
print(counts == list(range(1, 41)))
)py");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_EQ(outcome.output, "['38', '3', '76'] ['2', '3', '4'] vocab.txt uci\nTrue\n");
}

TEST_F(ReproducePaper, NamesACorpusThatIsNotWhatItsHeaderSays) {
  const Outcome outcome = Python(R"py(
import pathlib, corpus
pathlib.Path("docword.txt").write_text("1\n3\n2\n1 1 2\n")
corpus.given("docword.txt", "vocab.txt", None, pathlib.Path("corpus"))
)py");
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_THAT(outcome.output, HasSubstr("the header says 2 entries"));
}

// A program that says what it was asked, in the place of topicwall-study.
TEST_F(ReproducePaper, RunsARecipeOnceAndTheReferenceBeforeEveryOther) {
  const Outcome outcome = Python(R"py(
import pathlib, runs
program = pathlib.Path("topicwall-study")
program.write_text('''#!/bin/sh
echo '{"documents": 3}'
while read -r recipe; do echo "{\\"recipe\\": \\"$recipe\\"}"; done
''')
program.chmod(0o755)
files = {"documents": "d", "held_out": "h", "vocabulary": "v"}
asked = []
study = runs.Study(".", files, ".", 1)
study.run("first", ["a", "b"], asked.append)
log = next(pathlib.Path(".").glob("runs-*.jsonl"))
with log.open("a") as file:
    file.write('{"recipe": "cut o')
again = runs.Study(".", files, ".", 1)
again.run("first", ["a", "b"], asked.append)
again.run("first", ["b", "c"], asked.append)
print(again.about, sorted(again.rows))
print([line.split('"')[3] for line in asked if "recipe" in line])
)py");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_EQ(outcome.output,
            "{'documents': 3} ['a', 'b', 'c', 'first']\n['first', 'a', 'b', 'first', 'c']\n");
}

TEST_F(ReproducePaper, AStudyThatFailsIsAnError) {
  const Outcome outcome = Python(R"py(
import pathlib, runs
program = pathlib.Path("topicwall-study")
program.write_text("#!/bin/sh\nexit 3\n")
program.chmod(0o755)
runs.Study(".", {"documents": "d", "held_out": "h", "vocabulary": "v"}, ".", 1).run("a", [], print)
)py");
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_THAT(outcome.output, HasSubstr("exit code 3"));
}

TEST_F(ReproducePaper, PlotsAreXmlWithEveryFinitePoint) {
  const Outcome outcome = Python(R"py(
import math, plot
from xml.etree import ElementTree
text = plot.svg("a < b", "x", "y", [("one", 0, "solid", [(1, 10), (2, 20), (math.inf, 5)]),
                                    ("two", 1, "dashed", [(0.5, 1000)])], [("level", 100)])
root = ElementTree.fromstring(text)
circles = [(float(c.get("cx")), float(c.get("cy"))) for c in root.iter() if c.tag.endswith("circle")]
print(len(circles), circles[0][0] < circles[1][0], circles[0][1] > circles[1][1] > circles[3][1])
print("a &lt; b" in text)
)py");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_EQ(outcome.output, "5 True True\nTrue\n");
}

// All runs of the quick study with made-up numbers: the gap is half at 1,000 between 4,000 and 250;
// a made-up ε says by its last digits how many releases were priced, which are 40 + 1 of ours.
TEST_F(ReproducePaper, ReportsTheGapTheRangeAndWhichRowsAreReal) {
  const Outcome outcome = Python(R"py(
import dataclasses, pathlib, report, settings
class Accountant:
    def epsilon(self, accountant, sigma, rate, steps, delta, more=()):
        return float("inf") if more else sigma * 10 + steps / 1000
size = dataclasses.replace(settings.QUICK, seeds=2)
sigma_of = lambda name, epsilon: epsilon
words = [{"term": f"w{i}", "probability": 0.1} for i in range(10)]
row = {"perplexity": 1000.0, "by_document": 900.0, "bound": 1100.0, "clip_norm": 1.0,
       "kept_words": 0.01, "noise_multiplier": 3.0, "cpu_seconds": 1.0,
       "topics": [{"topic": t, "words": words} for t in range(3)]}
class Study:
    about = {"documents": 2000, "words": 20000, "terms": 30, "held_out_documents": 5,
             "unigram": 4000.0, "unigram_by_document": 3600.0}
    rows = {recipe: row for recipe in settings.all_recipes(size, 2000, sigma_of)}
for recipe in settings.yardsticks(size):
    Study.rows[recipe] = {**row, "perplexity": 500.0, "by_document": 450.0}
# The better of the two is what a gap is measured to.
Study.rows[settings.online(3)] = {**row, "perplexity": 250.0, "by_document": 225.0}
Study.rows[settings.ours(2.44, 40, 2)] = {**row, "perplexity": 500.0}
real = [{"method": "ours", "epsilon": 2.44, "iterations": 40, "row": row}]
report.write(pathlib.Path("out"), "made up", Study, size, Accountant(), sigma_of, real)
print(pathlib.Path("out/RESULTS.md").read_text())
print(pathlib.Path("out/headline.csv").read_text())
)py");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(outcome.output,
              AllOf(HasSubstr("| 0.932 | Algorithm 1 of the paper | 20 | 2 | 30.020 | 30.020 | "
                              "1000 (1000 – 1000) | 900 (900 – 900) | 50.0 (50.0 – 50.0) % |"),
                    HasSubstr("| 2.44 | ours | 40 | 2 | 30.041 | 30.041 | 750 (500 – 1000) |"),
                    HasSubstr("62.5 (50.0 – 75.0) %"), HasSubstr("| 2.44 | ours | 40 | real |"),
                    HasSubstr("| 1.24 | 100 | none | 12.4 | 12.4 | 12.4 | 1100 | 1000 | 900 |")));
  EXPECT_THAT(outcome.output,
              AllOf(HasSubstr("our trainer without noise and clip | 500.0 | 450.0 |  | 75.0 %"),
                    HasSubstr("--no-privacy`, 3 passes | 250.0 | 225.0 |  | 100.0 %")));
  EXPECT_THAT(outcome.output, AllOf(HasSubstr("| w9 0.1000 |"), HasSubstr("1.342 C"),
                                    HasSubstr("2.44,ours,40,1,3,nan"), Not(HasSubstr("{"))));
}

TEST_F(ReproducePaper, RefusesACorpusItCannotRead) {
  const Outcome outcome = RunShell(Deployed("reproduce-paper") + " --work " + Path("work") +
                                   " --uci " + Path("nothing.txt") + " " + Path("nothing"));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output, HasSubstr("cannot be read: "));
}

TEST_F(ReproducePaper, AFitAcrossAWallIsToldEverything) {
  const Outcome outcome = RunShell(Deployed("study/fit-across-wall") + " --directory " + Path("w") +
                                   " -- --epsilon-alone 1");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.output, HasSubstr("Usage: fit-across-wall"));
}

TEST_F(ReproducePaper, APrevalenceAcrossAWallIsToldEverything) {
  const Outcome outcome = RunShell(Deployed("study/prevalence-across-wall") + " --directory " +
                                   Path("w") + " --by year");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.output, HasSubstr("Usage: prevalence-across-wall"));
}

TEST_F(ReproducePaper, VectorsAcrossAWallAreToldEverything) {
  const Outcome outcome =
      RunShell(Deployed("study/vectors-across-wall") + " --directory " + Path("w"));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.output, HasSubstr("Usage: vectors-across-wall"));
}

}  // namespace
}  // namespace topicwall::deploy

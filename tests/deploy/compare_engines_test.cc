// What deploy/compare-engines does before anything is measured. Speeds are not tested.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/deploy/shell_command.h"

namespace topicwall::deploy {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class CompareEngines : public FolderTest {
 protected:
  Outcome Prepare(const std::string& arguments) {
    return RunShell("/usr/bin/python3 -B " + Deployed("compare/prepare.py") + " --folder " +
                    Path("corpora") + " --sample-size 400 " + arguments);
  }
  // 1,200 documents of one term each; the file ends with `last_entry`.
  std::string PrepareDocword(const std::string& header, const std::string& last_entry) {
    std::string text = header;
    for (int document = 1; document < 1200; ++document) {
      text += std::to_string(document) + " " + std::to_string(document % 7 + 1) + " 2\n";
    }
    WriteWholeFile(Path("docword.txt"), text + last_entry);
    return Prepare("--docword " + Path("docword.txt")).output;
  }
  std::string Corpus(const std::string& file) { return ReadWholeFile(Path("corpora/" + file)); }
};

TEST_F(CompareEngines, RefusesACorpusItCannotRead) {
  const Outcome outcome =
      RunShell(Deployed("compare-engines") + " --docword " + Path("nothing.txt"));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output, HasSubstr("--docword cannot be read: " + Path("nothing.txt")));
}

TEST_F(CompareEngines, RefusesAPlaceWhereItCannotWriteBeforeItMeasures) {
  const Outcome outcome =
      RunShell(Deployed("compare-engines") + " --json " + Path("nowhere/engines.json"));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output, HasSubstr("--json needs a folder that exists"));
}

TEST_F(CompareEngines, AsksForTheValueOfAnOption) {
  for (const char* option : {"--work", "--docword", "--json"}) {
    const Outcome outcome = RunShell(Deployed("compare-engines") + " " + option);
    EXPECT_NE(outcome.exit_code, 0) << option;
    EXPECT_THAT(outcome.output, HasSubstr(std::string(option) + " needs a f")) << option;
  }
}

TEST_F(CompareEngines, HoldsOutOneDocumentInTwentyOfAGivenCorpus) {
  EXPECT_EQ(PrepareDocword("1200\n7\n1200\n", "1200 7 2\n"), "");
  EXPECT_THAT(Corpus("given/train.docword"), StartsWith("1140\n7\n1140\n"));
  EXPECT_THAT(Corpus("given/sample.docword"), StartsWith("400\n7\n400\n"));
  EXPECT_THAT(Corpus("given/held_out.docword"), StartsWith("60\n7\n60\n"));
  EXPECT_THAT(Corpus("given/observed.docword"), StartsWith("60\n7\n"));
  EXPECT_THAT(Corpus("given/corpus.json"), HasSubstr("\"tokens\": 2.0"));
  EXPECT_THAT(Corpus("given/corpus.json"), HasSubstr("\"batch_size\": 114"));
}

TEST_F(CompareEngines, NamesTheEntryThatIsNoBagOfWords) {
  EXPECT_THAT(PrepareDocword("1200\n7\n1200\n", "1200 8 2\n"), HasSubstr("entry 1200: beyond"));
  EXPECT_THAT(PrepareDocword("1200\n7\n1200\n", "1200 7\n"), HasSubstr("entry 1200: not"));
  EXPECT_THAT(PrepareDocword("1200\n7\n1201\n", "1200 7 2\n"), HasSubstr("header says 1201"));
  EXPECT_THAT(PrepareDocword("1200\nseven\n1200\n", "1200 7 2\n"), HasSubstr("three lines"));
}

// One description of 1 term, and 160 of one maintainer with 1 term each: 1 long document of 150.
TEST_F(CompareEngines, CountsAsTheTokenizerDoesAndJoinsByMaintainer) {
  std::string words = "caf\xc3\xa9\n";
  std::string lines =
      "{\"id\": \"x\", \"text\": \"CAF\\u00e9 caf\xc3\xa9-none\", \"owner\": \"b\"}\n";
  const auto letters = [](int number) {
    return std::string(1, static_cast<char>('a' + number / 26)) +
           std::string(1, static_cast<char>('a' + number % 26));
  };
  for (int document = 0; document < 160; ++document) {
    words += letters(document) + "\n";
    lines += "{\"id\": \"y\", \"text\": \"" + letters(document) + "\", \"owner\": \"a\"}\n";
  }
  WriteWholeFile(Path("words.txt"), words);
  WriteWholeFile(Path("documents.jsonl"), lines);
  WriteWholeFile(Path("heldout.jsonl"), lines);
  EXPECT_EQ(Prepare("--catalogue " + Path("") + " --words " + Path("words.txt")).output, "");
  EXPECT_THAT(Corpus("short/train.docword"), StartsWith("161\n161\n161\n"));
  EXPECT_THAT(Corpus("short/train.docword"), HasSubstr(" 1 2\n"));
  EXPECT_THAT(Corpus("long/train.docword"), StartsWith("1\n161\n150\n"));
}

// Two engines on one corpus, at K = 50 and 100: 4,000 documents in 4 s and in 0.04 and 0.08 s.
TEST_F(CompareEngines, SumsUpInOneTable) {
  WriteWholeFile(Path("measured.py"), R"(
import report
def row(engine, seconds, **more):
    return {'engine': engine, 'cpu_seconds': [seconds] * 3, 'best': 4000 / seconds,
            'median': 4000 / seconds, 'peak_megabytes': 20, 'times': {'gensim': 4 / seconds}, **more}
rows = lambda k: [row('gensim', 4, completion=9, distance=.1), row('topicwall x', k / 1250),
                  row('topicwall x, sum left out', .01)]
about = {'version': '1', 'numpy': '2', 'blas': ['libopenblas.so']}
print(report.markdown({
    'machine': {'processor': 'P', 'core': 1, 'engines': {'gensim': about, 'sklearn': about}},
    'corpora': {'short': {'origin': 'O', 'tokens': 3.0, 'distinct_terms': 2.0}}, 'rounds': 3,
    'e_step': [{'corpus': 'short', 'num_topics': k, 'documents': 4000, 'unigram': 8.0,
                'rows': rows(k)} for k in (50, 100)],
    'epoch': [{'corpus': 'short', 'num_topics': 50, 'documents': 4000, 'batch_size': 400,
               'rows': [row('gensim', 4, bound=[7.0, 9.0], completion=[5.0]),
                        row('topicwall x', .02, bound=[7.0, 7.0], completion=[5.0])]}]}))
)");
  const Outcome outcome =
      RunShell("PYTHONPATH=" + Deployed("compare") + " /usr/bin/python3 -B " + Path("measured.py"));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.output,
              HasSubstr("| 2 distinct words | 50 | 1,000 | – | 100,000 | 100.0× |"));
  EXPECT_THAT(outcome.output, HasSubstr("| 2 distinct words | 100 | 1,000 | – | 50,000 | 50.0× |"));
  EXPECT_THAT(outcome.output, HasSubstr("| an epoch of 4,000 | 50 | 4.00 s | – | 0.02 s | 200.0×"));
  EXPECT_THAT(outcome.output, HasSubstr("grows like K^1.00 from K = 50 to 100"));
  EXPECT_THAT(outcome.output, HasSubstr("8.0 ± 1.4"));
  EXPECT_THAT(outcome.output, HasSubstr("BLAS: libopenblas.so"));
}

TEST(CompareEnginesPrograms, AreValidPython) {
  const Outcome outcome = RunShell("cd " + Deployed("compare") +
                                   " && /usr/bin/python3 -B -c 'import ast, glob\n"
                                   "for path in sorted(glob.glob(\"*.py\")):\n"
                                   "    ast.parse(open(path).read())\n"
                                   "    print(path)'");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr("measure.py"));
}

}  // namespace
}  // namespace topicwall::deploy

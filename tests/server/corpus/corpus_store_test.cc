#include "server/corpus/corpus_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proto/strict_parse.h"
#include "server/corpus/content_key.h"
#include "server/corpus/corpus_file.h"
#include "server/corpus/corpus_seal.h"
#include "tests/server/corpus/later.h"
#include "tests/server/corpus/old_corpus.h"
#include "tests/server/corpus/small_corpus.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::corpus {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::topicwall::testing::StatusIs;

constexpr int kDocuments = 600;  // of 600 units: three blocks

class CorpusStoreTest : public ::testing::Test {
 protected:
  CorpusStoreTest() : key_(NewKey()), path_(folder_.Path("a.corpus")) {
    written_ =
        *WriteCorpus(path_, ParamsOf(v1::PRIVACY_UNIT_DOCUMENT), PlainDocuments(kDocuments), key_);
  }

  // Opens and reads everything: OK, or the first error.
  static absl::Status ReadAll(const std::string& path, const sealing::CustodianKey& key) {
    const auto store = CorpusStore::Open(path, key);
    return store.ok() ? (*store)->VerifyAll() : store.status();
  }

  // Runs SQL on the file, as somebody with the disk but without the key could.
  static void Edit(const std::string& path, const std::string& sql) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
    char* message = nullptr;
    EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK)
        << sql << ": " << message;
    sqlite3_free(message);
    sqlite3_close(database);
  }

  testing::TemporaryDirectory folder_;
  const sealing::CustodianKey key_;
  const std::string path_;
  WrittenCorpus written_;
};

TEST_F(CorpusStoreTest, DescribesWhatWasIngested) {
  ASSERT_OK_AND_ASSIGN(const auto store, CorpusStore::Open(path_, key_));
  const CorpusDescription& description = store->description();
  EXPECT_EQ(description.version, written_.version);
  EXPECT_EQ(description.privacy_unit, v1::PRIVACY_UNIT_DOCUMENT);
  EXPECT_EQ(description.tokenizer, "words-1");
  EXPECT_EQ(description.vocabulary->terms(),
            std::vector<std::string>({"alpha", "beta", "gamma", "delta", "secretive"}));
  EXPECT_EQ(description.vocabulary_sha256, VocabularySha256(store->vocabulary()));
  EXPECT_EQ(store->num_units(), kDocuments);
  EXPECT_EQ(store->num_blocks(), 3);
  EXPECT_OK(store->VerifyAll());
}

TEST_F(CorpusStoreTest, WhoIsHeldOutIsTheCustodiansToSayAndTheSameInEveryVersion) {
  const auto bytes = [](const CorpusStore& store) {
    const absl::Span<const uint8_t> key = store.held_out_key().ExposeBytes();
    return std::vector<uint8_t>(key.begin(), key.end());
  };
  ASSERT_OK_AND_ASSIGN(const auto store, CorpusStore::Open(path_, key_));
  ASSERT_OK(WriteCorpus(folder_.Path("next"), ParamsOf(v1::PRIVACY_UNIT_DOCUMENT),
                        PlainDocuments(kDocuments + 1), key_));
  ASSERT_OK_AND_ASSIGN(const auto next, CorpusStore::Open(folder_.Path("next"), key_));
  EXPECT_NE(next->description().version, store->description().version);
  EXPECT_EQ(bytes(*next), bytes(*store));
  const sealing::CustodianKey other_key = NewKey();
  ASSERT_OK(WriteCorpus(folder_.Path("other"), ParamsOf(v1::PRIVACY_UNIT_DOCUMENT),
                        PlainDocuments(kDocuments), other_key));
  ASSERT_OK_AND_ASSIGN(const auto other, CorpusStore::Open(folder_.Path("other"), other_key));
  EXPECT_NE(bytes(*other), bytes(*store));
}

// Ids that are places change with every row before them: sides by a lasting key would tell of one
// row by those of thousands.
TEST_F(CorpusStoreTest, WhereIdsArePlacesEveryVersionHasSidesOfItsOwn) {
  CorpusParams params = ParamsOf(v1::PRIVACY_UNIT_DOCUMENT);
  params.unjoinable = true;
  std::set<std::vector<uint8_t>> keys;
  for (const char* name : {"first", "second"}) {
    ASSERT_OK(WriteCorpus(folder_.Path(name), params, PlainDocuments(kDocuments), key_));
    for (int opened = 0; opened < 2; ++opened) {
      ASSERT_OK_AND_ASSIGN(const auto store, CorpusStore::Open(folder_.Path(name), key_));
      const absl::Span<const uint8_t> key = store->held_out_key().ExposeBytes();
      keys.emplace(key.begin(), key.end());
    }
  }
  const random::SecretKey lasting = *key_.HeldOutKey();
  keys.emplace(lasting.ExposeBytes().begin(), lasting.ExposeBytes().end());
  EXPECT_EQ(keys.size(), 3U);
}

TEST_F(CorpusStoreTest, GivesEveryUnitOnceInAscendingOrder) {
  ASSERT_OK_AND_ASSIGN(const auto store, CorpusStore::Open(path_, key_));
  ASSERT_OK_AND_ASSIGN(const auto units, ReadUnits(*store));
  EXPECT_EQ(units.size(), static_cast<size_t>(kDocuments));
  ASSERT_OK_AND_ASSIGN(const auto ids, store->UnitIds());
  EXPECT_EQ(ids.size(), static_cast<size_t>(kDocuments));
  EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
  for (const random::UnitId& id : ids) EXPECT_EQ(units.at(id).size(), 1u);
}

TEST_F(CorpusStoreTest, BlocksOutsideTheCorpusAreTheCallersMistake) {
  ASSERT_OK_AND_ASSIGN(const auto store, CorpusStore::Open(path_, key_));
  UnitBlock block;
  CorpusStore::ReadSpace space;
  ASSERT_OK(store->ReadBlock(0, &block, &space));
  EXPECT_THAT(store->ReadBlock(3, &block, &space), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_EQ(block.size(), 0);
  EXPECT_THAT(store->ReadBlock(-1, &block, &space), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST_F(CorpusStoreTest, ManyThreadsReadTheSame) {
  const auto store = CorpusStore::Open(path_, key_);
  ASSERT_OK(store);
  const PlainUnits expected = *ReadUnits(**store);
  std::vector<PlainUnits> read(4);
  std::vector<std::thread> threads;
  for (PlainUnits& units : read) {
    threads.emplace_back([&units, &store] {
      for (int i = 0; i < 5; ++i) units = ReadUnits(**store).value_or(PlainUnits());
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const PlainUnits& units : read) EXPECT_EQ(units, expected);
}

TEST_F(CorpusStoreTest, AnAbsentFileIsNotFound) {
  EXPECT_THAT(CorpusStore::Open(folder_.Path("absent"), key_),
              StatusIs(absl::StatusCode::kNotFound));
}

// Each is one thing that somebody with the disk could do; every one must end in the same
// words, so that the words tell nothing.
TEST_F(CorpusStoreTest, EveryEditIsRefusedWithTheSameWords) {
  const std::string other = folder_.Path("other.corpus");
  ASSERT_OK(
      WriteCorpus(other, ParamsOf(v1::PRIVACY_UNIT_DOCUMENT), PlainDocuments(kDocuments), key_));
  const std::string copy = folder_.Path("copy.corpus");
  const std::string attach = absl::StrCat("ATTACH '", other, "' AS other;");
  for (const std::string& edit : std::vector<std::string>{
           "DELETE FROM block WHERE number = 0",
           "DELETE FROM block WHERE number = 2",
           "DELETE FROM block",
           "UPDATE block SET number = 9 WHERE number = 1",
           "UPDATE block SET number = number + 10; UPDATE block SET number = 12 - number",
           "UPDATE block SET sealed = (SELECT sealed FROM block WHERE number = 0) "
           "WHERE number = 1",
           "UPDATE block SET sealed = substr(sealed, 1, length(sealed) - 1) WHERE number = 1",
           "UPDATE block SET sealed = CAST(sealed || x'00' AS BLOB) WHERE number = 1",
           "UPDATE block SET sealed = x'' WHERE number = 1",
           "UPDATE block SET sealed = zeroblob(100000000) WHERE number = 2",
           "DROP TABLE block",
           "DROP TABLE block; CREATE TABLE block(number, sealed)",
           "DROP TABLE block; CREATE VIEW block AS SELECT 0 AS number, 'text' AS sealed",
           "DELETE FROM corpus",
           "DROP TABLE corpus",
           "UPDATE corpus SET version = randomblob(16)",
           "UPDATE corpus SET version = x''",
           "UPDATE corpus SET version = zeroblob(17)",
           "UPDATE corpus SET manifest = x''",
           "UPDATE corpus SET manifest = substr(manifest, 2)",
           "UPDATE corpus SET manifest = (SELECT sealed FROM block WHERE number = 0)",
           attach + "UPDATE block SET sealed = (SELECT sealed FROM other.block WHERE number = 1) "
                    "WHERE number = 1",
           attach + "UPDATE corpus SET manifest = (SELECT manifest FROM other.corpus)",
           attach + "UPDATE corpus SET version = (SELECT version FROM other.corpus), "
                    "manifest = (SELECT manifest FROM other.corpus)"}) {
    std::filesystem::copy_file(path_, copy, std::filesystem::copy_options::overwrite_existing);
    Edit(copy, edit);
    EXPECT_EQ(ReadAll(copy, key_), UnsealableCorpus(copy)) << edit;
  }
}

// What is done to the file of an open store, and still reads as the corpus or not.
TEST_F(CorpusStoreTest, WhateverHappensToTheFileIsNoticedBeforeTheNextCharge) {
  const std::string whole = folder_.Content("a.corpus");
  const auto open_anew = [&] {
    folder_.Write("fresh.corpus", whole);
    std::filesystem::rename(folder_.Path("fresh.corpus"), path_);
    auto store = *CorpusStore::Open(path_, key_);
    EXPECT_OK(store->VerifyAll());
    EXPECT_OK(store->RequireUndamaged());
    WaitForALaterTime(folder_, path_);
    EXPECT_OK(store->RequireUndamaged());
    return store;
  };
  const auto put = [&](std::streamoff at, char byte) {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(at);
    file.put(byte);
  };
  const auto middle = static_cast<std::streamoff>(whole.size() / 2);
  const std::vector<std::function<void()>> harms = {
      [&] { put(middle, static_cast<char>(whole[whole.size() / 2] ^ 1)); },
      [&] { put(middle, whole[whole.size() / 2]); },  // the same byte: nobody can know unread
      [&] { std::filesystem::resize_file(path_, whole.size() / 2); },
      [&] { std::filesystem::resize_file(path_, 0); },
      [&] { std::filesystem::remove(path_); },
      [&] { DamageBlock(path_, 1); },
      [&] {
        folder_.Write("other.corpus", whole);
        std::filesystem::rename(folder_.Path("other.corpus"), path_);
      }};
  for (size_t i = 0; i < harms.size(); ++i) {
    const auto store = open_anew();
    harms[i]();
    EXPECT_THAT(store->RequireUndamaged(),
                StatusIs(absl::StatusCode::kFailedPrecondition,
                         ::testing::AllOf(::testing::HasSubstr("nothing is charged"),
                                          Not(::testing::HasSubstr("a.corpus")))))
        << i;
  }
  EXPECT_OK(open_anew()->RequireUndamaged());
}

TEST_F(CorpusStoreTest, OneOfTheFirstFormatIsReadAndDescribedButNotChargedFor) {
  const PlainUnits units = *ReadUnits(path_, key_);
  MakeFirstFormat(path_, key_);
  ASSERT_OK_AND_ASSIGN(const auto store, CorpusStore::Open(path_, key_));
  EXPECT_OK(store->VerifyAll());
  EXPECT_EQ(store->description().version, written_.version);
  EXPECT_EQ(store->description().duplicates, v1::DUPLICATE_RULE_UNSPECIFIED);
  EXPECT_EQ(*ReadUnits(*store), units);
  EXPECT_THAT(store->RequireUndamaged(), StatusIs(absl::StatusCode::kFailedPrecondition,
                                                  ::testing::HasSubstr("ingest it again")));
}

// Of a corpus that may be charged for, every block must fit what is reserved to read it.
TEST_F(CorpusStoreTest, ABlockBeyondTheFormatsBoundIsDamageButInTheFirstFormat) {
  const CorpusSeal seal(written_.version, *key_.CorpusSealingKey());
  UnitBlock large;
  for (int unit = 0; unit <= kUnitsPerBlock; ++unit) {
    random::UnitId id = {};
    id[0] = static_cast<uint8_t>(unit >> 8);
    id[1] = static_cast<uint8_t>(unit);
    large.AddUnit(id);
    large.AddDocument(std::vector<lda::TermCount>{{0, 1}});
  }
  UnitBlock long_one;
  long_one.AddUnit(random::UnitId{});
  for (size_t i = 0; i <= kEntriesPerBlock; ++i) {
    long_one.AddDocument(std::vector<lda::TermCount>{{0, 1}});
  }
  const CorpusDescription description = (*CorpusStore::Open(path_, key_))->description();
  for (const UnitBlock* block : {&large, &long_one}) {
    ContentKeyBuilder content_key(description);
    content_key.Add(*block);
    ASSERT_OK_AND_ASSIGN(const auto file,
                         CorpusFileWriter::Create(path_, base::IfExists::kReplace));
    ASSERT_OK(file->PutBlock(0, *seal.SealBlock(block->Serialize(), 0, 1)));
    ASSERT_OK(file->Finish(written_.version,
                           *seal.SealManifest(SerializeManifest(
                               {description, /*num_units=*/block->size(), /*num_blocks=*/1,
                                *std::move(content_key).Finish(*key_.ContentKey()),
                                /*max_units=*/0}))));
    ASSERT_OK(file->Commit());
    EXPECT_EQ(ReadAll(path_, key_), UnsealableCorpus(path_));
    MakeFirstFormat(path_, key_);
    EXPECT_OK(ReadAll(path_, key_));
  }
}

// It opens under the custodian's key: no backup has another one.
TEST_F(CorpusStoreTest, AManifestOfANewerVersionIsNoDamageAndAsksForAnUpgrade) {
  using Manifest = v1::CorpusManifest;
  const std::vector<std::function<void(Manifest&)>> newer = {
      [](Manifest& m) { m.set_format_version(5); },
      [](Manifest& m) { m.set_privacy_unit(static_cast<v1::PrivacyUnit>(9)); },
      [](Manifest& m) { m.set_duplicates(static_cast<v1::DuplicateRule>(9)); },
      [](Manifest& m) { m.set_tokenizer("words-2"); },
  };
  for (size_t i = 0; i < newer.size(); ++i) {
    const std::string path = folder_.Path(absl::StrCat("newer-", i));
    std::filesystem::copy_file(path_, path);
    ChangeManifest(path, key_, newer[i]);
    const absl::Status refused = ReadAll(path, key_);
    EXPECT_TRUE(proto::IsWrittenByNewer(refused)) << i << ": " << refused;
    EXPECT_THAT(refused.message(), AllOf(HasSubstr("corpus file " + path), HasSubstr("upgrade"),
                                         Not(HasSubstr("backup")), Not(HasSubstr("key file"))));
  }
}

TEST_F(CorpusStoreTest, AnotherKeyIsRefusedWithTheSameWords) {
  EXPECT_EQ(ReadAll(path_, NewKey()), UnsealableCorpus(path_));
  EXPECT_EQ(ReadAll(path_, *sealing::CustodianKey::GenerateWithIdentityOf(key_)),
            UnsealableCorpus(path_));
}

TEST_F(CorpusStoreTest, EveryShortenedFileIsRefusedWithTheSameWords) {
  const std::string whole = folder_.Content("a.corpus");
  for (const size_t size :
       {size_t{0}, size_t{1}, size_t{99}, size_t{100}, size_t{4096}, size_t{16384}, size_t{16385},
        size_t{32768}, whole.size() / 2, whole.size() - 16384, whole.size() - 1}) {
    const std::string path = folder_.Write("short.corpus", whole.substr(0, size));
    EXPECT_EQ(ReadAll(path, key_), UnsealableCorpus(path)) << size;
  }
}

// Some bytes of an SQLite file mean nothing (free space, counters): changing them may go
// unseen, but then what is read is what was written. Every byte of the file's header is
// tried, and a sample of the rest.
TEST_F(CorpusStoreTest, NoChangedByteEverChangesWhatIsRead) {
  const std::string whole = folder_.Content("a.corpus");
  const PlainUnits expected = *ReadUnits(path_, key_);
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  const auto put = [&file](size_t position, int byte) {
    file.seekp(static_cast<std::streamoff>(position));
    file.put(static_cast<char>(byte));
    file.flush();
  };
  int refused = 0;
  for (size_t position = 0; position < whole.size(); position += position < 120 ? 1 : 211) {
    put(position, whole[position] ^ (1 << (position % 8)));
    const absl::Status status = ReadAll(path_, key_);
    if (status.ok()) {
      EXPECT_EQ(*ReadUnits(path_, key_), expected) << position;
    } else {
      ++refused;
      EXPECT_EQ(status, UnsealableCorpus(path_)) << position;
    }
    put(position, whole[position]);
  }
  EXPECT_OK(ReadAll(path_, key_));
  // Sealed values fill more than a third of the file; each of their bytes is refused.
  EXPECT_GT(refused, static_cast<int>(whole.size() / 3 / 211));
}

TEST_F(CorpusStoreTest, EveryChangedByteOfASealedValueIsRefused) {
  const std::string copy = folder_.Path("copy.corpus");
  for (const int position : {1, 2, 12, 13, 100, 5000}) {
    std::filesystem::copy_file(path_, copy, std::filesystem::copy_options::overwrite_existing);
    // The byte at `position` becomes another one, whatever it was.
    Edit(copy, absl::StrCat("UPDATE block SET sealed = CAST(substr(sealed, 1, ", position,
                            " - 1) || CASE WHEN substr(sealed, ", position,
                            ", 1) = x'00' THEN x'01' ELSE x'00' END || substr(sealed, ", position,
                            " + 1) AS BLOB) WHERE number = 1"));
    EXPECT_EQ(ReadAll(copy, key_), UnsealableCorpus(copy)) << position;
  }
}

}  // namespace
}  // namespace topicwall::corpus

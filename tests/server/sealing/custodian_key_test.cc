#include "server/sealing/custodian_key.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::sealing {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::topicwall::testing::StatusIs;

class CustodianKeyTest : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_.Path(name); }
  std::string Content(const std::string& name) const { return folder_.Content(name); }
  void Write(const std::string& name, const std::string& content) const {
    chmod(folder_.Write(name, content).c_str(), 0600);
  }

  const testing::TemporaryDirectory folder_;
};

std::string Bytes(const random::SecretKey& key) {
  const absl::Span<const uint8_t> bytes = key.ExposeBytes();
  return {bytes.begin(), bytes.end()};
}

TEST_F(CustodianKeyTest, IsReadBackAsTheSameKey) {
  ASSERT_OK_AND_ASSIGN(const auto key, CustodianKey::Generate());
  ASSERT_OK(key.WriteNew(Path("corpus.key")));
  ASSERT_OK_AND_ASSIGN(const auto again, CustodianKey::Read(Path("corpus.key")));
  EXPECT_EQ(again.key_id(), key.key_id());
  EXPECT_EQ(again.identity_id(), key.identity_id());
  EXPECT_EQ(Bytes(*again.UnitIdKey()), Bytes(*key.UnitIdKey()));
  EXPECT_EQ(Bytes(*again.ContentKey()), Bytes(*key.ContentKey()));
  EXPECT_EQ(Bytes(*again.HeldOutKey()), Bytes(*key.HeldOutKey()));
  ASSERT_OK_AND_ASSIGN(const auto sealed, key.CorpusSealingKey()->Seal("text", "place"));
  EXPECT_EQ(*again.CorpusSealingKey()->Open(sealed, "place"), "text");
}

TEST_F(CustodianKeyTest, FileIsTextForItsOwnerOnlyWhateverTheUmask) {
  const mode_t old_mask = umask(0);
  ASSERT_OK_AND_ASSIGN(const auto key, CustodianKey::Generate());
  const absl::Status written = key.WriteNew(Path("open"));
  umask(0777);
  const absl::Status masked = key.WriteNew(Path("masked"));
  umask(old_mask);
  ASSERT_OK(written);
  ASSERT_OK(masked);
  for (const char* name : {"open", "masked"}) {
    struct stat status;
    ASSERT_EQ(stat(Path(name).c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0600u) << name;
  }
  EXPECT_THAT(Content("open"),
              MatchesRegex("topicwall-custodian-key 1\n"
                           "sealing [0-9a-f]+\nidentity [0-9a-f]+\nid [0-9a-f]+\n"));
  EXPECT_THAT(Content("open"), HasSubstr(absl::StrCat("id ", key.key_id(), "\n")));
}

TEST_F(CustodianKeyTest, IsNeverWrittenOverAnything) {
  ASSERT_OK_AND_ASSIGN(const auto key, CustodianKey::Generate());
  Write("corpus.key", "somebody's only key");
  EXPECT_THAT(key.WriteNew(Path("corpus.key")), StatusIs(absl::StatusCode::kAlreadyExists));
  EXPECT_EQ(Content("corpus.key"), "somebody's only key");
  std::filesystem::create_symlink(Path("elsewhere"), Path("link"));
  EXPECT_THAT(key.WriteNew(Path("link")), StatusIs(absl::StatusCode::kAlreadyExists));
  EXPECT_FALSE(std::filesystem::exists(Path("elsewhere")));
}

TEST_F(CustodianKeyTest, AFolderThatIsNotThereIsSaid) {
  ASSERT_OK_AND_ASSIGN(const auto key, CustodianKey::Generate());
  EXPECT_THAT(key.WriteNew(Path("absent/corpus.key")),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("absent/corpus.key")));
  EXPECT_THAT(CustodianKey::Read(Path("absent.key")),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("absent.key")));
}

// The mode is looked at, not tried out: tests often run as root, who may read anything.
TEST_F(CustodianKeyTest, AFileOpenToGroupOrOthersIsRefusedAndTheRemedyNamed) {
  ASSERT_OK_AND_ASSIGN(const auto key, CustodianKey::Generate());
  ASSERT_OK(key.WriteNew(Path("corpus.key")));
  for (const mode_t mode : {0640, 0604, 0660, 0644, 0610, 0601, 0620, 0602}) {
    ASSERT_EQ(chmod(Path("corpus.key").c_str(), mode), 0);
    EXPECT_THAT(CustodianKey::Read(Path("corpus.key")),
                StatusIs(absl::StatusCode::kFailedPrecondition,
                         HasSubstr(absl::StrCat("chmod 600 ", Path("corpus.key")))))
        << std::oct << mode;
  }
  for (const mode_t mode : {0600, 0400}) {
    ASSERT_EQ(chmod(Path("corpus.key").c_str(), mode), 0);
    EXPECT_OK(CustodianKey::Read(Path("corpus.key"))) << std::oct << mode;
  }
}

TEST_F(CustodianKeyTest, AFolderOrAPipeIsNoKey) {
  EXPECT_THAT(CustodianKey::Read(folder_.path()), StatusIs(absl::StatusCode::kFailedPrecondition));
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  EXPECT_THAT(CustodianKey::Read(Path("pipe")), StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST_F(CustodianKeyTest, EveryChangedCharacterIsRefusedWithoutRepeatingTheFile) {
  ASSERT_OK_AND_ASSIGN(const auto key, CustodianKey::Generate());
  ASSERT_OK(key.WriteNew(Path("corpus.key")));
  const std::string good = Content("corpus.key");
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = bad[i] == '0' ? '1' : '0';
    Write("bad.key", bad);
    const auto read = CustodianKey::Read(Path("bad.key"));
    ASSERT_THAT(read, StatusIs(absl::StatusCode::kInvalidArgument)) << i;
    EXPECT_THAT(std::string(read.status().message()), Not(HasSubstr(good.substr(34, 8))));
  }
}

TEST_F(CustodianKeyTest, ShortenedLengthenedOrForeignFilesAreRefused) {
  ASSERT_OK_AND_ASSIGN(const auto key, CustodianKey::Generate());
  ASSERT_OK(key.WriteNew(Path("corpus.key")));
  const std::string good = Content("corpus.key");
  std::string upper = good;
  std::transform(upper.begin() + 34, upper.begin() + 98, upper.begin() + 34, ::toupper);
  for (const std::string& bad : {std::string(), good.substr(0, good.size() - 1), good.substr(0, 60),
                                 good + "\n", good + good, upper, std::string(1 << 20, 'a')}) {
    Write("bad.key", bad);
    EXPECT_THAT(CustodianKey::Read(Path("bad.key")), StatusIs(absl::StatusCode::kInvalidArgument))
        << bad.size();
  }
}

TEST_F(CustodianKeyTest, TwoGeneratedKeysShareNothing) {
  ASSERT_OK_AND_ASSIGN(const auto a, CustodianKey::Generate());
  ASSERT_OK_AND_ASSIGN(const auto b, CustodianKey::Generate());
  EXPECT_NE(a.key_id(), b.key_id());
  EXPECT_NE(a.identity_id(), b.identity_id());
  EXPECT_NE(Bytes(*a.UnitIdKey()), Bytes(*b.UnitIdKey()));
}

TEST_F(CustodianKeyTest, RekeyKeepsTheIdentityAndChangesTheSealing) {
  ASSERT_OK_AND_ASSIGN(const auto old, CustodianKey::Generate());
  ASSERT_OK_AND_ASSIGN(const auto key, CustodianKey::GenerateWithIdentityOf(old));
  EXPECT_NE(key.key_id(), old.key_id());
  EXPECT_EQ(key.identity_id(), old.identity_id());
  EXPECT_EQ(Bytes(*key.UnitIdKey()), Bytes(*old.UnitIdKey()));
  EXPECT_EQ(Bytes(*key.ContentKey()), Bytes(*old.ContentKey()));
  EXPECT_EQ(Bytes(*key.HeldOutKey()), Bytes(*old.HeldOutKey()));
  ASSERT_OK_AND_ASSIGN(const auto sealed, old.CorpusSealingKey()->Seal("text", "place"));
  EXPECT_THAT(key.CorpusSealingKey()->Open(sealed, "place"), StatusIs(absl::StatusCode::kDataLoss));
}

TEST_F(CustodianKeyTest, EveryPurposeHasAKeyOfItsOwn) {
  ASSERT_OK_AND_ASSIGN(const auto key, CustodianKey::Generate());
  EXPECT_NE(Bytes(*key.UnitIdKey()), Bytes(*key.ContentKey()));
  EXPECT_NE(Bytes(*key.UnitIdKey()), Bytes(*key.HeldOutKey()));
  EXPECT_NE(Bytes(*key.ContentKey()), Bytes(*key.HeldOutKey()));
  ASSERT_OK_AND_ASSIGN(const auto sealed, key.LedgerSealingKey()->Seal("text", "place"));
  EXPECT_THAT(key.CorpusSealingKey()->Open(sealed, "place"), StatusIs(absl::StatusCode::kDataLoss));
}

TEST_F(CustodianKeyTest, ARekeyKeepsTheSigningKeyAndAnotherCustodianHasAnother) {
  ASSERT_OK_AND_ASSIGN(const auto old_key, CustodianKey::Generate());
  ASSERT_OK_AND_ASSIGN(const auto new_key, CustodianKey::GenerateWithIdentityOf(old_key));
  ASSERT_OK_AND_ASSIGN(const auto stranger, CustodianKey::Generate());
  EXPECT_EQ(new_key.IdentitySigningKey()->public_key(), old_key.IdentitySigningKey()->public_key());
  EXPECT_NE(stranger.IdentitySigningKey()->public_key(),
            old_key.IdentitySigningKey()->public_key());
}

}  // namespace
}  // namespace topicwall::sealing

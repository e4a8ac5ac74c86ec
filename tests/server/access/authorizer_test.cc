#include "server/access/authorizer.h"

#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace topicwall::server {
namespace {

using ::topicwall::testing::StatusIs;

Authorizer MakeAuthorizer() {
  v1::WallConfig config;
  v1::Principal* alice = config.add_principals();
  alice->set_name("alice");
  alice->set_role(v1::Principal::ANALYST);
  alice->add_access()->set_corpus("notes");
  alice->mutable_access(0)->set_epsilon_cap(1.5);
  v1::Principal* ann = config.add_principals();
  ann->set_name("ann");
  ann->set_role(v1::Principal::AUDITOR);
  ann->add_access()->set_corpus("notes");
  config.add_corpora()->set_name("notes");
  config.add_corpora()->set_name("letters");
  return Authorizer(config);
}

TEST(AuthorizerTest, WhoeverIsNotListedIsNobody) {
  const Authorizer authorizer = MakeAuthorizer();
  EXPECT_THAT(authorizer.Authenticate("mallory"), StatusIs(absl::StatusCode::kPermissionDenied));
  EXPECT_THAT(authorizer.Authenticate(""), StatusIs(absl::StatusCode::kUnauthenticated));
  EXPECT_THAT(authorizer.Authenticate("alic"), StatusIs(absl::StatusCode::kPermissionDenied));
  EXPECT_OK(authorizer.Authenticate("alice"));
}

TEST(AuthorizerTest, AnUnknownCorpusAndSomebodyElsesCannotBeToldApart) {
  const Authorizer authorizer = MakeAuthorizer();
  const Caller alice = *authorizer.Authenticate("alice");
  const absl::Status foreign = authorizer.Authorize(alice, "letters", Activity::kRead).status();
  const absl::Status unknown =
      authorizer.Authorize(alice, "no-such-corpus", Activity::kRead).status();
  EXPECT_THAT(foreign, StatusIs(absl::StatusCode::kPermissionDenied));
  EXPECT_EQ(foreign, unknown);
}

TEST(AuthorizerTest, AnAuditorReadsAndDoesNotQuery) {
  const Authorizer authorizer = MakeAuthorizer();
  const Caller ann = *authorizer.Authenticate("ann");
  EXPECT_TRUE(ann.is_auditor);
  EXPECT_OK(authorizer.Authorize(ann, "notes", Activity::kRead));
  EXPECT_THAT(authorizer.Authorize(ann, "notes", Activity::kQuery),
              StatusIs(absl::StatusCode::kPermissionDenied));
}

TEST(AuthorizerTest, AnAnalystsCapComesWithTheGrant) {
  const Authorizer authorizer = MakeAuthorizer();
  ASSERT_OK_AND_ASSIGN(const auto grant, authorizer.Authorize(*authorizer.Authenticate("alice"),
                                                              "notes", Activity::kQuery));
  EXPECT_EQ(grant.epsilon_cap, 1.5);
  EXPECT_EQ(grant.caller.principal, "alice");
}

}  // namespace
}  // namespace topicwall::server

// Parts a document of an evaluation: its topics are found from one half, the other is scored.
//
//   TokenHalves halves(std::move(key));
//   absl::StatusOr<TokenHalves::Halves> split = halves.Split(unit, number, document, &workspace);
//   … split->observed, split->scored …
//
// Every token goes to one side by a fair coin, from a stream of (key, unit id, number of the
// document in its unit): what is on which side depends on nothing else, and is tossed freshly for
// every release. A side may be empty.
//
// Privacy: input and output are PRIVATE. Errors: INTERNAL if OpenSSL fails.
// Threads: const methods from many threads at once, one workspace each. Cost: about 5 µs a
// document and one coin a token.
#ifndef TOPICWALL_SERVER_MECHANISM_TOKEN_HALVES_H_
#define TOPICWALL_SERVER_MECHANISM_TOKEN_HALVES_H_

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "model/data/document.h"
#include "server/random/secret_key.h"
#include "server/random/unit_id.h"

namespace topicwall::mechanism {

class TokenHalves {
 public:
  // Views into the workspace, valid until it is used again; terms in the document's order.
  struct Halves {
    lda::DocumentView observed;
    lda::DocumentView scored;
  };

  class Workspace {
   public:
    // Takes and touches all that documents of up to so many distinct terms need.
    void Reserve(std::size_t num_terms) {
      observed_.resize(num_terms);
      scored_.resize(num_terms);
    }
    static std::size_t BytesReserved(std::size_t num_terms) {
      return 2 * num_terms * sizeof(lda::TermCount);
    }

   private:
    friend class TokenHalves;
    std::vector<lda::TermCount> observed_;
    std::vector<lda::TermCount> scored_;
  };

  explicit TokenHalves(random::SecretKey key) : key_(std::move(key)) {}

  absl::StatusOr<Halves> Split(const random::UnitId& unit, int document_number,
                               lda::DocumentView document, Workspace* workspace) const;

 private:
  random::SecretKey key_;
};

}  // namespace topicwall::mechanism

#endif  // TOPICWALL_SERVER_MECHANISM_TOKEN_HALVES_H_

// What a unit gives to a mixture, of words or of vectors: of each document, which is amounts a_v of
// some columns v, its responsibilities r (responsibilities.h) and the statistic a_v r_k, added up.
//
//   class MyInference final : public UnitResponsibilities {
//     bool InferDocument(const model::UnitDocument& document) override {
//       … columns_ = …; e_step_.Infer(…, workspace_); …
//     }
//   };
//
// PRIVATE: everything of it. Threads: one. Memory: the constructor takes and touches all of it, for
// documents and units of so many columns; Infer takes no more beside the statistic.
#ifndef TOPICWALL_MODEL_MIXTURE_UNIT_RESPONSIBILITIES_H_
#define TOPICWALL_MODEL_MIXTURE_UNIT_RESPONSIBILITIES_H_

#include <cstddef>
#include <vector>

#include "model/data/document.h"
#include "model/lda/topics/sufficient_statistics.h"
#include "model/mixture/responsibilities.h"
#include "model/sparse_statistic.h"
#include "model/statistic_model.h"

namespace topicwall::mixture {

// At most.
struct UnitColumns {
  size_t of_document;
  size_t of_unit;
  size_t of_all;
  bool several_documents;
};

class UnitResponsibilities : public model::UnitInference {
 public:
  // The E-step draws nothing.
  void Infer(const model::Unit& unit, model::UnitBits& bits,
             model::SparseStatistic* statistic) final;

  static size_t BytesReserved(size_t num_components, const UnitColumns& columns);

 protected:
  // `e_step` outlives this.
  UnitResponsibilities(const Responsibilities* e_step, const UnitColumns& columns);

  // Leaves the document's columns in columns_ (ascending) and its result in workspace_. False, and
  // the document adds nothing, of what is none of the corpus.
  virtual bool InferDocument(const model::UnitDocument& document) = 0;

  const Responsibilities& e_step_;
  Responsibilities::Workspace workspace_;
  std::vector<lda::TermCount> columns_;

 private:
  void InferOne(const model::UnitDocument& document, model::SparseStatistic* statistic);

  std::vector<float> products_;  // of as many as there can be
  const lda::UnitStatistic::Bounds bounds_;
  lda::UnitStatistic unit_;
};

}  // namespace topicwall::mixture

#endif  // TOPICWALL_MODEL_MIXTURE_UNIT_RESPONSIBILITIES_H_

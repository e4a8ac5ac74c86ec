#include "model/mixture/unit_responsibilities.h"

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

namespace topicwall::mixture {
namespace {

lda::UnitStatistic::Bounds BoundsOf(size_t num_components, const UnitColumns& columns) {
  return {.shape = {.num_topics = num_components, .num_columns = columns.of_all},
          .num_terms = columns.of_unit,
          .several_documents = columns.several_documents};
}

}  // namespace

UnitResponsibilities::UnitResponsibilities(const Responsibilities* e_step,
                                           const UnitColumns& columns)
    : e_step_(*e_step), bounds_(BoundsOf(static_cast<size_t>(e_step->num_components()), columns)) {
  e_step_.Reserve(columns.of_document, workspace_);
  columns_.resize(columns.of_document);
  // All at once and before the charge (statistic_model.h): afterwards no unit may ask for memory.
  products_.resize(columns.of_document * bounds_.shape.num_topics);
  unit_.Reserve(bounds_);
}

size_t UnitResponsibilities::BytesReserved(size_t num_components, const UnitColumns& columns) {
  return Responsibilities::BytesReserved(columns.of_document, num_components) +
         columns.of_document * (sizeof(lda::TermCount) + num_components * sizeof(float)) +
         lda::UnitStatistic::BytesReserved(BoundsOf(num_components, columns));
}

void UnitResponsibilities::Infer(const model::Unit& unit, model::UnitBits& /*bits*/,
                                 model::SparseStatistic* statistic) {
  if (unit.documents.size() == 1) return InferOne(unit.documents[0], statistic);
  unit_.Reset(bounds_.shape, statistic);
  for (const model::UnitDocument& document : unit.documents) {
    // What is found of an abandoned unit is not used; to break keeps the time bounded.
    if (unit.Abandoned()) break;
    if (!InferDocument(document)) continue;
    workspace_.FillProducts(products_.data());
    const size_t size = columns_.size() * workspace_.shares().size();
    unit_.Add(columns_, {.topics = workspace_.components(), .values = {products_.data(), size}});
  }
  unit_.Finish();
}

// As most units are: where nothing is to be merged, everything is written where it stays.
void UnitResponsibilities::InferOne(const model::UnitDocument& document,
                                    model::SparseStatistic* statistic) {
  statistic->Clear();
  if (!InferDocument(document)) return;
  statistic->columns.resize(columns_.size());
  for (size_t v = 0; v < columns_.size(); ++v) statistic->columns[v] = columns_[v].term;
  const absl::Span<const uint32_t> components = workspace_.components();
  statistic->rows.assign(components.begin(), components.end());
  statistic->values.resize(columns_.size() * components.size());
  workspace_.FillProducts(statistic->values.data());
}

}  // namespace topicwall::mixture

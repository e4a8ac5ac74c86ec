// The trainer of topics takes a release's words, and π is learned from its documents, as the client
// does it; what a checkpoint needs there is not needed here.
#include "deploy/study/mixture_training.h"

#include <memory>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "client/fit/algorithms/mixture_fit.h"
#include "client/wall/topics_asked.h"
#include "deploy/study/denoised_training.h"
#include "model/mixture/component_weights.h"
#include "model/mixture/mixture_model.h"

namespace topicwall::study {
absl::StatusOr<Trained> TrainMixture(const Recipe& given, const TrainingTask& task) {
  Recipe recipe = given;
  recipe.direction_noise = 0;  // its rows have no directions
  TW_ASSIGN_OR_RETURN(BegunFit fit, BeginDenoised(recipe, task));
  const auto num_components = static_cast<int>(recipe.num_topics);
  v1::MixtureOptions options;
  options.set_num_components(num_components);
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<model::StatisticModel> model,
                      mixture::MakeMixtureModel(options.SerializeAsString(), task.vocabulary_size));
  TW_ASSIGN_OR_RETURN(mixture::ComponentWeights components,
                      mixture::ComponentWeights::Create(num_components, {}));
  fit.weights.push_back(client::kDocumentWeight);
  std::vector<float> documents;  // of each component, in the release at hand
  TW_ASSIGN_OR_RETURN(
      Trained trained,
      FinishDenoised(
          recipe, std::move(fit),
          [&](const lda::DenoisedTrainer& trainer,
              const SimulatedRequest& request) -> absl::StatusOr<SimulatedRelease> {
            const std::vector<float> parameters =
                mixture::WithWeights(trainer.NextLogTopics().values(), components.Probabilities());
            TW_ASSIGN_OR_RETURN(const std::unique_ptr<model::Inference> inference,
                                model->Bind(parameters, task.num_threads));
            SimulatedRelease release = task.wall.Release(*inference, request);
            TW_ASSIGN_OR_RETURN(mixture::NoisyMixture noisy,
                                mixture::Split(release.noisy_sum, num_components));
            documents = std::move(noisy.documents);
            release.noisy_sum = std::move(noisy.words);
            return release;
          },
          [&](const SimulatedRelease&, double step_size) {
            return components.Update(
                {.documents = documents, .sampling_rate = 1, .step_size = step_size});
          }));
  trained.component_weights = components.Probabilities();
  return trained;
}

}  // namespace topicwall::study

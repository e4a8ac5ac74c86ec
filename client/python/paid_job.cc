#include "client/python/paid_job.h"

#include <utility>

#include "client/python/bindings.h"

namespace py = pybind11;

namespace topicwall::client {

absl::Status PaidJob::Agree(std::string quote_json) {
  std::unique_lock<std::mutex> lock(mutex_);
  asked_ = std::move(quote_json);
  // Without the interpreter's lock, which the thread that answers needs (errors.h, Unlocked).
  answered_.wait(lock, [this] { return answer_.has_value() || stopped_; });
  asked_.reset();
  // A stop wins over a yes: whoever pressed Ctrl-C after agreeing reserves nothing.
  if (answer_.value_or(false) && !stopped_) return absl::OkStatus();
  return absl::CancelledError("nothing was reserved.");
}

void PaidJob::Show(Progress progress) {
  const std::lock_guard<std::mutex> lock(mutex_);
  // And no longer `waiting`: a release that came ends the wait.
  progress_ = std::move(progress);
}

void PaidJob::ShowWaiting(std::string why) {
  const std::lock_guard<std::mutex> lock(mutex_);
  progress_.waiting = std::move(why);
}

bool PaidJob::stopped() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return stopped_;
}

std::optional<std::string> PaidJob::asked() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  // Answered, though the other thread has not woken yet: the same quote must not be asked twice.
  return answer_.has_value() ? std::nullopt : asked_;
}

void PaidJob::Answer(bool agreed) {
  const std::lock_guard<std::mutex> lock(mutex_);
  answer_ = agreed;
  answered_.notify_all();
}

PaidJob::Progress PaidJob::shown() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return progress_;
}

void PaidJob::Stop() {
  const std::lock_guard<std::mutex> lock(mutex_);
  stopped_ = true;
  answered_.notify_all();
}

void PaidJob::StopNow() {
  const std::lock_guard<std::mutex> lock(mutex_);
  stopped_ = stopped_now_ = true;
  if (end_call_) end_call_();
  answered_.notify_all();
}

void PaidJob::SetCall(std::function<void()> end) {
  const std::lock_guard<std::mutex> lock(mutex_);
  end_call_ = std::move(end);
  if (stopped_now_ && end_call_) end_call_();
}

WallNews NewsFor(PaidJob& job) {
  return {.on_wait =
              [&job](const absl::Status& error) { job.ShowWaiting(std::string(error.message())); },
          .on_new_budget = {},
          .should_stop = [&job] { return job.stopped(); },
          .on_call = [&job](std::function<void()> end) { job.SetCall(std::move(end)); }};
}

void BindPaidJob(py::module_& module) {
  py::class_<PaidJob>(module, "Job", "Something that is being paid for, seen from outside.")
      .def(py::init<>())
      .def("asked", &PaidJob::asked)
      .def("answer", &PaidJob::Answer, py::arg("agreed"))
      .def("stop", &PaidJob::Stop)
      .def("stop_now", &PaidJob::StopNow)
      .def("shown", [](const PaidJob& job) {
        const PaidJob::Progress now = job.shown();
        return py::make_tuple(now.stage, now.plan_id, now.done, now.total, now.waiting);
      });
}

}  // namespace topicwall::client

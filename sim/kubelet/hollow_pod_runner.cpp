#include "sim/kubelet/hollow_pod_runner.h"

#include <cassert>
#include <optional>
#include <utility>

#include "client/verbs.h"
#include "sim/kubelet/hollow_node.h"
#include "sim/kubelet/hollow_pod_status.h"
#include "sim/kubelet/hollow_requests.h"

namespace nlc::sim {
namespace {

using client::RequestPriority;

std::pair<std::string_view, std::string_view> split_key(std::string_view key) {
  const std::size_t slash = key.find('/');
  assert(slash != std::string_view::npos);
  return {key.substr(0, slash), key.substr(slash + 1)};
}

std::string path_of(const PodJob& job) {
  const auto [namespace_, name] = split_key(job.key);
  return client::pod_path(namespace_, name);
}

}  // namespace

void HollowPodRunner::begin() {
  pods_.restart(machine_.now());
  arm();
}

void HollowPodRunner::arm() {
  const std::optional<Instant> due = pods_.next_due();
  if (!due) return timer_.end();
  timer_ = machine_.at(*due, [this] {
    for (const PodJob& job : pods_.take_due(machine_.now(), machine_.wall_now())) perform(job);
    arm();
  });
}

void HollowPodRunner::perform(const PodJob& job) {
  switch (job.action) {
    case PodAction::None:
      return;
    case PodAction::Start:
    case PodAction::Finish:
      return read_object(machine_.transport(), path_of(job),
                         machine_.heard<std::string>([this, job](const Result<std::string>& body) {
                           on_pod_read(job, body);
                         }));
    case PodAction::Repair:
      return patch_pod(job, ready_again_patch(job.uid, job.started));
    case PodAction::Remove:
      return delete_object(
          machine_.transport(), RequestPriority::PodWrite, path_of(job), removal_options(job.uid),
          machine_.heard<std::string>([this, job](const Result<std::string>& answer) {
            end_job(job, answer ? nullptr : &answer.error());
          }));
  }
}

void HollowPodRunner::on_pod_read(const PodJob& job, const Result<std::string>& body) {
  if (!body) return end_job(job, &body.error());
  const PodPlace place{.host_address = node_address(node_index_),
                       .pod_address = pod_address(node_index_, job.serial)};
  std::optional<std::string> patch = job.action == PodAction::Start
                                         ? running_patch(*body, place, job.started)
                                         : finished_patch(*body, job.started, machine_.wall_now());
  const Error unreadable{Fault::Malformed, "a pod without containers"};
  if (!patch) return end_job(job, &unreadable);
  patch_pod(job, std::move(*patch));
}

void HollowPodRunner::patch_pod(const PodJob& job, std::string body) {
  const auto [namespace_, name] = split_key(job.key);
  client::patch_pod_status(machine_.transport(), namespace_, name, std::move(body),
                           machine_.heard<api::Pod>([this, job](const Result<api::Pod>& answer) {
                             end_job(job, answer ? nullptr : &answer.error());
                           }));
}

void HollowPodRunner::end_job(const PodJob& job, const Error* refused) {
  const bool settled = refused == nullptr || refused->fault == Fault::NotFound;
  pods_.on_done(job.key, settled, machine_.now());
  arm();
}

}  // namespace nlc::sim

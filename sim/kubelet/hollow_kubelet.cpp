#include "sim/kubelet/hollow_kubelet.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <utility>

namespace nlc::sim {
namespace {

using client::RequestPriority;

constexpr std::string_view lease_namespace = "kube-node-lease";

}  // namespace

HollowKubelet::HollowKubelet(const KubeletEnv& env, NodeIdentity identity, double phase,
                             Random random)
    : env_(env),
      identity_(std::move(identity)),
      random_(random),
      machine_(env),
      registration_({.machine = machine_,
                     .identity = identity_,
                     .health = [this] { return health_; },
                     .on_registered = [this] { begin_work(); }}),
      lease_(env.options.lease_duration),
      status_(env.options.status),
      pods_(machine_, identity_.index),
      first_rest_(
          static_cast<Duration::rep>(phase * static_cast<double>(lease_.interval().count()))) {
  assert(phase >= 0 && phase < 1);
}

void HollowKubelet::revive() {
  if (std::exchange(running_, true)) return;
  machine_.restart();
  status_ = StatusRounds(env_.options.status);
  registration_.begin();
}

void HollowKubelet::die() {
  running_ = false;
  machine_.restart();
  registration_.end();
  lease_timer_.end();
  status_timer_.end();
  pods_.end();
}

void HollowKubelet::on_pod(const api::Pod& pod) {
  assert(pod.node_name == identity_.name);
  pods_.observe(pod);
  if (is_registered()) pods_.arm();
}

void HollowKubelet::begin_work() {
  perform(lease_.begin(std::exchange(first_rest_, Duration{0})));
  perform(status_.begin());
  pods_.begin();
  if (env_.on_registered) env_.on_registered(*this);
}

void HollowKubelet::perform(const LeaseStep& step) {
  const auto took = [this](LeaseStep (LeaseKeeper::*take)(const Result<api::Lease>&, Random&)) {
    return machine_.heard<api::Lease>([this, take](const Result<api::Lease>& answer) {
      perform((lease_.*take)(answer, random_));
    });
  };
  switch (step.action) {
    case LeaseAction::Wait:
      lease_timer_ = machine_.after(step.wait, [this] { perform(lease_.wake()); });
      return;
    case LeaseAction::Read:
      return client::get_lease(machine_.transport(), RequestPriority::Read, lease_namespace,
                               identity_.name, request_timeout(), took(&LeaseKeeper::on_read));
    case LeaseAction::ReadOwner:
      return client::get_node(machine_.transport(), identity_.name,
                              machine_.heard<api::Node>([this](const Result<api::Node>& node) {
                                if (node) registration_.set_uid(node->uid);
                                perform(lease_.on_owner(bool(node), random_));
                              }));
    case LeaseAction::Create:
      return create_lease();
    case LeaseAction::Update:
      return client::update_lease(
          machine_.transport(), RequestPriority::NodeWrite, lease_to_write(), request_timeout(),
          machine_.heard<api::Lease>([this](const Result<api::Lease>& answer) {
            if (env_.on_renewal) env_.on_renewal(answer);
            perform(lease_.on_updated(answer, random_));
          }));
  }
}

void HollowKubelet::create_lease() {
  const auto hear = machine_.heard<api::Lease>(
      [this](const Result<api::Lease>& answer) { perform(lease_.on_created(answer, random_)); });
  client::create_lease(
      machine_.transport(), RequestPriority::NodeWrite, lease_to_write(), request_timeout(),
      machine_.heard_of_creation<api::Lease>([this, hear](Result<api::Lease> answer) {
        // Not there before, so one whose answer was lost is ours as well.
        made_lease_ = made_lease_ || answer || may_have_been_applied(answer.error().fault);
        hear(std::move(answer));
      }));
}

api::Lease HollowKubelet::lease_to_write() const {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(env_.options.lease_duration);
  return {.namespace_ = std::string(lease_namespace),
          .name = identity_.name,
          .resource_version = lease_.version(),
          .holder = identity_.name,
          .duration_seconds = seconds.count(),
          .renewed = machine_.wall_now(),
          .owner_node = identity_.name,
          .owner_node_uid = registration_.uid()};
}

void HollowKubelet::perform(const StatusStep& step) {
  const auto take = [this](const Result<api::Node>& node) { on_node_read(node); };
  switch (step.action) {
    case StatusAction::Wait:
      status_timer_ = machine_.after(step.wait, [this] { perform(status_.wake()); });
      return;
    case StatusAction::ReadCached:
      return client::get_cached_node(machine_.transport(), identity_.name,
                                     machine_.heard<api::Node>(take));
    case StatusAction::ReadNewest:
      return client::get_node(machine_.transport(), identity_.name,
                              machine_.heard<api::Node>(take));
    case StatusAction::Patch:
      break;
  }
  std::abort();  // a patch needs the node that was read: see on_node_read
}

void HollowKubelet::on_node_read(const Result<api::Node>& node) {
  if (!node) return perform(status_.on_read_failed(random_));
  const auto wanted = node_conditions(health_, node->conditions, machine_.wall_now());
  const StatusStep step =
      status_.on_read(differs(wanted, node->conditions), machine_.now(), random_);
  if (step.action != StatusAction::Patch) return perform(step);
  client::patch_node_status(machine_.transport(), identity_.name,
                            node_status_patch(node->uid, wanted),
                            machine_.heard<api::Node>([this](const Result<api::Node>& answer) {
                              perform(status_.on_patched(bool(answer), machine_.now(), random_));
                            }));
}

// A kubelet's client for heartbeats gives up when the next one would be due.
Duration HollowKubelet::request_timeout() const {
  return std::min(env_.options.status.update_frequency, env_.options.lease_duration);
}

}  // namespace nlc::sim

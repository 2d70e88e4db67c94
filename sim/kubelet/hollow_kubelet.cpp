#include "sim/kubelet/hollow_kubelet.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <optional>
#include <utility>

#include "api/patches.h"
#include "sim/kubelet/hollow_pod_status.h"
#include "sim/kubelet/hollow_requests.h"

namespace nlc::sim {
namespace {

using client::RequestPriority;

constexpr std::string_view lease_namespace = "kube-node-lease";
constexpr Duration registration_backoff_min = std::chrono::milliseconds(200);
constexpr Duration registration_backoff_max = std::chrono::seconds(7);

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

HollowKubelet::HollowKubelet(const KubeletWorld& world, NodeIdentity identity, double phase,
                             Random random)
    : world_(world),
      identity_(std::move(identity)),
      random_(random),
      link_(world.transport, world.executor),
      lease_(world.options.lease_duration),
      status_(world.options.status),
      pods_(world.options.pods),
      first_rest_(
          static_cast<Duration::rep>(phase * static_cast<double>(lease_.interval().count()))) {
  assert(phase >= 0 && phase < 1);
}

void HollowKubelet::boot() {
  assert(!running_);
  running_ = true;
  life_.restart();
  status_ = StatusRounds(world_.options.status);
  registration_backoff_ = registration_backoff_min;
  register_node();
}

void HollowKubelet::die() {
  running_ = false;
  registered_ = false;
  life_.restart();
  lease_timer_.end();
  status_timer_.end();
  pods_timer_.end();
}

void HollowKubelet::cut_off() { link_.pull(); }

void HollowKubelet::revive() {
  link_.plug();
  if (!running_) boot();
}

void HollowKubelet::on_pod(const api::Pod& pod) {
  assert(pod.node_name == identity_.name);
  pods_.observe(pod, world_.clock.now());
  if (registered_) arm_pods();
}

void HollowKubelet::on_pod_gone(std::string_view key) { pods_.forget(key); }

void HollowKubelet::register_node() {
  NodeHealth first_look = health_;
  if (first_look.not_ready == NotReadyCause::None) first_look.not_ready = NotReadyCause::Starting;
  const auto hear =
      heard<std::string>([this](const Result<std::string>& answer) { on_node_created(answer); });
  ++creating_;
  create_object(link_, RequestPriority::NodeWrite, client::nodes_path,
                node_body(identity_, first_look, wall_now()),
                creations_.guard([this, hear](Result<std::string> answer) {
                  --creating_;
                  if (answer) {
                    uid_ = uid_of(*answer);
                    made_node_ = true;
                  } else if (may_have_been_applied(answer.error().fault)) {
                    node_in_doubt_ = true;
                  }
                  hear(std::move(answer));
                }));
}

void HollowKubelet::on_node_created(const Result<std::string>& answer) {
  if (answer) return begin_work();
  const Fault fault = answer.error().fault;
  if (fault == Fault::AlreadyExists) {
    return made_node_ ? adopt_node() : identify_node();
  }
  refusal_ = answer.error().path;
  retry_registration();
}

void HollowKubelet::identify_node() {
  read_object(link_, client::node_path(identity_.name),
              heard<std::string>([this](const Result<std::string>& node) {
                if (!node) return retry_registration();
                made_node_ = maker_of(*node).has_value();
                adopt_node();
              }));
}

void HollowKubelet::adopt_node() {
  client::patch_node(link_, identity_.name, api::node_labels_patch({}, node_labels(identity_)),
                     heard<api::Node>([this](const Result<api::Node>& node) {
                       if (!node) return retry_registration();
                       uid_ = node->uid;
                       begin_work();
                     }));
}

void HollowKubelet::retry_registration() {
  const Duration wait = registration_backoff_;
  registration_backoff_ = std::min(wait * 2, registration_backoff_max);
  lease_timer_ = after(wait, [this] { register_node(); });
}

void HollowKubelet::begin_work() {
  registered_ = true;
  refusal_.clear();
  perform(lease_.begin(std::exchange(first_rest_, Duration{0})));
  perform(status_.begin());
  pods_.restart(world_.clock.now());
  arm_pods();
  if (world_.on_registered) world_.on_registered(*this);
}

void HollowKubelet::perform(const LeaseStep& step) {
  const auto took = [this](LeaseStep (LeaseKeeper::*take)(const Result<api::Lease>&, Random&)) {
    return heard<api::Lease>([this, take](const Result<api::Lease>& answer) {
      perform((lease_.*take)(answer, random_));
    });
  };
  switch (step.action) {
    case LeaseAction::Wait:
      lease_timer_ = after(step.wait, [this] { perform(lease_.wake()); });
      return;
    case LeaseAction::Read:
      return client::get_lease(link_, RequestPriority::Read, lease_namespace, identity_.name,
                               request_timeout(), took(&LeaseKeeper::on_read));
    case LeaseAction::ReadOwner:
      return client::get_node(link_, identity_.name,
                              heard<api::Node>([this](const Result<api::Node>& node) {
                                if (node) uid_ = node->uid;
                                perform(lease_.on_owner(bool(node), random_));
                              }));
    case LeaseAction::Create:
      return create_lease();
    case LeaseAction::Update:
      return client::update_lease(link_, RequestPriority::NodeWrite, lease_to_write(),
                                  request_timeout(),
                                  heard<api::Lease>([this](const Result<api::Lease>& answer) {
                                    if (world_.on_renewal) world_.on_renewal(answer);
                                    perform(lease_.on_updated(answer, random_));
                                  }));
  }
}

void HollowKubelet::create_lease() {
  const auto hear = heard<api::Lease>(
      [this](const Result<api::Lease>& answer) { perform(lease_.on_created(answer, random_)); });
  ++creating_;
  client::create_lease(link_, RequestPriority::NodeWrite, lease_to_write(), request_timeout(),
                       creations_.guard([this, hear](Result<api::Lease> answer) {
                         --creating_;
                         // Not there before, so one whose answer was lost is ours as well.
                         made_lease_ =
                             made_lease_ || answer || may_have_been_applied(answer.error().fault);
                         hear(std::move(answer));
                       }));
}

api::Lease HollowKubelet::lease_to_write() const {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(world_.options.lease_duration);
  return {.namespace_ = std::string(lease_namespace),
          .name = identity_.name,
          .resource_version = lease_.version(),
          .holder = identity_.name,
          .duration_seconds = seconds.count(),
          .renewed = wall_now(),
          .owner_node = identity_.name,
          .owner_node_uid = uid_};
}

void HollowKubelet::perform(const StatusStep& step) {
  const auto take = [this](const Result<api::Node>& node) { on_node_read(node); };
  switch (step.action) {
    case StatusAction::Wait:
      status_timer_ = after(step.wait, [this] { perform(status_.wake()); });
      return;
    case StatusAction::ReadCached:
      return client::get_cached_node(link_, identity_.name, heard<api::Node>(take));
    case StatusAction::ReadNewest:
      return client::get_node(link_, identity_.name, heard<api::Node>(take));
    case StatusAction::Patch:
      break;
  }
  std::abort();  // a patch needs the node that was read: see on_node_read
}

void HollowKubelet::on_node_read(const Result<api::Node>& node) {
  if (!node) return perform(status_.on_read_failed(random_));
  const auto wanted = node_conditions(health_, node->conditions, wall_now());
  const StatusStep step =
      status_.on_read(differs(wanted, node->conditions), world_.clock.now(), random_);
  if (step.action != StatusAction::Patch) return perform(step);
  client::patch_node_status(
      link_, identity_.name, node_status_patch(node->uid, wanted),
      heard<api::Node>([this](const Result<api::Node>& answer) {
        perform(status_.on_patched(bool(answer), world_.clock.now(), random_));
      }));
}

void HollowKubelet::arm_pods() {
  const std::optional<Instant> due = pods_.next_due();
  if (!due) return pods_timer_.end();
  pods_timer_ = world_.executor.run_at(*due, [this] {
    for (const PodJob& job : pods_.take_due(world_.clock.now(), wall_now())) perform(job);
    arm_pods();
  });
}

void HollowKubelet::perform(const PodJob& job) {
  switch (job.action) {
    case PodAction::None:
      return;
    case PodAction::Start:
    case PodAction::Finish:
      return read_object(link_, path_of(job),
                         heard<std::string>([this, job](const Result<std::string>& body) {
                           on_pod_read(job, body);
                         }));
    case PodAction::Repair:
      return patch_pod(job, ready_again_patch(job.uid, job.started));
    case PodAction::Remove:
      return delete_object(link_, RequestPriority::PodWrite, path_of(job), removal_options(job.uid),
                           heard<std::string>([this, job](const Result<std::string>& answer) {
                             end_job(job, answer ? nullptr : &answer.error());
                           }));
  }
}

void HollowKubelet::on_pod_read(const PodJob& job, const Result<std::string>& body) {
  if (!body) return end_job(job, &body.error());
  const PodPlace place{.host_address = node_address(identity_.index),
                       .pod_address = pod_address(identity_.index, job.serial)};
  std::optional<std::string> patch = job.action == PodAction::Start
                                         ? running_patch(*body, place, job.started)
                                         : finished_patch(*body, job.started, wall_now());
  const Error unreadable{Fault::Malformed, "a pod without containers"};
  if (!patch) return end_job(job, &unreadable);
  patch_pod(job, std::move(*patch));
}

void HollowKubelet::patch_pod(const PodJob& job, std::string body) {
  const auto [namespace_, name] = split_key(job.key);
  client::patch_pod_status(link_, namespace_, name, std::move(body),
                           heard<api::Pod>([this, job](const Result<api::Pod>& answer) {
                             end_job(job, answer ? nullptr : &answer.error());
                           }));
}

void HollowKubelet::end_job(const PodJob& job, const Error* refused) {
  const bool settled = refused == nullptr || refused->fault == Fault::NotFound;
  pods_.on_done(job.key, settled, world_.clock.now());
  arm_pods();
}

template <typename T, typename Take>
client::Done<T> HollowKubelet::heard(Take take) {
  return life_.guard([this, take = std::move(take)](Result<T> answer) {
    if (!link_.plugged()) answer = FaultyLink::cut();
    take(std::move(answer));
  });
}

Timer HollowKubelet::after(Duration wait, std::function<void()> work) {
  Instant when = world_.clock.now() + wait;
  if (const Duration tick = world_.options.tick; tick > Duration{0}) {
    const Duration behind = when.time_since_epoch() % tick;
    if (behind > Duration{0}) when += tick - behind;
  }
  return world_.executor.run_at(when, std::move(work));
}

WallTime HollowKubelet::wall_now() const {
  return world_.clock.wall_now() + std::chrono::floor<std::chrono::microseconds>(clock_offset_);
}

// A kubelet's client for heartbeats gives up when the next one would be due.
Duration HollowKubelet::request_timeout() const {
  return std::min(world_.options.status.update_frequency, world_.options.lease_duration);
}

}  // namespace nlc::sim

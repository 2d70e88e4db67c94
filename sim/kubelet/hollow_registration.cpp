#include "sim/kubelet/hollow_registration.h"

#include <algorithm>

#include "api/patches.h"
#include "client/verbs.h"
#include "sim/kubelet/hollow_requests.h"

namespace nlc::sim {
namespace {

using client::RequestPriority;

constexpr Duration backoff_min = std::chrono::milliseconds(200);
constexpr Duration backoff_max = std::chrono::seconds(7);

}  // namespace

void HollowRegistration::begin() {
  backoff_ = backoff_min;
  register_node();
}

void HollowRegistration::end() {
  registered_ = false;
  timer_.end();
}

void HollowRegistration::register_node() {
  NodeHealth first_look = env_.health();
  if (first_look.not_ready == NotReadyCause::None) first_look.not_ready = NotReadyCause::Starting;
  const auto hear = env_.machine.heard<std::string>(
      [this](const Result<std::string>& answer) { on_node_created(answer); });
  create_object(
      env_.machine.transport(), RequestPriority::NodeWrite, client::nodes_path,
      node_body(env_.identity, first_look, env_.machine.wall_now()),
      env_.machine.heard_of_creation<std::string>([this, hear](Result<std::string> answer) {
        if (answer) {
          uid_ = uid_of(*answer);
          made_node_ = true;
        } else if (may_have_been_applied(answer.error().fault)) {
          node_in_doubt_ = true;
        }
        hear(std::move(answer));
      }));
}

void HollowRegistration::on_node_created(const Result<std::string>& answer) {
  if (answer) return done();
  const Fault fault = answer.error().fault;
  if (fault == Fault::AlreadyExists) {
    return made_node_ ? adopt_node() : identify_node();
  }
  refusal_ = answer.error().path;
  retry_registration();
}

void HollowRegistration::identify_node() {
  read_object(env_.machine.transport(), client::node_path(env_.identity.name),
              env_.machine.heard<std::string>([this](const Result<std::string>& node) {
                if (!node) return retry_registration();
                made_node_ = maker_of(*node).has_value();
                adopt_node();
              }));
}

void HollowRegistration::adopt_node() {
  client::patch_node(env_.machine.transport(), env_.identity.name,
                     api::node_labels_patch({}, node_labels(env_.identity)),
                     env_.machine.heard<api::Node>([this](const Result<api::Node>& node) {
                       if (!node) return retry_registration();
                       uid_ = node->uid;
                       done();
                     }));
}

void HollowRegistration::retry_registration() {
  const Duration wait = backoff_;
  backoff_ = std::min(wait * 2, backoff_max);
  timer_ = env_.machine.after(wait, [this] { register_node(); });
}

void HollowRegistration::done() {
  registered_ = true;
  refusal_.clear();
  env_.on_registered();
}

}  // namespace nlc::sim

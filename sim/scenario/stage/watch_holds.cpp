#include "sim/scenario/stage/watch_holds.h"

#include <deque>
#include <nlohmann/json.hpp>

#include "sim/scenario/model/name_pattern.h"

namespace nlc::sim::scenario {
namespace {

using Json = nlohmann::json;

/// "namespace/name" or "name" of the object in one line of a stream.
std::string key_in(std::string_view line) {
  const Json event = Json::parse(line, nullptr, false);
  if (!event.is_object()) return {};
  const Json metadata = event.value("object", Json::object()).value("metadata", Json::object());
  const std::string space = metadata.value("namespace", "");
  return space.empty() ? metadata.value("name", "") : space + "/" + metadata.value("name", "");
}

bool is_error(std::string_view line) {
  const Json event = Json::parse(line, nullptr, false);
  return event.is_object() && event.value("type", "") == "ERROR";
}

}  // namespace

class WatchHolds::Stream final : public client::Reply {
 public:
  Stream(WatchHolds& holds, std::string resource, std::unique_ptr<client::Reply> inner)
      : holds_(holds), resource_(std::move(resource)), inner_(std::move(inner)) {
    holds_.streams_.push_back(this);
  }
  ~Stream() override { std::erase(holds_.streams_, this); }

  void send(client::Response response, std::string_view warning) override {
    inner_->send(std::move(response), warning);
  }
  void open(std::string_view content_type, std::optional<WallTime> date) override {
    inner_->open(content_type, date);
  }
  void write(std::shared_ptr<const std::string> bytes) override {
    if (waiting_.empty() && !holds_.concerns(resource_, *bytes)) {
      inner_->write(std::move(bytes));
    } else {
      waiting_.push_back(std::move(bytes));
    }
  }
  /// What waits is told again to whoever watches on from where this stream was; that nobody can is
  /// told to this one alone.
  void close() override {
    if (!waiting_.empty() && is_error(*waiting_.back())) inner_->write(waiting_.back());
    inner_->close();
  }

  const std::string& resource() const { return resource_; }
  void go_on() {
    for (auto& bytes : waiting_) inner_->write(std::move(bytes));
    waiting_.clear();
  }

 private:
  WatchHolds& holds_;
  const std::string resource_;
  const std::unique_ptr<client::Reply> inner_;
  std::deque<std::shared_ptr<const std::string>> waiting_;
};

void WatchHolds::hold(const std::string& resource, const std::string& key) {
  holds_.emplace(resource, key);
}

void WatchHolds::release(const std::string& resource, const std::string& key) {
  const auto found = holds_.find({resource, key});
  if (found == holds_.end()) return;
  holds_.erase(found);
  for (Stream* stream : streams_) {
    if (!is_held(stream->resource())) stream->go_on();
  }
}

std::unique_ptr<client::Reply> WatchHolds::obeying(std::string resource,
                                                   std::unique_ptr<client::Reply> reply) {
  return std::make_unique<Stream>(*this, std::move(resource), std::move(reply));
}

bool WatchHolds::is_held(const std::string& resource) const {
  const auto first = holds_.lower_bound({resource, ""});
  return first != holds_.end() && first->first == resource;
}

bool WatchHolds::is_held(const std::string& resource, const std::string& key) const {
  const auto first = holds_.lower_bound({resource, ""});
  for (auto at = first; at != holds_.end() && at->first == resource; ++at) {
    if (matches_pattern(at->second, key)) return true;
  }
  return false;
}

bool WatchHolds::concerns(const std::string& resource, std::string_view bytes) const {
  if (holds_.empty() || !is_held(resource)) return false;
  if (holds_.contains({resource, ""})) return true;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    if (is_held(resource, key_in(bytes.substr(0, end)))) return true;
    bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
  }
  return false;
}

}  // namespace nlc::sim::scenario

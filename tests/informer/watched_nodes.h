#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "informer/reflector.h"
#include "sim/virtual_time.h"
#include "tests/informer/scripted_transport.h"
#include "tests/memory_log.h"

/// Nodes that a reflector watches on a server whose every word the test says.
namespace nlc::informer::testing {

using namespace std::chrono_literals;

inline std::string node_object(std::string_view name, std::string_view version) {
  return R"({"kind":"Node","metadata":{"name":")" + std::string(name) + R"(","resourceVersion":")" +
         std::string(version) + R"("}})";
}

inline std::string event(std::string_view type, std::string_view name, std::string_view version) {
  return R"({"type":")" + std::string(type) + R"(","object":)" + node_object(name, version) + "}";
}

inline std::string marked_bookmark(std::string_view version) {
  return R"({"type":"BOOKMARK","object":{"kind":"Node","metadata":{"resourceVersion":")" +
         std::string(version) + R"(","annotations":{"k8s.io/initial-events-end":"true"}}}})";
}

inline std::string page(std::string_view version, std::string_view token,
                        const std::string& items) {
  return R"({"kind":"NodeList","metadata":{"resourceVersion":")" + std::string(version) +
         R"(","continue":")" + std::string(token) + R"("},"items":[)" + items + "]}";
}

inline constexpr std::string_view expired =
    R"({"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old"}})";

struct World {
  explicit World(WatchOptions options = {}) { watch(options); }

  void watch(WatchOptions options = {}) {
    reflector = std::make_unique<Reflector<api::Node>>(ReflectorEnv{server, time, time, log, 5},
                                                       store, options);
  }
  void run(Duration span = Duration{0}) { time.run_for(span); }

  std::vector<std::string> nodes() const {
    std::vector<std::string> result;
    store.each([&](Slot, const api::Node& node) {
      result.push_back(node.name + "@" + node.resource_version);
    });
    return result;
  }
  const std::string& last_target() const { return server.targets.back(); }

  /// A list by pages has been read and the watch behind it is open, both at version 10.
  void sync_by_pages(const std::string& items) {
    server.answer(page("10", "", items));
    run();
    server.accept();
    run();
  }
  /// The server accepts and streams these nodes, all at version 10.
  void sync(const std::vector<std::string>& names) {
    server.accept();
    for (const std::string& name : names) server.say(event("ADDED", name, "10"));
    server.say(marked_bookmark("10"));
    run();
  }

  sim::VirtualTime time{std::chrono::sys_days{std::chrono::year{2026} / 11 / 21} + 9h};
  ScriptedTransport server{time};
  tests::MemoryLog log;
  Store<api::Node> store;
  std::unique_ptr<Reflector<api::Node>> reflector;
};

}  // namespace nlc::informer::testing

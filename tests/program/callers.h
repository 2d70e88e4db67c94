#pragma once

#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/endpoint.h"
#include "runtime/executor.h"

/// Callers of pages, and the controller whose thread may be stuck while they wait.
namespace nlc::tests {

struct Kept {
  client::Response response;
  int answers = 0;
};

class CountedReply final : public client::Reply {
 public:
  explicit CountedReply(Kept& kept) : kept_(kept) {}
  void send(client::Response response, std::string_view) override {
    kept_.response = std::move(response);
    ++kept_.answers;
  }
  void open(std::string_view, std::optional<WallTime>) override { FAIL() << "no page is a stream"; }
  void write(std::shared_ptr<const std::string>) override {}
  void close() override {}

 private:
  Kept& kept_;
};

/// A controller whose thread can be stopped.
class StuckExecutor final : public Executor {
 public:
  explicit StuckExecutor(Executor& beneath) : beneath_(beneath) {}
  void post(std::function<void()> work) override {
    ++posted;
    stuck ? held_.push_back(std::move(work)) : beneath_.post(std::move(work));
  }
  Timer run_at(Instant when, std::function<void()> work) override {
    return beneath_.run_at(when, std::move(work));
  }
  void go_on() {
    stuck = false;
    for (auto& work : held_) beneath_.post(std::move(work));
    held_.clear();
  }
  bool stuck = false;
  int posted = 0;

 private:
  Executor& beneath_;
  std::vector<std::function<void()>> held_;
};

}  // namespace nlc::tests

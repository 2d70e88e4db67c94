#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "client/resources.h"
#include "client/transport.h"
#include "runtime/executor.h"

namespace nlc::client {

/// Lets everything pass that only reads, and of all writes those of one lease. Whatever else would
/// change something at the server ends here, whoever wishes it and by whatever gate.
class ReadingTransport final : public Transport {
 public:
  struct Lock {
    std::string namespace_;
    std::string name;
  };
  /// Without a lock nothing at all is written.
  ReadingTransport(Transport& inner, Executor& executor, std::optional<Lock> lock)
      : inner_(inner), executor_(executor), lock_(std::move(lock)) {}

  void send(Request request, Answer answer) override {
    if (request.method == "GET" || is_of_lock(request)) {
      return inner_.send(std::move(request), std::move(answer));
    }
    executor_.post([answer = std::move(answer)] {
      answer(Error{.fault = Fault::NotLeading, .path = "it observes, and changes nothing"});
    });
  }

  Subscription watch(Request request, std::unique_ptr<StreamReader> reader) override {
    return inner_.watch(std::move(request), std::move(reader));
  }

 private:
  /// A lease that is created is named in the body alone.
  bool is_of_lock(const Request& request) const {
    if (!lock_ || request.priority != RequestPriority::Election) return false;
    const std::string path = lease_path(lock_->namespace_, lock_->name);
    if (request.method == "PUT") return request.target == path;
    const bool creates = request.method == "POST" && request.target + "/" + lock_->name == path;
    return creates && request.body.find("\"name\":\"" + lock_->name + "\"") != std::string::npos;
  }

  Transport& inner_;
  Executor& executor_;
  const std::optional<Lock> lock_;
};

}  // namespace nlc::client

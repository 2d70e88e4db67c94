#include "sim/scenario/stage/altered_replies.h"

#include <utility>

#include "sim/apiserver/answers/protobuf_answer.h"

namespace nlc::sim::scenario {
namespace {

class Torn final : public client::Reply {
 public:
  Torn(const Clock& clock, Instant until, std::unique_ptr<client::Reply> inner)
      : clock_(clock), until_(until), inner_(std::move(inner)) {}

  void send(client::Response response, std::string_view warning) override {
    inner_->send(std::move(response), warning);
  }
  void open(std::string_view content_type, std::optional<WallTime> date) override {
    inner_->open(content_type, date);
  }
  void write(std::shared_ptr<const std::string> bytes) override {
    if (!inner_) return;
    if (clock_.now() >= until_) return inner_->write(std::move(bytes));
    inner_->write(std::make_shared<const std::string>(bytes->substr(0, bytes->size() / 2)));
    inner_.reset();  // a reply that dies unfinished breaks the connection
  }
  void close() override {
    if (inner_) inner_->close();
  }

 private:
  const Clock& clock_;
  const Instant until_;
  std::unique_ptr<client::Reply> inner_;
};

class Translated final : public client::Reply {
 public:
  explicit Translated(std::unique_ptr<client::Reply> inner) : inner_(std::move(inner)) {}

  void send(client::Response response, std::string_view warning) override {
    inner_->send(in_protobuf(std::move(response)), warning);
  }
  void open(std::string_view, std::optional<WallTime> date) override {
    inner_->open(protobuf_stream, date);
  }
  void write(std::shared_ptr<const std::string> bytes) override {
    inner_->write(std::make_shared<const std::string>(protobuf_frames(*bytes)));
  }
  void close() override { inner_->close(); }

 private:
  const std::unique_ptr<client::Reply> inner_;
};

}  // namespace

std::unique_ptr<client::Reply> torn_until(Instant until, const Clock& clock,
                                          std::unique_ptr<client::Reply> inner) {
  return std::make_unique<Torn>(clock, until, std::move(inner));
}

std::unique_ptr<client::Reply> translated(std::unique_ptr<client::Reply> inner) {
  return std::make_unique<Translated>(std::move(inner));
}

}  // namespace nlc::sim::scenario

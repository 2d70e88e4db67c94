#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "client/transport.h"
#include "net/connection.h"
#include "net/response_reader.h"
#include "net/server_link.h"
#include "runtime/executor.h"

namespace nlc::net {

/// The reader of one watch, shared by the I/O thread, which feeds it, and what was posted to the
/// executor. Once silenced (on the executor) nothing of the watch is heard there; a decoding under
/// way on the I/O thread may finish, its result is dropped.
struct WatchEar {
  std::unique_ptr<client::StreamReader> reader;
  std::atomic<bool> silenced = false;
};

/// One watch on a connection of its own, closed when destroyed. I/O thread only.
///
/// Being woken costs far more than decoding what came. So a stream on which events follow one
/// another is left alone for the request's `batching`, or until a whole read has gathered, and the
/// kernel wakes nobody meanwhile. A quiet one is read along with a busy one; where all are quiet
/// the first byte wakes us at once. A full read means that the server is ahead: no pause then.
class WatchStream {
 public:
  WatchStream(ServerLink& link, Executor& executor, std::shared_ptr<WatchEar> ear,
              client::Request request);

  /// `finished` is called when the stream is over, as the last act of that turn.
  void start(std::function<void()> finished);

 private:
  void open();
  void write_request();
  void await_bytes();
  void drain();
  void go_on();
  void rest();
  enum class Went { On, Dry, Over };
  Went take_piece();
  void take_body(std::string_view piece);
  bool is_accepted() const;
  void hand_over();
  void response_over();
  void break_off(Fault fault, std::string what);
  void end(client::StreamEnd end);
  void post(std::function<void()> work);

  ServerLink& link_;
  Executor& executor_;
  const std::shared_ptr<WatchEar> ear_;
  const client::Request request_;
  std::function<void()> finished_;
  std::optional<Connection> connection_;
  std::optional<ResponseReader> response_;
  std::string bytes_;
  std::string authorization_;
  std::string refusal_;
  Timer opening_limit_;
  Timer next_look_;
  Instant last_news_;
  bool headed_ = false;     // the reader knows the encoding
  bool announced_ = false;  // the executor knows that the watch was accepted
  bool repeated_ = false;
  bool awaiting_ = false;  // the connection will call when there is something to read
  bool news_ = false;      // the last look brought something
  bool behind_ = false;    // it filled a whole read
  std::size_t turn_ = 0;   // bytes that this turn of it has brought
};

}  // namespace nlc::net

#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "client/transport.h"
#include "net/http_client/connection.h"
#include "net/http_client/response_reader.h"
#include "net/http_client/server_link.h"
#include "runtime/executor.h"

namespace nlc::net {

/// The reader of one watch, shared by the I/O thread, which feeds it, and what was posted to the
/// executor. Once ended (on the executor) nothing of the watch is heard there; a decoding under
/// way on the I/O thread may finish, its result is dropped.
struct SharedReader {
  std::unique_ptr<client::StreamReader> reader;
  std::atomic<bool> ended = false;
};

/// One watch on a connection of its own, closed when destroyed. I/O thread only.
///
/// Waking up costs far more than decoding one event. So where events come fast all streams are left
/// alone for a while (StreamPace), or until a whole read has gathered in the kernel, which wakes us
/// for nothing less meanwhile (SO_RCVLOWAT). Where all are quiet the first byte wakes us at once. A
/// stream that still has bytes after a pause's worth was read gets no pause.
class WatchStream {
 public:
  WatchStream(ServerLink& link, Executor& executor, std::shared_ptr<SharedReader> shared,
              client::Request request);

  /// `finished` is called when the stream is over; the stream may be destroyed in it.
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
  void hand_over(std::optional<Instant> since);
  void response_over();
  void break_off(Error error);
  void end(client::StreamEnd end);
  void post(std::function<void()> work);

  ServerLink& link_;
  Executor& executor_;
  const std::shared_ptr<SharedReader> shared_;
  const client::Request request_;
  std::function<void()> finished_;
  std::optional<Connection> connection_;
  std::optional<ResponseReader> response_;
  std::string authorization_;
  std::string refusal_;
  Timer opening_limit_;
  Timer next_look_;
  std::optional<Instant> rested_;  // when it was last read empty, if it has been left alone since
  bool headed_ = false;            // the reader knows the encoding
  bool announced_ = false;         // the executor knows that the watch was accepted
  bool repeated_ = false;
  bool awaiting_ = false;  // the connection will call when there is something to read
  // A look begins with a call of `drain` and lasts until the socket is empty.
  std::size_t events_ = 0;  // decoded in this look
  std::size_t turns_ = 0;   // of this look, each of up to `bytes_per_turn`
  std::size_t turn_ = 0;    // bytes read in this turn
};

}  // namespace nlc::net

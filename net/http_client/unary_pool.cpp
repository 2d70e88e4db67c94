#include "net/http_client/unary_pool.h"

namespace nlc::net {
namespace {

// Below what servers and balancers allow, so that it is we who close.
constexpr Duration idle_time = std::chrono::seconds(45);

}  // namespace

UnaryPool::UnaryPool(ServerLink& link, std::size_t connections_max)
    : link_(link), connections_max_(connections_max) {}

void UnaryPool::submit(client::Request request, Instant deadline, client::Answer answer) {
  const Order order{request.priority, next_number_++};
  Timer timer = link_.loop.run_at(deadline, [this, order] { give_up(order); });
  waiting_.emplace(order, Waiting{.request = std::move(request),
                                  .deadline = deadline,
                                  .answer = std::move(answer),
                                  .timer = std::move(timer)});
  start_next();
}

void UnaryPool::give_up(Order order) {
  auto entry = waiting_.extract(order);
  const Waiting& waiting = entry.mapped();
  waiting.answer(server_error(link_.server, Fault::Timeout, "no connection was free in time"));
}

void UnaryPool::start_next() {
  while (!waiting_.empty() && (!idle_.empty() || busy_.size() < connections_max_)) {
    Waiting waiting = std::move(waiting_.begin()->second);
    waiting_.erase(waiting_.begin());
    occupy(std::move(waiting));
  }
}

void UnaryPool::occupy(Waiting waiting) {
  if (idle_.empty()) idle_.emplace_front(link_);
  const Slots::iterator slot = idle_.begin();
  busy_.splice(busy_.begin(), idle_, slot);
  slot->idle_timer.end();
  slot->exchange.perform(
      std::move(waiting.request), waiting.deadline,
      [this, slot, answer = std::move(waiting.answer)](Result<client::Response> result) {
        // Posted, because the exchange is still on the stack; and posted before the answer is
        // given, so that what follows from the answer finds the connection free. The pool lives as
        // long as its loop.
        const bool broke = !result && result.error().fault == Fault::Unavailable;
        link_.loop.post([this, slot, broke] {
          if (broke) idle_.clear();  // what took this one took the others along
          release(slot);
        });
        answer(std::move(result));
      });
}

void UnaryPool::release(Slots::iterator slot) {
  idle_.splice(idle_.begin(), busy_, slot);
  if (slot->exchange.is_kept()) {
    slot->idle_timer = link_.loop.run_at(link_.loop.clock().now() + idle_time,
                                         [this, slot] { idle_.erase(slot); });
  } else {
    idle_.erase(slot);
  }
  start_next();
}

}  // namespace nlc::net

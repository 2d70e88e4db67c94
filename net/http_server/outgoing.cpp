#include "net/http_server/outgoing.h"

#include <absl/strings/str_cat.h>
#include <algorithm>
#include <cassert>

namespace nlc::net {
namespace {

// Large enough to fill a socket's buffer at once, small enough that a stalled reader is noticed
// between two.
constexpr std::size_t slice_bytes = 256 * 1024;
constexpr std::size_t slice_pieces = 60;  // one writev takes 64

}  // namespace

void Outgoing::send(std::string head, std::string body) {
  assert(kind_ == Kind::Empty);
  kind_ = Kind::Whole;
  head_ = std::move(head);
  body_ = std::move(body);
}

void Outgoing::open(std::string head, Framing framing) {
  assert(kind_ == Kind::Empty);
  kind_ = Kind::Stream;
  head_ = std::move(head);
  framing_ = framing;
}

void Outgoing::write(std::shared_ptr<const std::string> bytes) {
  assert(kind_ == Kind::Stream && !closing_);
  if (bytes->empty()) return;  // An empty chunk would end the stream.
  queued_ += bytes->size();
  queue_.push_back(std::move(bytes));
}

void Outgoing::close() {
  assert(kind_ == Kind::Stream && !closing_);
  closing_ = true;
}

void Outgoing::forgive() { forgiven_ = queued_; }

std::vector<std::string_view> Outgoing::next() {
  assert(!out_);
  std::vector<std::string_view> slice;
  slice_head_ = std::move(head_);
  head_.clear();
  if (kind_ == Kind::Stream) {
    next_of_stream(slice);
  } else {
    if (!slice_head_.empty()) slice.push_back(slice_head_);
    const std::size_t size = std::min(body_.size() - body_taken_, slice_bytes);
    if (size > 0) slice.push_back(std::string_view(body_).substr(body_taken_, size));
    body_taken_ += size;
  }
  out_ = !slice.empty();
  return slice;
}

/// As many queued pieces as fit, framed as one chunk: a caller does not see where chunks begin.
void Outgoing::next_of_stream(std::vector<std::string_view>& slice) {
  std::size_t size = 0;
  while (!queue_.empty() && slice_.size() < slice_pieces && size < slice_bytes) {
    size += queue_.front()->size();
    slice_.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  const bool chunked = framing_ == Framing::Chunked;
  if (size > 0 && chunked) absl::StrAppend(&slice_head_, absl::Hex(size), "\r\n");
  if (!slice_head_.empty()) slice.push_back(slice_head_);
  for (const auto& piece : slice_) slice.push_back(*piece);
  if (size > 0 && chunked) slice.push_back("\r\n");
  if (closing_ && queue_.empty() && !tail_taken_) {
    tail_taken_ = true;
    if (chunked) slice.push_back("0\r\n\r\n");
  }
}

void Outgoing::written() {
  assert(out_);
  out_ = false;
  for (const auto& piece : slice_) {
    queued_ -= piece->size();
    forgiven_ -= std::min(forgiven_, piece->size());
  }
  slice_.clear();
}

bool Outgoing::finished() const {
  if (out_ || !head_.empty()) return false;
  switch (kind_) {
    case Kind::Empty:
      return false;
    case Kind::Whole:
      return body_taken_ == body_.size();
    case Kind::Stream:
      return closing_ && queue_.empty() && (tail_taken_ || framing_ == Framing::UntilClose);
  }
  return false;
}

}  // namespace nlc::net

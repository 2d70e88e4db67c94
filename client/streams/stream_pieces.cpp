#include "client/streams/stream_pieces.h"

#include <algorithm>

namespace nlc::client {
namespace {

constexpr std::size_t length_bytes = 4;
/// What one large object needed is not kept for all small ones after it.
constexpr std::size_t kept_capacity = std::size_t{64} << 10U;

std::size_t length_of(std::string_view frame) {
  std::size_t length = 0;
  for (const char byte : frame.substr(0, length_bytes)) {
    length = (length << 8U) | static_cast<unsigned char>(byte);
  }
  return length;
}

}  // namespace

void StreamPieces::take(std::string_view bytes, Taker& taker) {
  if (cut_ == Cut::Lines) return take_lines(bytes, taker);
  take_frames(bytes, taker);
}

void StreamPieces::take_lines(std::string_view bytes, Taker& taker) {
  for (std::size_t end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
    end_line(bytes.substr(0, end), taker);
    bytes.remove_prefix(end + 1);
  }
  overlong_ = overlong_ || rest_.size() + bytes.size() > limit;
  if (overlong_) {
    release();
  } else {
    rest_ += bytes;
  }
}

void StreamPieces::end_line(std::string_view rest, Taker& taker) {
  if (overlong_) {
    taker.on_overlong();
  } else if (rest_.empty()) {
    if (!rest.empty()) taker.on_piece(rest);
  } else {
    rest_ += rest;
    taker.on_piece(rest_);
  }
  overlong_ = false;
  release();
}

void StreamPieces::take_frames(std::string_view bytes, Taker& taker) {
  while (!bytes.empty()) {
    const std::size_t skipped = std::min(skipping_, bytes.size());
    skipping_ -= skipped;
    bytes.remove_prefix(skipped);
    // A frame that is here as a whole is read where it lies.
    if (rest_.empty() && bytes.size() >= length_bytes) {
      const std::size_t size = length_of(bytes);
      if (skips(size, taker)) {
        bytes.remove_prefix(length_bytes);
        continue;
      }
      if (bytes.size() - length_bytes >= size) {
        taker.on_piece(bytes.substr(length_bytes, size));
        bytes.remove_prefix(length_bytes + size);
        continue;
      }
    }
    if (rest_.size() < length_bytes) {
      bytes = gather(bytes, length_bytes);
      if (rest_.size() < length_bytes || skips(length_of(rest_), taker)) continue;
    }
    const std::size_t size = length_bytes + length_of(rest_);
    bytes = gather(bytes, size);
    if (rest_.size() < size) continue;
    taker.on_piece(std::string_view(rest_).substr(length_bytes));
    release();
  }
}

/// Adds to the rest until it has `size`, and answers what is left of `bytes`.
std::string_view StreamPieces::gather(std::string_view bytes, std::size_t size) {
  const std::size_t added = std::min(size - rest_.size(), bytes.size());
  rest_ += bytes.substr(0, added);
  return bytes.substr(added);
}

/// Whether a frame of that size is thrown away, being empty or too long.
bool StreamPieces::skips(std::size_t size, Taker& taker) {
  if (size > 0 && size <= limit) return false;
  if (size > 0) taker.on_overlong();
  skipping_ = size;
  release();
  return true;
}

void StreamPieces::release() {
  rest_.clear();
  if (rest_.capacity() > kept_capacity) rest_.shrink_to_fit();
}

}  // namespace nlc::client

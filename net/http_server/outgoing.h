#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nlc::net {

/// What is still to be written of one HTTP answer, handed out in slices for gathering writes.
///
/// Either `send` once, or `open`, `write` any number of times, `close`. The writer repeats: `next`,
/// write those bytes, `written`; the views of `next` are good until `written`. Pure: it knows no
/// socket.
class Outgoing {
 public:
  enum class Framing { Chunked, UntilClose };  ///< the latter for callers that speak HTTP/1.0

  void send(std::string head, std::string body);
  void open(std::string head, Framing framing);
  void write(std::shared_ptr<const std::string> bytes);
  void close();

  /// What is queued now does not count as backlog: the caller could not have read any of it yet, so
  /// it says nothing of how fast he reads.
  void forgive();

  /// Bytes of a stream by which the caller is behind.
  std::size_t backlog() const { return queued_ > forgiven_ ? queued_ - forgiven_ : 0; }

  /// The next slice, empty when there is nothing to write now.
  std::vector<std::string_view> next();
  void written();

  /// Everything was written and nothing can follow.
  bool finished() const;

 private:
  void next_of_stream(std::vector<std::string_view>& slice);

  enum class Kind { Empty, Whole, Stream };
  Kind kind_ = Kind::Empty;
  Framing framing_ = Framing::Chunked;
  std::string head_;
  std::string body_;  // of a whole answer
  std::size_t body_taken_ = 0;
  std::deque<std::shared_ptr<const std::string>> queue_;
  std::size_t queued_ = 0;
  std::size_t forgiven_ = 0;
  bool closing_ = false;
  bool tail_taken_ = false;

  bool out_ = false;  // a slice is being written:
  std::string slice_head_;
  std::vector<std::shared_ptr<const std::string>> slice_;
};

}  // namespace nlc::net

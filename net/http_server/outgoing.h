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

  /// The bytes queued until now were there before the caller could read any: a long first answer is
  /// no sign of a slow reader, so they do not count as backlog.
  void forgive();

  /// Bytes of a stream that the caller should have taken already.
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

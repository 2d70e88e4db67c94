#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace nlc::client {

/// Cuts the body of a watch, which comes in any portions, into its events: lines of JSON, or
/// protobuf frames with their length in four bytes before them.
///
/// An event of more than `limit` is no object of ours: the API server refuses objects above 3 MiB
/// or so. It is told and skipped.
class StreamPieces {
 public:
  enum class Cut : std::uint8_t { Lines, Frames };

  struct Taker {
    virtual ~Taker() = default;
    /// Good during the call only; never empty.
    virtual void on_piece(std::string_view piece) = 0;
    virtual void on_overlong() = 0;
  };

  static constexpr std::size_t limit = std::size_t{16} << 20U;

  explicit StreamPieces(Cut cut = Cut::Lines) : cut_(cut) {}

  void take(std::string_view bytes, Taker& taker);

 private:
  void take_lines(std::string_view bytes, Taker& taker);
  void take_frames(std::string_view bytes, Taker& taker);
  std::string_view gather(std::string_view bytes, std::size_t size);
  void end_line(std::string_view rest, Taker& taker);
  bool skips(std::size_t size, Taker& taker);
  void release();

  Cut cut_;
  std::string rest_;          ///< the beginning of a piece whose end has not come yet
  bool overlong_ = false;     ///< a line: what comes is thrown away up to its end
  std::size_t skipping_ = 0;  ///< a frame: so much of it is still to be thrown away
};

}  // namespace nlc::client

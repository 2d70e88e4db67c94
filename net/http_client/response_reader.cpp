#include "net/http_client/response_reader.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/fields.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/optional.hpp>
#include <limits>
#include <optional>
#include <utility>

#include "net/http/http_date.h"
#include "net/http_client/server_link.h"

namespace nlc::net {

namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;

namespace {

constexpr std::size_t read_bytes = 64 * 1024;
constexpr std::uint32_t head_limit = 64 * 1024;

/// A body that is passed on in pieces instead of being kept.
struct PassedOn {
  using value_type = std::function<void(std::string_view)>;

  class reader {
   public:
    template <bool is_request, typename Fields>
    reader(http::header<is_request, Fields>&, value_type& sink) : sink_(sink) {}

    void init(const boost::optional<std::uint64_t>&, error_code& error) { error = {}; }

    template <typename Buffers>
    std::size_t put(const Buffers& buffers, error_code& error) {
      error = {};
      std::size_t size = 0;
      for (auto at = boost::asio::buffer_sequence_begin(buffers);
           at != boost::asio::buffer_sequence_end(buffers); ++at) {
        const boost::asio::const_buffer piece = *at;
        sink_(std::string_view(static_cast<const char*>(piece.data()), piece.size()));
        size += piece.size();
      }
      return size;
    }

    void finish(error_code& error) { error = {}; }

   private:
    value_type& sink_;
  };
};

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

}  // namespace

struct ResponseReader::Parsing {
  using Parser = http::response_parser<PassedOn>;

  explicit Parsing(PassedOn::value_type to) : sink(std::move(to)) { begin(); }

  void begin() {
    parser.emplace();
    parser->get().body() = sink;
    parser->eager(true);
    parser->header_limit(head_limit);
    // boost::none would fail every body with a Content-Length in Boost 1.74.
    parser->body_limit(std::numeric_limits<std::uint64_t>::max());
  }

  /// "100 Continue" and its like: the answer is still to come.
  bool is_interim() const {
    return parser->is_done() && parser->get().result_int() / 100 == 1 &&
           parser->get().result() != http::status::switching_protocols;
  }

  const PassedOn::value_type sink;
  beast::flat_buffer buffer;
  std::optional<Parser> parser;
  bool begun = false;
  bool surplus = false;  // bytes behind the end of the response: nobody asked for them
};

ResponseReader::ResponseReader(std::function<void(std::string_view)> on_body)
    : parsing_(std::make_unique<Parsing>(std::move(on_body))) {}

ResponseReader::~ResponseReader() = default;

std::span<char> ResponseReader::space() {
  const auto area = parsing_->buffer.prepare(read_bytes);
  return {static_cast<char*>(area.data()), area.size()};
}

std::optional<ResponseReader::Problem> ResponseReader::filled(std::size_t size) {
  Parsing& parsing = *parsing_;
  parsing.begun = parsing.begun || size > 0;
  parsing.buffer.commit(size);
  error_code error;
  std::size_t taken = 1;
  while (parsing.buffer.size() > 0 && !parsing.parser->is_done() && !error && taken > 0) {
    taken = parsing.parser->put(parsing.buffer.data(), error);
    parsing.buffer.consume(taken);
    if (parsing.is_interim()) parsing.begin();
  }
  if (error == http::error::header_limit) {
    return Problem{Fault::Malformed, answer_too_long};
  }
  if (error && error != http::error::need_more) {
    return Problem{Fault::Malformed, "the answer is no HTTP: " + error.message()};
  }
  const bool over = parsing.parser->is_done();
  // A size, an extension or a trailer of a chunk: they have no end of their own to the parser.
  if (!over && parsing.buffer.size() > head_limit) {
    return Problem{Fault::Malformed, answer_too_long};
  }
  parsing.surplus = over && parsing.buffer.size() > 0;
  return std::nullopt;
}

std::optional<ResponseReader::Problem> ResponseReader::ended() {
  if (is_complete()) return std::nullopt;
  if (!has_head()) {
    return Problem{Fault::Unavailable,
                   has_begun() ? "the server closed the connection in the middle of its answer"
                               : "the server closed the connection without an answer"};
  }
  error_code error;
  parsing_->parser->put_eof(error);
  if (!error && is_complete()) return std::nullopt;
  return Problem{Fault::Unavailable,
                 "the server closed the connection in the middle of its answer"};
}

bool ResponseReader::has_begun() const { return parsing_->begun; }

bool ResponseReader::has_head() const { return parsing_->parser->is_header_done(); }

bool ResponseReader::is_complete() const { return parsing_->parser->is_done(); }

bool ResponseReader::is_reusable() const {
  return is_complete() && parsing_->parser->keep_alive() && !parsing_->parser->need_eof() &&
         !parsing_->surplus;
}

client::Response ResponseReader::head() const {
  const auto& message = parsing_->parser->get();
  return client::Response{.status = static_cast<int>(message.result_int()),
                          .content_type = std::string(view(message[http::field::content_type])),
                          .retry_after = parse_retry_after(view(message[http::field::retry_after])),
                          .date = parse_http_date(view(message[http::field::date]))};
}

}  // namespace nlc::net

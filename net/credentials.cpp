#include "net/credentials.h"

#include "net/base64.h"
#include "net/text_file.h"

namespace nlc::net {
namespace {

// Upstream holds a token for a minute and reads again when less than 10 s of that are left.
constexpr Duration token_validity = std::chrono::seconds(50);

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

std::string first_header(const ClusterConfig& config) {
  if (!config.token.empty()) return "Bearer " + trimmed(config.token);
  if (config.username.empty()) return {};
  return "Basic " + base64(config.username + ":" + config.password);
}

}  // namespace

Credentials::Credentials(ClusterConfig config, const Clock& clock, Log& log)
    : config_(std::move(config)), clock_(clock), log_(log) {
  if (config_.tls) header_ = first_header(config_);
}

const std::string& Credentials::authorization() {
  const bool reads = config_.tls && !config_.token_file.empty();
  if (reads && clock_.now() >= valid_until_) read_token_file();
  return header_;
}

const std::string& Credentials::authorization_after(const std::string& refused) {
  const bool reads = config_.tls && !config_.token_file.empty();
  if (reads && header_ == refused) read_token_file();
  if (header_ == refused) tell_refused();
  return header_;
}

/// Once for each credential, not for each request that it spoils.
void Credentials::tell_refused() {
  if (told_refused_ == header_) return;
  told_refused_ = header_;
  log_.warning("server does not accept the credentials (401)",
               {{"user", config_.user},
                {"credentials", credentials_in_words(config_)},
                {"source", config_.source}});
}

void Credentials::read_token_file() {
  // A failing reading waits its turn too: a broken mount must not cost one system call per request.
  valid_until_ = clock_.now() + token_validity;
  Result<std::string> text = read_text_file(config_.token_file);
  const std::string token = text ? trimmed(*text) : std::string();
  const bool one_line = token.find_first_of("\r\n") == std::string::npos;
  if (!token.empty() && one_line) {
    header_ = "Bearer " + token;
    return;
  }
  const std::string why = token.empty() ? ": it is empty" : ": it has more than one line";
  log_.warning(
      "token file could not be read, the old token stays",
      {{"user", config_.user}, {"error", text ? config_.token_file + why : text.error().path}});
}

}  // namespace nlc::net

#include "net/credentials/credentials.h"

#include <utility>

#include "net/process/text_file.h"
#include "runtime/words.h"

namespace nlc::net {
namespace {

// Upstream holds a token for a minute and reads again when less than 10 s of that are left.
constexpr Duration token_validity = std::chrono::seconds(50);
// Between two looks at the certificate files when no connection asks for one.
constexpr Duration calm_look = std::chrono::seconds(50);
constexpr Duration troubled_look = std::chrono::seconds(10);

std::string first_header(const ClusterConfig& config) {
  return config.token.empty() ? "" : "Bearer " + std::string(trimmed(config.token));
}

}  // namespace

void warn_of_no_credentials(const ClusterConfig& config, Log& log) {
  if (!config.tls || !shows_nothing(config)) return;
  log.warning("no credentials are shown to the server, which takes us for system:anonymous",
              {{"user", config.user}, {"source", config.source}});
}

Credentials::Credentials(ClusterConfig config, const Clock& clock, Log& log)
    : config_(std::move(config)), clock_(clock), log_(log), files_(config_, log) {
  if (config_.tls) header_ = first_header(config_);
}

std::string Credentials::authorization() {
  const std::lock_guard lock(mutex_);
  if (!config_.tls) return header_;
  const Instant now = clock_.now();
  if (!config_.token_file.empty() && now >= valid_until_) read_token_file();
  look_at_certificates(now);
  return header_;
}

std::string Credentials::authorization_after(const std::string& refused) {
  const std::lock_guard lock(mutex_);
  const bool reads = config_.tls && !config_.token_file.empty();
  if (reads && header_ == refused) read_token_file();
  if (header_ == refused) tell_refused();
  return header_;
}

Result<std::shared_ptr<const TlsMaterial>> Credentials::tls() {
  const std::lock_guard lock(mutex_);
  auto material = files_.current();
  publish_trouble();
  return material;
}

std::optional<std::string> Credentials::trouble() const {
  const std::shared_ptr<const std::string> trouble = shown_trouble_.read();
  return trouble->empty() ? std::nullopt : std::optional(*trouble);
}

void Credentials::publish_trouble() {
  const bool both = !token_trouble_.empty() && !files_.trouble().empty();
  std::string trouble = token_trouble_ + (both ? "; " : "") + files_.trouble();
  if (trouble == *shown_trouble_.read()) return;
  shown_trouble_.publish(std::move(trouble));
}

/// Reads the certificate files now and then, so that trouble with them shows, and ends, even while
/// no new connection is made.
void Credentials::look_at_certificates(Instant now) {
  if (!next_look_) next_look_ = now + calm_look;  // The first connection has just looked.
  if (now < *next_look_) return;
  static_cast<void>(files_.current());  // An error shows again where it matters.
  next_look_ = now + (files_.trouble().empty() ? calm_look : troubled_look);
  publish_trouble();
}

/// Logs a refusal once for each credential, not for each request.
void Credentials::tell_refused() {
  if (told_refused_ == header_) return;
  told_refused_ = header_;
  log_.warning("server does not accept the credentials (401)",
               {{"user", config_.user},
                {"credentials", credentials_in_words(config_)},
                {"source", config_.source}});
}

void Credentials::read_token_file() {
  // Also set where reading fails: a broken mount must not cost a system call per request.
  valid_until_ = clock_.now() + token_validity;
  Result<std::string> text = read_text_file(config_.token_file, token_file_limit);
  const std::string token(text ? trimmed(*text) : std::string_view());
  std::string trouble;
  if (!text) {
    trouble = "token file " + text.error().path;
  } else if (const std::optional<std::string> fault = token_fault(token)) {
    trouble = "token file " + config_.token_file + ": " + *fault;
  } else {
    header_ = "Bearer " + token;
  }
  if (trouble == token_trouble_) return;
  if (trouble.empty()) {
    log_.info("token file can be read again", {{"user", config_.user}, {"was", token_trouble_}});
  } else {
    log_.warning("token file could not be read, the old token stays",
                 {{"user", config_.user}, {"error", trouble}});
  }
  token_trouble_ = std::move(trouble);
  publish_trouble();
}

}  // namespace nlc::net

#include "sim/kubelet/hollow_requests.h"

#include <nlohmann/json.hpp>

#include "sim/kubelet/hollow_node.h"

namespace nlc::sim {
namespace {

void exchange(client::Transport& transport, client::Request request,
              client::Done<std::string> done) {
  client::Request sent{.method = request.method, .target = request.target};
  transport.send(std::move(request),
                 [sent = std::move(sent), done = std::move(done)](Result<client::Response> answer) {
                   Result<client::Response> response = client::accepted(sent, std::move(answer));
                   if (!response) return done(std::move(response.error()));
                   done(std::move(response->body));
                 });
}

client::Request with_body(std::string method, client::RequestPriority priority,
                          std::string_view target, std::string body) {
  return {.method = std::move(method),
          .target = std::string(target),
          .content_type = "application/json",
          .body = std::move(body),
          .priority = priority};
}

}  // namespace

void create_object(client::Transport& transport, client::RequestPriority priority,
                   std::string_view collection, std::string body, client::Done<std::string> done) {
  exchange(transport, with_body("POST", priority, collection, std::move(body)), std::move(done));
}

void read_object(client::Transport& transport, std::string_view path,
                 client::Done<std::string> done) {
  exchange(transport, {.target = std::string(path)}, std::move(done));
}

void delete_object(client::Transport& transport, client::RequestPriority priority,
                   std::string_view path, std::string options, client::Done<std::string> done) {
  exchange(transport, with_body("DELETE", priority, path, std::move(options)), std::move(done));
}

std::string uid_of(const std::string& object) try {
  return nlohmann::json::parse(object).at("metadata").value("uid", "");
} catch (const nlohmann::json::exception&) {
  return {};
}

std::optional<std::string> maker_of(const std::string& object) try {
  const nlohmann::json metadata = nlohmann::json::parse(object).at("metadata");
  return metadata.at("annotations").at(run_annotation).get<std::string>();
} catch (const nlohmann::json::exception&) {
  return std::nullopt;
}

}  // namespace nlc::sim

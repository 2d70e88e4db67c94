#pragma once

#include <span>
#include <string_view>

/// Everybody in this project who reads bytes that others wrote: servers, callers, operators. Each
/// of these functions reads `bytes` in every way in which the project reads bytes of that kind, and
/// throws `BrokenRule` where a rule is broken that holds for all bytes. That none of them crashes,
/// hangs, or does what the sanitizers forbid is the first rule.
namespace nlc::bytes {

void read_access_review(std::string_view bytes);
void read_address(std::string_view bytes);
void read_api_request(std::string_view bytes);
void read_certificate(std::string_view bytes);
void read_deviations(std::string_view bytes);
void read_duration(std::string_view bytes);
void read_http_request(std::string_view bytes);
void read_http_response(std::string_view bytes);
void read_json_object(std::string_view bytes);
void read_kubeconfig(std::string_view bytes);
void read_lock_record(std::string_view bytes);
void read_operator_policy(std::string_view bytes);
void read_page_path(std::string_view bytes);
void read_patch(std::string_view bytes);
void read_protobuf_object(std::string_view bytes);
void read_refusal(std::string_view bytes);
void read_scenario_file(std::string_view bytes);
void read_timestamp(std::string_view bytes);
void read_toleration(std::string_view bytes);
void read_watch_stream(std::string_view bytes);

struct Reader {
  std::string_view name;  ///< of its file, its folder of inputs and its fuzz target
  void (*read)(std::string_view bytes);
};
std::span<const Reader> readers();

}  // namespace nlc::bytes

#include "readers.h"

namespace nlc::bytes {

std::span<const Reader> readers() {
  static constexpr Reader all[] = {{"access_review", &read_access_review},
                                   {"address", &read_address},
                                   {"api_request", &read_api_request},
                                   {"certificate", &read_certificate},
                                   {"deviations", &read_deviations},
                                   {"duration", &read_duration},
                                   {"http_request", &read_http_request},
                                   {"http_response", &read_http_response},
                                   {"json_object", &read_json_object},
                                   {"kubeconfig", &read_kubeconfig},
                                   {"lock_record", &read_lock_record},
                                   {"operator_policy", &read_operator_policy},
                                   {"page_path", &read_page_path},
                                   {"patch", &read_patch},
                                   {"protobuf_object", &read_protobuf_object},
                                   {"refusal", &read_refusal},
                                   {"scenario_file", &read_scenario_file},
                                   {"timestamp", &read_timestamp},
                                   {"toleration", &read_toleration},
                                   {"watch_stream", &read_watch_stream}};
  return all;
}

}  // namespace nlc::bytes

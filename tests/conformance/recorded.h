#pragma once

#include <cassert>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

/// Answers that were recorded from kube-apiserver 1.36.3; `recorded/1.36.3/index.yaml` names the
/// request behind each.
namespace nlc::conformance {

inline std::string recorded(const std::string& file) {
  const std::filesystem::path path =
      std::filesystem::path(NLC_CONFORMANCE_DIR) / "recorded" / "1.36.3" / file;
  std::ifstream in(path, std::ios::binary);
  assert(in.is_open());
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace nlc::conformance

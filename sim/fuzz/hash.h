#pragma once

#include <cstdint>
#include <string_view>

namespace nlc::sim::fuzz {

/// FNV-1a: the same number on every machine.
class Hash {
 public:
  void add(std::string_view bytes) {
    for (const char byte : bytes) {
      number_ = (number_ ^ static_cast<unsigned char>(byte)) * 1'099'511'628'211U;
    }
  }
  std::uint64_t number() const { return number_; }

 private:
  std::uint64_t number_ = 14'695'981'039'346'656'037U;
};

}  // namespace nlc::sim::fuzz

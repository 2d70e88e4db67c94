#include <cstddef>
#include <cstdint>

#include "readers.h"

/// One reader for libFuzzer: NLC_READER names its function.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  nlc::bytes::NLC_READER({reinterpret_cast<const char*>(data), size});
  return 0;
}

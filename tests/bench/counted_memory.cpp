#include "tests/bench/counted_memory.h"

#include <atomic>
#include <cstdlib>
#include <malloc.h>
#include <new>

namespace {

std::atomic<std::size_t> count = 0;
std::atomic<std::size_t> held = 0;

/// The size of a block stands in a word before it.
std::size_t cost(void* memory) { return ::malloc_usable_size(memory) + sizeof(std::size_t); }

void* counted(std::size_t size) noexcept {
  ++count;
  void* const memory = std::malloc(size);
  if (memory != nullptr) held += cost(memory);
  return memory;
}

void uncounted(void* memory) noexcept {
  if (memory != nullptr) held -= cost(memory);
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) {
  if (void* memory = counted(size)) return memory;
  throw std::bad_alloc();
}
/// Its own, so that no sanitizer's stands beside our delete.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return counted(size); }
void operator delete(void* memory) noexcept { uncounted(memory); }
void operator delete(void* memory, std::size_t) noexcept { uncounted(memory); }

namespace nlc::bench {

std::size_t allocations() { return count; }
std::size_t bytes_held() { return held; }

}  // namespace nlc::bench

#pragma once

#include <cstddef>

/// What the whole program allocates, through an `operator new` of its own; tests look at
/// differences. For a program of one thread at a time.
namespace nlc::bench {

/// How often memory was allocated.
std::size_t allocations();

/// Bytes that are taken out of the heap at the moment, the allocator's own included.
std::size_t bytes_held();

}  // namespace nlc::bench

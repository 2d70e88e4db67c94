#include "controller/process_memory.h"

#include <cstdlib>  // says whether it is glibc

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace nlc::controller {

void keep_one_heap() {
#ifdef __GLIBC__
  constexpr int large_block = 128 * 1024;  // glibc's own, which grows by itself unless it is set
  ::mallopt(M_ARENA_MAX, 1);
  ::mallopt(M_MMAP_THRESHOLD, large_block);
#endif
}

void give_back_memory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

}  // namespace nlc::controller

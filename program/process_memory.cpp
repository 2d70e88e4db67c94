#include "program/process_memory.h"

#include <cstdlib>  // says whether it is glibc

#ifdef __GLIBC__
#include <cstddef>
#include <cstdint>
#include <link.h>
#include <malloc.h>
#include <span>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace nlc::program {

#ifdef __GLIBC__
namespace {

/// Segments that nobody writes to are as their file is: what is needed again comes back from it.
int let_go_of_what_is_in_files(dl_phdr_info* object, std::size_t, void*) {
  const std::uintptr_t page = ::sysconf(_SC_PAGESIZE);
  for (const auto& segment : std::span(object->dlpi_phdr, object->dlpi_phnum)) {
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0) continue;
    const std::uintptr_t begin = (object->dlpi_addr + segment.p_vaddr) / page * page;
    const std::uintptr_t end = object->dlpi_addr + segment.p_vaddr + segment.p_memsz;
    ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
  }
  return 0;
}

}  // namespace
#endif

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
  ::dl_iterate_phdr(let_go_of_what_is_in_files, nullptr);
#endif
}

}  // namespace nlc::program

#pragma once

/// The process's memory: where it comes from, and how it goes back. Does nothing on systems whose
/// allocator needs no such care.
namespace nlc::program {

/// For a program whose threads hardly allocate at once: they share one heap, and large blocks leave
/// the process when they are freed. Before the first thread is started.
void keep_one_heap();

/// Gives to the system what is free between blocks that are in use, and those pages of the program
/// and its libraries that only the start needed. Takes milliseconds.
void give_back_memory();

}  // namespace nlc::program

// Stands for the precompiled headers of all tests (tests/CMakeLists.txt); there is nothing else in
// it.

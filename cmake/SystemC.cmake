# Debian's SystemC is built as C++17; the define lets C++20 code link against it (its headers encode the standard in a symbol).
pkg_check_modules(SYSTEMC_PC REQUIRED IMPORTED_TARGET GLOBAL systemc)
add_library(systemc INTERFACE)
target_link_libraries(systemc INTERFACE PkgConfig::SYSTEMC_PC Threads::Threads)
target_compile_definitions(systemc INTERFACE SC_CPLUSPLUS=201703L SC_INCLUDE_DYNAMIC_PROCESSES)

// The label of a core library, readable before any of its code runs: a section of the file, lines of
// name=value.
//
//     abi=HASH         what the pins were when it was built (cmake/CoreAbi.cmake)
//     cpu=avx2 fma     what the compiler was allowed to use, by the names of /proc/cpuinfo
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace trnsim::tlm {

#define TRNSIM_CORE_LABEL_SECTION ".trnsim_core"

// The C++ library's layout of the data that crosses the pins is part of the label.
#define TRNSIM_TEXT_OF(x) #x
#define TRNSIM_TEXT(x) TRNSIM_TEXT_OF(x)
#ifdef _GLIBCXX_DEBUG
#define TRNSIM_CORE_FULL_ABI TRNSIM_CORE_ABI "-debug"
#else
#define TRNSIM_CORE_FULL_ABI TRNSIM_CORE_ABI "-" TRNSIM_TEXT(_GLIBCXX_USE_CXX11_ABI)
#endif

// Returns why the program cannot use the library at `path`, by its label; empty: it can. `abi` is the
// program's, `cpu` has the processor's features, separated by blanks; empty: not known.
std::string refusal(const std::filesystem::path& path, std::string_view abi, std::string_view cpu);

// Returns how many features of the processor the library at `path` uses, by its label.
std::size_t features_used(const std::filesystem::path& path);

// Returns the features of this processor.
std::string processor_features();

}  // namespace trnsim::tlm

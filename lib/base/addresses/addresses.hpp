// Where things are in the system address space (facts of the public driver; docs/architecture.md).
#pragma once

#include <cstdint>

namespace trnsim::addresses {

constexpr std::uint64_t HbmBase = 0x0;
constexpr std::uint64_t HbmStackStride = 0x1000000000;   // from stack to stack
constexpr std::uint64_t CoreWindowBase = 0xfffc0000000;  // of core 0

}  // namespace trnsim::addresses

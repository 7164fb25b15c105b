// Checkpoints as files: 8 bytes "trnsimck", the version of the format, the number of bytes of the state,
// their CRC-32, and the bytes, compressed by zlib. Only the version that wrote a file reads it.
#pragma once

#include <filesystem>

#include "arch/checkpoint/system_state.hpp"

namespace trnsim::checkpoint {

inline constexpr std::uint32_t Version = 3;

// Throws files::Error.
void write(const std::filesystem::path& path, SystemState& state);
// Throws files::Error, and Error with the file's name, what was found and what was expected.
SystemState read(const std::filesystem::path& path);

}  // namespace trnsim::checkpoint

// The kernel container, kernel.neff: a 1024-byte header (header.hpp) and a tar.
//
//   neff.json            format, version, subgraphs
//   info.json            kernel name, arguments, target
//   sg00/def.json        tensors (`var`), DMA queues (`dma_queue`), engines with their members
//   sg00/<Engine>.json   transfers of the queues this engine owns (`dma`)
//   sg00/<engine>.bin    its instructions, 64 bytes each
//   images/<i>.gpsimd    images for the GpSimd cores, if there are any
//
// The layout follows the public description of the format; the bytes depend on the package only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/neff/error.hpp"
#include "compiler/neff/package.hpp"

namespace trnsim::neff {

// Returns the file of a package. Throws Error when the package is not valid (check.hpp).
std::vector<std::uint8_t> serialise(const Package& package);
// Reads a file. Throws Error; `name` stands for the file in its message.
Package parse(std::span<const std::uint8_t> bytes, std::string_view name);

// Throw Error or files::Error.
void write(const std::filesystem::path& path, const Package& package);
Package read(const std::filesystem::path& path);

}  // namespace trnsim::neff

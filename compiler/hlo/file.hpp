// Modules in files: a serialised HloModuleProto, or one in an HloProto or HloModuleProtoWithConfig, gzip or not; or
// HLO text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "compiler/hlo/module.hpp"

namespace trnsim::hlo {

// Reads a module in any of these forms, without verifying it (verify.hpp). Throws Error, or files::Error.
Module read(const std::filesystem::path& path);
// `name` stands for the file in messages.
Module parse(std::span<const std::uint8_t> bytes, std::string_view name);

// Reads a serialised HloModuleProto. Messages have no file name.
Module parse_proto(std::string_view bytes);
// Returns a serialised HloModuleProto.
std::string serialise(const Module& module);

// Returns the bytes of a gzip file. Throws Error, also for more than MaxBytes.
std::string inflate(std::span<const std::uint8_t> gzip);

}  // namespace trnsim::hlo

// Values of graphs in .npy files.
#pragma once

#include <filesystem>

#include "compiler/hlo/evaluate/value.hpp"

namespace trnsim::compile {

// Reads an array of this shape. Real types narrower than float32 may be float32, which is rounded. Throws a
// std::exception.
hlo::evaluate::Value read_value(const std::filesystem::path& path, const hlo::Shape& shape);

// Throws a std::exception, also for a value that is no array.
void write_value(const std::filesystem::path& path, const hlo::evaluate::Value& value);

}  // namespace trnsim::compile

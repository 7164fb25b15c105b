// A recording of ten nanoseconds with a signal or two of each view.
#pragma once

#include <filesystem>

namespace trnsim::test {

void write_recording(const std::filesystem::path& path);

}  // namespace trnsim::test

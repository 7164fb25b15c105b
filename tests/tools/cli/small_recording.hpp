// A recording of ten nanoseconds, from 1 to 11, with a signal or two of each view.
#pragma once

#include <filesystem>

namespace trnsim::test {

void write_recording(const std::filesystem::path& path);

// Begins such a recording in another process, which ends by SIGKILL after a flush at 6 ns and changes after it.
void begin_recording(const std::filesystem::path& path);

}  // namespace trnsim::test

// The GTKWave views of waves/, and save files made from them for one recording, which open from any folder.
// GTKWave looks for a file at its path relative to the old place of the save file, then at its old path.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runtime/waves/recording.hpp"
#include "runtime/waves/run.hpp"

namespace trnsim::waves {

struct View {
    std::string name;
    std::filesystem::path root;       // the folder above waves/; the view names its tables from there
    std::filesystem::path file;       // the view
    std::vector<std::string> scopes;  // scopes of its signals
};

// Returns the names in alphabetical order.
std::vector<std::string> view_names();

// Throws std::runtime_error that lists the names when there is no such view. The names of engines in the
// Neuron tools are accepted, too.
View find_view(const std::string& name);

// The part that GTKWave shows at first.
struct Window {
    std::uint64_t start = 0, end = 0;             // ps
    std::optional<std::uint64_t> marker{};        // ps
    std::optional<std::uint32_t> lane{};          // shown above everything else, beside lanes 0 to 3
    std::optional<std::uint32_t> element_lane{};  // the same if `lane` is not set and the recording has it
};

// Returns the write of the element that the recording is about; without one the run, or the recorded part of
// it; the whole recording if the run is not known.
Window window_of_run(const Recording& recording, const std::optional<Run>& run);

// Returns some cycles around one, with the marker on it. Throws std::runtime_error when it has not been
// recorded.
Window window_around(const Recording& recording, const Run& run, std::uint64_t cycle);

// Writes the view of the recording, without signals and groups that the recording lacks, beside the recording:
// FILE.VIEW.gtkw. The tables and filters that it names are in the folder FILE.wave; GTKWave finds them and the
// recording also after all of them have moved together. Throws std::runtime_error when the recording has none
// of the signals, files::Error.
std::filesystem::path write_save_file(const View& view, const Recording& recording, const Window& window);

// Returns the path of that file.
std::filesystem::path save_file_of(const std::filesystem::path& recording, const std::string& view);

// Removes the files beside a recording: its folder and its views.
void remove_beside(const std::filesystem::path& recording);

}  // namespace trnsim::waves

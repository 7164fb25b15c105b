// The GTKWave views of waves/, and save files made from them for one recording, which open from any folder.
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
    std::vector<std::string> scopes;  // those its signals are in
};

// In the order of their names.
std::vector<std::string> view_names();

// Throws std::runtime_error with the names there are when there is no such view. The names of engines that
// users of the Neuron tools know are taken, too.
View find_view(const std::string& name);

// What GTKWave shows at first.
struct Window {
    std::uint64_t start = 0, end = 0;       // ps
    std::optional<std::uint64_t> marker{};  // ps
    std::optional<std::uint32_t> lane{};    // shown above everything else, beside lanes 0 to 3
};

// The run, or as much of it as has been recorded; all of a recording of which no more is known.
Window window_of_run(const Recording& recording, const std::optional<Run>& run);

// Some cycles around one, with the marker on it. Throws std::runtime_error when it has not been recorded.
Window window_around(const Recording& recording, const Run& run, std::uint64_t cycle);

// The view of the recording with absolute paths, without signals and groups that the recording has not,
// beside the recording: FILE.VIEW.gtkw. Throws std::runtime_error when the recording has none of the signals.
std::filesystem::path write_save_file(const View& view, const Recording& recording, const Window& window);

// Where that is.
std::filesystem::path save_file_of(const std::filesystem::path& recording, const std::string& view);

// Removes what lies beside a recording: its folder and its views.
void remove_beside(const std::filesystem::path& recording);

}  // namespace trnsim::waves

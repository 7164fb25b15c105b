// The GTKWave views of waves/: where they are and what they show.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace trnsim::cli {

struct WaveView {
    std::filesystem::path root;       // the folder to start GTKWave in: views name their tables from there
    std::string file;                 // of the view, from the root
    std::vector<std::string> scopes;  // those its signals are in
};

// Throws std::runtime_error with the names there are when there is no such view.
WaveView find_wave_view(const std::string& name);

}  // namespace trnsim::cli

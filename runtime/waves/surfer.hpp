// The views of waves/ for the viewer Surfer: a file of its commands, and the tables and filters of the view in
// its forms, in FILE.wave/surfer. Its state files hold numbers of its own, so a program cannot make them.
#pragma once

#include <filesystem>

#include "runtime/waves/view.hpp"

namespace trnsim::waves {

struct SurferFiles {
    std::filesystem::path commands;  // FILE.VIEW.sucl, for `surfer --command-file`
    std::filesystem::path
        settings;  // folders mnemonic and translators, for those of the same names in Surfer's
};

// Writes the view of the recording, without the signals that the recording lacks: groups become dividers, the
// marker the cursor. Throws files::Error.
SurferFiles write_surfer_files(const View& view, const Recording& recording, const Window& window);

}  // namespace trnsim::waves

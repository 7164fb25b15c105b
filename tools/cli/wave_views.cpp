#include "tools/cli/wave_views.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <set>
#include <stdexcept>
#include <string_view>

#include "isa/aliases.hpp"
#include "lib/base/places/places.hpp"

namespace trnsim::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* Core = "core.neuron_core.";

// The first folder that has views.
fs::path find_root() {
    for (const fs::path& root : places::shipped_folders())
        if (fs::is_regular_file(root / "waves/views.yaml")) return root;
    throw std::runtime_error("the views of waves/ are not in a folder above the program");
}

// Signals stand one a line as "+{label} core.neuron_core.SCOPE...".
std::vector<std::string> scopes_in(const fs::path& view) {
    std::set<std::string> scopes;
    std::ifstream lines(view);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t core = line.find(Core);
        if (!line.starts_with('+') || core == std::string::npos) continue;
        const std::size_t scope = core + std::string_view(Core).size();
        scopes.insert(line.substr(scope, line.find('.', scope) - scope));
    }
    return {scopes.begin(), scopes.end()};
}

}  // namespace

WaveView find_wave_view(const std::string& given) {
    const std::string name(isa::canonical_engine(given));
    const fs::path root = find_root();
    std::set<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(root / "waves")) {
        if (entry.path().extension() == ".gtkw") names.insert(entry.path().stem().string());
    }
    if (!names.contains(name)) {
        throw std::runtime_error(
            fmt::format("--view {}: no such view; there are {}", name, fmt::join(names, ", ")));
    }
    const std::string file = fmt::format("waves/{}.gtkw", name);
    return {root, file, scopes_in(root / file)};
}

}  // namespace trnsim::cli

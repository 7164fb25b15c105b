// trnsim-rtl-package CONFIG OUTDIR SOURCE: writes the inputs of a configuration's core: OUTDIR/cfg_pkg.sv,
// cfg_parameters.hpp, rtl_parameters.txt and, with the hash of the RTL in the project's folder SOURCE,
// rtl_hash.hpp. A file with unchanged content is left alone, so that nothing is rebuilt for it.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "arch/config/config.hpp"
#include "tools/cores/hash.hpp"

namespace {

namespace fs = std::filesystem;

void write_if_changed(const fs::path& path, const std::string& text) {
    std::ostringstream old;
    if (std::ifstream in(path, std::ios::binary); in) old << in.rdbuf();
    if (fs::exists(path) && old.str() == text) return;
    std::ofstream out(path, std::ios::binary);
    out << text;
    out.close();
    if (!out) throw trnsim::config::Error(path.string() + ": cannot be written, expected a writable folder");
}

}  // namespace

int main(int argc, char** argv) {
    constexpr int BadUsage = 2;
    if (argc != 4) {
        std::fprintf(stderr, "usage: trnsim-rtl-package CONFIG OUTDIR SOURCE\n");
        return BadUsage;
    }
    try {
        const trnsim::config::Config config = trnsim::config::load(argv[1]);
        const fs::path folder = argv[2];
        fs::create_directories(folder);
        write_if_changed(folder / "cfg_pkg.sv", trnsim::config::rtl_package(config));
        write_if_changed(folder / "cfg_parameters.hpp", trnsim::config::rtl_header(config));
        write_if_changed(folder / "rtl_hash.hpp",
                         fmt::format("// Made by trnsim-rtl-package.\n#pragma once\n\nnamespace trnsim::cfg "
                                     "{{\ninline constexpr const char* RtlHash = \"{}\";\n}}  // namespace "
                                     "trnsim::cfg\n",
                                     trnsim::cores::rtl_hash(argv[3], config)));
        write_if_changed(folder / "rtl_parameters.txt", trnsim::config::rtl_parameters(config));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "trnsim-rtl-package: %s\n", error.what());
        return BadUsage;
    }
    return 0;
}

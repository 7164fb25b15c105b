#include <fstream>

#include "arch/config/config.hpp"
#include "base/files/files.hpp"
#include "common/temporary_directory.hpp"
#include "fuzz/targets.hpp"

namespace trnsim::fuzz {
namespace {

// A folder with a complete base configuration and the file to read, which may extend it.
struct Folder {
    test::TemporaryDirectory directory;
    std::string file = directory / "input.yaml", shown = directory / "shown.yaml";

    Folder() { std::filesystem::copy_file(TRNSIM_FUZZ_BASE_CONFIG, directory / "base.yaml"); }
};

void write(const std::string& path, Bytes bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace

void config(Bytes input) {
    static const Folder folder;
    write(folder.file, input);
    config::Config read;
    try {
        read = config::load(folder.file);
    } catch (const config::Error& error) {
        expect_line(error.what());
        expect(!error.rule.empty(), "a refusal without its rule");
        return;
    }
    const std::string shown = config::show(read);
    write(folder.shown, {reinterpret_cast<const std::uint8_t*>(shown.data()), shown.size()});
    expect(config::load(folder.shown) == read, "what is shown is read back as something else");
    expect(!config::rtl_package(read).empty(), "no package");
}

}  // namespace trnsim::fuzz

// trnsim-image FILE.elf -o IMAGE makes an image for GpSimd cores from an executable. trnsim-image IMAGE lists
// the contents of an image.
#include <fmt/format.h>

#include <exception>
#include <filesystem>
#include <string_view>

#include "arch/firmware/read_elf.hpp"
#include "base/files/files.hpp"
#include "base/files/roles.hpp"

namespace {

int run(int count, char** arguments) {
    using namespace trnsim;
    if (count == 2) {
        fmt::print("{}", firmware::list(firmware::parse(files::read(arguments[1]), arguments[1])));
        return 0;
    }
    if (count == 4 && std::string_view(arguments[2]) == "-o") {
        files::Roles roles;
        roles.add_input("FILE.elf", arguments[1]);
        roles.add_output("-o", arguments[3]);
        files::write(arguments[3],
                     firmware::serialise(firmware::read_elf(files::read(arguments[1]), arguments[1])));
        return 0;
    }
    fmt::print(stderr, "usage: trnsim-image FILE.elf -o IMAGE, or trnsim-image IMAGE\n");
    return 2;
}

}  // namespace

int main(int count, char** arguments) {
    try {
        return run(count, arguments);
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
}

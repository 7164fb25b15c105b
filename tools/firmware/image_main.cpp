// trnsim-image FILE.elf -o IMAGE : makes an image for GpSimd cores of an executable. trnsim-image IMAGE :
// lists what is in one.
#include <fmt/format.h>

#include <exception>
#include <filesystem>
#include <string_view>

#include "lib/base/files/files.hpp"
#include "lib/firmware/image.hpp"

namespace {

void list(const trnsim::firmware::Image& image) {
    fmt::print("entry {:#x}: {}\n", image.entry, trnsim::firmware::place(image, image.entry));
    for (const auto& segment : image.segments) {
        fmt::print("segment {:#x} to {:#x}{}\n", segment.address, segment.end(),
                   segment.executable ? ", code" : "");
    }
    for (std::size_t k = 0; k < image.operations.size(); ++k)
        fmt::print("operation {}: {}\n", k, image.operations[k]);
    for (const auto& function : image.functions) {
        fmt::print("function {:#x}, {} bytes: {}\n", function.address, function.bytes,
                   trnsim::firmware::place(image, function.address));
    }
}

int run(int count, char** arguments) {
    using namespace trnsim;
    if (count == 2) {
        list(firmware::parse(files::read(arguments[1]), arguments[1]));
        return 0;
    }
    if (count == 4 && std::string_view(arguments[2]) == "-o") {
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

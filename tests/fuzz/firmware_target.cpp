// The input is an ELF file after a first byte 'E', or the file of an image after any other first byte.
#include "arch/firmware/read_elf.hpp"
#include "fuzz/targets.hpp"

namespace trnsim::fuzz {

void firmware(Bytes input) {
    if (input.empty()) return;
    trnsim::firmware::Image image;
    try {
        const bool is_elf = input[0] == 'E';
        image = is_elf ? trnsim::firmware::read_elf(input.subspan(1), "input.elf")
                       : trnsim::firmware::parse(input.subspan(1), "input.gpsimd");
    } catch (const trnsim::firmware::Error& error) {
        expect_line(error.what());
        return;
    }
    const auto written = trnsim::firmware::serialise(image);
    expect(trnsim::firmware::parse(written, "again.gpsimd") == image,
           "what is written is read back as something else");
    expect_line(trnsim::firmware::place(image, image.entry));
}

}  // namespace trnsim::fuzz

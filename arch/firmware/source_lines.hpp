// Source lines from the debug data of an ELF file.
#pragma once

#include "arch/firmware/elf_file.hpp"
#include "arch/firmware/image.hpp"

namespace trnsim::firmware {

// Fills files and lines of the image; leaves them empty when there is no debug data.
void add_source_lines(const ElfFile& file, Image& image);

}  // namespace trnsim::firmware

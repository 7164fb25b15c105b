// Writes a 32-bit RISC-V ELF file of segments and absolute symbols; fields of its header can be set to
// anything.
#pragma once

#include <elf.h>

#include <cstdint>
#include <string>
#include <vector>

namespace trnsim::test {

struct ElfWriter {
    struct Part {
        std::uint32_t address;
        std::vector<std::uint8_t> bytes;
    };
    struct Name {
        std::string name;
        std::uint32_t value;
    };

    std::uint32_t entry = 0;
    std::vector<Part> segments;
    std::vector<Name> symbols;

    std::vector<std::uint8_t> bytes() const;
};

}  // namespace trnsim::test

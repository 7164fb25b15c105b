// An ELF file in memory, by libelf.
#pragma once

#include <gelf.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trnsim::firmware {

struct ElfEnd {
    void operator()(Elf* elf) const { elf_end(elf); }
};

class ElfFile {
  public:
    // Throws Error unless it is an executable of 32-bit RISC-V without compressed instructions and
    // relocations.
    ElfFile(std::span<const std::uint8_t> bytes, std::string_view name);

    Elf* elf() const { return elf_.get(); }
    std::uint32_t entry() const { return static_cast<std::uint32_t>(header_.e_entry); }
    const std::vector<GElf_Phdr>& segments() const { return segments_; }  // segments that are loaded
    std::span<const std::uint8_t> contents(const GElf_Phdr& segment) const;

    struct NamedSymbol {
        std::string name;
        GElf_Sym symbol;
    };
    const std::vector<NamedSymbol>& symbols() const { return symbols_; }
    std::uint32_t address_of(std::string_view symbol) const;

    [[noreturn]] void refuse(const std::string& what) const;

  private:
    void check_header() const;
    void read_segments();
    void read_sections();
    void read_symbols(Elf_Scn* section, const GElf_Shdr& header);

    std::vector<std::uint8_t> bytes_;
    std::string name_;
    std::unique_ptr<Elf, ElfEnd> elf_;
    GElf_Ehdr header_{};
    std::vector<GElf_Phdr> segments_;
    std::vector<NamedSymbol> symbols_;
};

}  // namespace trnsim::firmware

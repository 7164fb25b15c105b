#include "arch/firmware/elf_file.hpp"

#include <fmt/format.h>

#include "arch/firmware/image.hpp"

namespace trnsim::firmware {

namespace {

// Bits of e_flags, from the RISC-V ELF specification.
constexpr std::uint32_t Compressed = 0x1, FloatAbi = 0x6, FloatAbiSingle = 0x2;

}  // namespace

ElfFile::ElfFile(std::span<const std::uint8_t> bytes, std::string_view name)
    : bytes_(bytes.begin(), bytes.end()), name_(name) {
    elf_version(EV_CURRENT);
    elf_.reset(elf_memory(reinterpret_cast<char*>(bytes_.data()), bytes_.size()));
    if (!elf_ || elf_kind(elf_.get()) != ELF_K_ELF || gelf_getehdr(elf_.get(), &header_) == nullptr) {
        refuse("is not an ELF file");
    }
    check_header();
    read_segments();
    read_sections();
}

void ElfFile::refuse(const std::string& what) const {
    throw Error(fmt::format("{}: {}", name_, what));
}

void ElfFile::check_header() const {
    if (header_.e_ident[EI_CLASS] != ELFCLASS32) refuse("is a 64-bit ELF file, expected a 32-bit one");
    if (header_.e_ident[EI_DATA] != ELFDATA2LSB) refuse("is big-endian, expected little-endian");
    if (header_.e_machine != EM_RISCV) {
        refuse(fmt::format("is for machine {}, expected {} (RISC-V)", header_.e_machine, EM_RISCV));
    }
    if (header_.e_type == ET_REL) refuse("is an object file that was not linked, expected an executable");
    if (header_.e_type != ET_EXEC)
        refuse(fmt::format("has ELF type {}, expected an executable", header_.e_type));
    if ((header_.e_flags & Compressed) != 0) refuse("has compressed instructions, which the core lacks");
    if ((header_.e_flags & FloatAbi) != FloatAbiSingle)
        refuse("has another calling convention, expected ilp32f");
}

void ElfFile::read_segments() {
    std::size_t count = 0;
    if (elf_getphdrnum(elf_.get(), &count) != 0) refuse("has no readable program headers");
    for (std::size_t k = 0; k < count; ++k) {
        GElf_Phdr segment;
        if (gelf_getphdr(elf_.get(), static_cast<int>(k), &segment) == nullptr) {
            refuse("has no readable program headers");
        }
        if (segment.p_type == PT_DYNAMIC || segment.p_type == PT_INTERP) {
            refuse("is linked dynamically, expected a static executable");
        }
        if (segment.p_type != PT_LOAD || segment.p_memsz == 0) continue;
        if (segment.p_filesz > segment.p_memsz || segment.p_offset > bytes_.size() ||
            segment.p_filesz > bytes_.size() - segment.p_offset) {
            refuse(fmt::format("the segment at {:#x} ends beyond the file", segment.p_vaddr));
        }
        if (segment.p_vaddr != segment.p_paddr) {
            refuse(fmt::format("the segment at {:#x} is loaded at {:#x}, expected the same address",
                               segment.p_vaddr, segment.p_paddr));
        }
        segments_.push_back(segment);
    }
    if (segments_.empty()) refuse("has nothing to load");
}

std::span<const std::uint8_t> ElfFile::contents(const GElf_Phdr& segment) const {
    return std::span(bytes_).subspan(segment.p_offset, segment.p_filesz);
}

void ElfFile::read_sections() {
    for (Elf_Scn* section = elf_nextscn(elf_.get(), nullptr); section != nullptr;
         section = elf_nextscn(elf_.get(), section)) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == nullptr) refuse("has no readable section headers");
        if ((header.sh_type == SHT_REL || header.sh_type == SHT_RELA) && header.sh_size != 0) {
            refuse("has relocations left, expected a file that is linked to its addresses");
        }
        if (header.sh_type == SHT_SYMTAB) read_symbols(section, header);
    }
}

void ElfFile::read_symbols(Elf_Scn* section, const GElf_Shdr& header) {
    Elf_Data* data = elf_getdata(section, nullptr);
    if (data == nullptr || header.sh_entsize == 0) refuse("has no readable symbols");
    for (std::size_t k = 1; k < header.sh_size / header.sh_entsize; ++k) {
        GElf_Sym symbol;
        if (gelf_getsym(data, static_cast<int>(k), &symbol) == nullptr) refuse("has no readable symbols");
        const char* name = elf_strptr(elf_.get(), header.sh_link, symbol.st_name);
        if (name == nullptr) refuse("has no readable symbols");
        if (*name == '\0') continue;
        if (symbol.st_shndx == SHN_UNDEF && GELF_ST_BIND(symbol.st_info) != STB_WEAK) {
            refuse("uses a symbol that nothing defines");
        }
        symbols_.push_back({name, symbol});
    }
}

std::uint32_t ElfFile::address_of(std::string_view symbol) const {
    for (const NamedSymbol& entry : symbols_) {
        if (entry.name == symbol) return static_cast<std::uint32_t>(entry.symbol.st_value);
    }
    refuse(fmt::format("has no symbol '{}', expected a file that was linked with the start-up code", symbol));
}

}  // namespace trnsim::firmware

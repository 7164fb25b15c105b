#include "tests/firmware/elf_writer.hpp"

#include <cstring>

namespace trnsim::test {

namespace {

template <class T>
void append(std::vector<std::uint8_t>& file, const T& value) {
    const std::size_t at = file.size();
    file.resize(at + sizeof(T));
    std::memcpy(&file[at], &value, sizeof(T));
}

}  // namespace

std::vector<std::uint8_t> ElfWriter::bytes() const {
    std::vector<std::uint8_t> contents;
    const std::size_t begin = sizeof(Elf32_Ehdr) + segments.size() * sizeof(Elf32_Phdr);
    const auto offset = [&] { return static_cast<Elf32_Off>(begin + contents.size()); };

    std::vector<Elf32_Phdr> loads;
    for (const Part& part : segments) {
        const auto size = static_cast<Elf32_Word>(part.bytes.size());
        loads.push_back({PT_LOAD, offset(), part.address, part.address, size, size, PF_R | PF_W | PF_X, 4});
        contents.insert(contents.end(), part.bytes.begin(), part.bytes.end());
    }
    std::string names(1, '\0');
    std::vector<Elf32_Sym> table(1);
    for (const Name& symbol : symbols) {
        table.push_back({static_cast<Elf32_Word>(names.size()), symbol.value, 4,
                         ELF32_ST_INFO(STB_GLOBAL, STT_OBJECT), STV_DEFAULT, SHN_ABS});
        names += symbol.name + '\0';
    }
    contents.resize((contents.size() + 3) / 4 * 4);
    Elf32_Shdr symbol_table{}, strings{};
    symbol_table.sh_type = SHT_SYMTAB;
    symbol_table.sh_offset = offset();
    symbol_table.sh_size = static_cast<Elf32_Word>(table.size() * sizeof(Elf32_Sym));
    symbol_table.sh_link = 2;
    symbol_table.sh_info = 1;
    symbol_table.sh_addralign = 4;
    symbol_table.sh_entsize = sizeof(Elf32_Sym);
    for (const Elf32_Sym& symbol : table) append(contents, symbol);
    // The names of sections stand among those of symbols.
    symbol_table.sh_name = static_cast<Elf32_Word>(names.size());
    names += std::string(".symtab") + '\0';
    strings.sh_name = static_cast<Elf32_Word>(names.size());
    names += std::string(".strtab") + '\0';
    strings.sh_type = SHT_STRTAB;
    strings.sh_offset = offset();
    strings.sh_size = static_cast<Elf32_Word>(names.size());
    strings.sh_addralign = 1;
    contents.insert(contents.end(), names.begin(), names.end());
    contents.resize((contents.size() + 3) / 4 * 4);

    Elf32_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS32;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_EXEC;
    header.e_machine = EM_RISCV;
    header.e_version = EV_CURRENT;
    header.e_entry = entry;
    header.e_phoff = sizeof(Elf32_Ehdr);
    header.e_shoff = offset();
    header.e_flags = 2;  // floats are passed in registers
    header.e_ehsize = sizeof(Elf32_Ehdr);
    header.e_phentsize = sizeof(Elf32_Phdr);
    header.e_phnum = static_cast<Elf32_Half>(loads.size());
    header.e_shentsize = sizeof(Elf32_Shdr);
    header.e_shnum = 3;
    header.e_shstrndx = 2;

    std::vector<std::uint8_t> file;
    append(file, header);
    for (const Elf32_Phdr& load : loads) append(file, load);
    file.insert(file.end(), contents.begin(), contents.end());
    append(file, Elf32_Shdr{});
    append(file, symbol_table);
    append(file, strings);
    return file;
}

}  // namespace trnsim::test

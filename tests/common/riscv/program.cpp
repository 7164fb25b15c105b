#include "tests/common/riscv/program.hpp"

#include <elf.h>

#include <cstring>
#include <fstream>
#include <string>

namespace trnsim::test {

namespace {

template <class T>
void append(std::string& file, const T& value) {
    file.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

Elf32_Shdr section(std::uint32_t name, std::uint32_t type, std::size_t offset, std::size_t size) {
    Elf32_Shdr header{};
    header.sh_name = name;
    header.sh_type = type;
    header.sh_offset = static_cast<std::uint32_t>(offset);
    header.sh_size = static_cast<std::uint32_t>(size);
    header.sh_addralign = 4;
    return header;
}

}  // namespace

void write_elf(const Program& program, const std::filesystem::path& path) {
    const std::string names{"\0.symtab\0.strtab\0tohost\0fromhost\0", 33};
    const std::size_t code = sizeof(Elf32_Ehdr) + sizeof(Elf32_Phdr);
    const std::size_t code_size = program.words.size() * 4;
    const std::size_t symbols = code + code_size;
    const std::size_t symbols_size = 3 * sizeof(Elf32_Sym);
    const std::size_t strings = symbols + symbols_size;
    const std::size_t sections = (strings + names.size() + 3) & ~std::size_t{3};

    Elf32_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS32;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_EXEC;
    header.e_machine = EM_RISCV;
    header.e_version = EV_CURRENT;
    header.e_entry = TcmBase;
    header.e_phoff = sizeof(Elf32_Ehdr);
    header.e_shoff = static_cast<std::uint32_t>(sections);
    header.e_ehsize = sizeof(Elf32_Ehdr);
    header.e_phentsize = sizeof(Elf32_Phdr);
    header.e_phnum = 1;
    header.e_shentsize = sizeof(Elf32_Shdr);
    header.e_shnum = 3;
    header.e_shstrndx = 2;

    Elf32_Phdr segment{};
    segment.p_type = PT_LOAD;
    segment.p_offset = static_cast<std::uint32_t>(code);
    segment.p_vaddr = segment.p_paddr = TcmBase;
    segment.p_filesz = segment.p_memsz = static_cast<std::uint32_t>(code_size);
    segment.p_flags = PF_R | PF_W | PF_X;

    Elf32_Sym to_host{};
    to_host.st_name = 17;
    to_host.st_value = program.to_host;
    to_host.st_info = ELF32_ST_INFO(STB_GLOBAL, STT_OBJECT);
    to_host.st_shndx = SHN_ABS;
    Elf32_Sym from_host = to_host;
    from_host.st_name = 24;
    from_host.st_value = program.to_host + 8;

    Elf32_Shdr symbol_table = section(1, SHT_SYMTAB, symbols, symbols_size);
    symbol_table.sh_link = 2;
    symbol_table.sh_entsize = sizeof(Elf32_Sym);

    std::string file;
    append(file, header);
    append(file, segment);
    file.append(reinterpret_cast<const char*>(program.words.data()), code_size);
    append(file, Elf32_Sym{});
    append(file, to_host);
    append(file, from_host);
    file += names;
    file.resize(sections);
    append(file, Elf32_Shdr{});
    append(file, symbol_table);
    append(file, section(9, SHT_STRTAB, strings, names.size()));
    std::ofstream(path, std::ios::binary) << file;
}

}  // namespace trnsim::test

// Tests what is read from an ELF file, and that every bad file is refused; each bad file is a good one with
// one change.
#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "arch/firmware/read_elf.hpp"
#include "base/files/files.hpp"
#include "common/random.hpp"

namespace trnsim::firmware {
namespace {

class RightElf {
  public:
    RightElf() : bytes(files::read(TRNSIM_FIRMWARE_IMAGES "/relu.elf")) {}

    Elf32_Ehdr& header() { return *at<Elf32_Ehdr>(0); }
    Elf32_Phdr& segment(std::size_t index) { return at<Elf32_Phdr>(header().e_phoff)[index]; }
    Elf32_Shdr& section(std::string_view name) {
        auto* sections = at<Elf32_Shdr>(header().e_shoff);
        const char* names = at<char>(sections[header().e_shstrndx].sh_offset);
        for (unsigned k = 0; k < header().e_shnum; ++k) {
            if (names + sections[k].sh_name == name) return sections[k];
        }
        throw std::runtime_error("no such section");
    }
    Elf32_Sym& symbol(std::string_view name) {
        const Elf32_Shdr& table = section(".symtab");
        const char* names = at<char>(section(".strtab").sh_offset);
        for (std::size_t k = 0; k < table.sh_size / sizeof(Elf32_Sym); ++k) {
            Elf32_Sym& entry = at<Elf32_Sym>(table.sh_offset)[k];
            if (names + entry.st_name == name) return entry;
        }
        throw std::runtime_error("no such symbol");
    }

    template <class T>
    T* at(std::size_t offset) {
        return reinterpret_cast<T*>(&bytes.at(offset));
    }

    std::vector<std::uint8_t> bytes;
};

std::string refusal(const std::vector<std::uint8_t>& bytes) {
    try {
        read_elf(bytes, "a.elf");
    } catch (const Error& error) {
        return error.what();
    }
    return "is accepted";
}

TEST(Elf, HasSegmentsOperationsAndPlaces) {
    RightElf right;
    const Image image = read_elf(right.bytes, "relu.elf");
    EXPECT_EQ(image.operations, std::vector<std::string>{"relu"});
    EXPECT_EQ(command(image, "relu"), 0U);
    EXPECT_FALSE(command(image, "other").has_value());
    EXPECT_EQ(image.vlen, 512u);
    EXPECT_EQ(image.entry, right.symbol("_start").st_value);
    ASSERT_GE(image.segments.size(), 2U);
    EXPECT_EQ(image.segments[0].address, 0x80002000U);
    EXPECT_EQ(image.segments[0].bytes.size(), 1024U);
    EXPECT_NE(place(image, image.entry).find("_start at firmware/runtime/start.S:"), std::string::npos)
        << place(image, image.entry);
    const std::string main = place(image, right.symbol("trnsim_main").st_value + 4);
    EXPECT_EQ(main.find("trnsim_main at firmware/runtime/dispatch.cpp:"), 0U) << main;
    EXPECT_EQ(place(image, 0x80000000), "0x80000000");
    EXPECT_EQ(place(image, 0xffffffff), "0xffffffff");
}

// The microcode is compiled for each VLEN.
TEST(Elf, SaysForWhichVlenItIs) {
    for (const std::uint32_t vlen : Vlens) {
        const std::string name = "microcode_vlen" + std::to_string(vlen) + ".elf";
        const Image image = read_elf(files::read(TRNSIM_FIRMWARE_IMAGES "/" + name), name);
        EXPECT_EQ(image.vlen, vlen);
    }
}

TEST(Elf, FunctionsHaveNamesAsPeopleWriteThem) {
    const Image image =
        read_elf(files::read(TRNSIM_FIRMWARE_IMAGES "/microcode_vlen512.elf"), "microcode.elf");
    ASSERT_GT(image.functions.size(), 100U);
    for (const Symbol& function : image.functions)
        EXPECT_NE(function.name.substr(0, 2), "_Z") << function.name;
}

TEST(Elf, UninitialisedDataIsPartOfItsSegment) {
    RightElf changed;
    changed.segment(0).p_memsz += 64;
    const Image image = read_elf(changed.bytes, "a.elf");
    EXPECT_EQ(image.segments[0].bytes.size(), 1088U);
    EXPECT_EQ(image.segments[0].bytes.back(), 0);
}

struct Change {
    const char* name;
    std::function<void(RightElf&)> make;
    const char* message;
};

TEST(Elf, EveryBadFileIsRefusedWithItsReason) {
    const Change changes[] = {
        {"magic", [](RightElf& e) { e.bytes[0] = 0; }, "a.elf: is not an ELF file"},
        {"empty", [](RightElf& e) { e.bytes.clear(); }, "a.elf: is not an ELF file"},
        {"class", [](RightElf& e) { e.header().e_ident[EI_CLASS] = ELFCLASS64; },
         "a.elf: is a 64-bit ELF file, expected a 32-bit one"},
        {"machine", [](RightElf& e) { e.header().e_machine = EM_ARM; },
         "a.elf: is for machine 40, expected 243 (RISC-V)"},
        {"object", [](RightElf& e) { e.header().e_type = ET_REL; },
         "a.elf: is an object file that was not linked, expected an executable"},
        {"shared", [](RightElf& e) { e.header().e_type = ET_DYN; },
         "a.elf: has ELF type 3, expected an executable"},
        {"compressed", [](RightElf& e) { e.header().e_flags |= 1; },
         "a.elf: has compressed instructions, which the core lacks"},
        {"soft float", [](RightElf& e) { e.header().e_flags &= ~6U; },
         "a.elf: has another calling convention, expected ilp32f"},
        {"dynamic", [](RightElf& e) { e.segment(0).p_type = PT_DYNAMIC; },
         "a.elf: is linked dynamically, expected a static executable"},
        {"interpreter", [](RightElf& e) { e.segment(0).p_type = PT_INTERP; },
         "a.elf: is linked dynamically, expected a static executable"},
        {"no segments", [](RightElf& e) { e.header().e_phnum = 0; }, "a.elf: has nothing to load"},
        {"beyond the file", [](RightElf& e) { e.segment(0).p_offset = 0xfffffff0; },
         "a.elf: the segment at 0x80002000 ends beyond the file"},
        {"larger in the file", [](RightElf& e) { e.segment(0).p_memsz = 4; },
         "a.elf: the segment at 0x80002000 ends beyond the file"},
        {"loaded elsewhere", [](RightElf& e) { e.segment(0).p_paddr += 64; },
         "a.elf: the segment at 0x80002000 is loaded at 0x80002040, expected the same address"},
        {"too large", [](RightElf& e) { e.segment(0).p_memsz = 0xe001; },
         "a.elf: the segment from 0x80002000 to 0x80010001 leaves the TCM from 0x80000000 to 0x80010000"},
        {"below the TCM", [](RightElf& e) { e.segment(0).p_vaddr = e.segment(0).p_paddr = 0x7fffffff; },
         "a.elf: the segment from 0x7fffffff to 0x800003ff leaves the TCM from 0x80000000 to 0x80010000"},
        {"overlap", [](RightElf& e) { e.segment(0).p_memsz = 0xc01; },
         "a.elf: the segment at 0x80002c00 begins within another or before the TCM"},
        {"relocations", [](RightElf& e) { e.section(".debug_str").sh_type = SHT_RELA; },
         "a.elf: has relocations left, expected a file that is linked to its addresses"},
        {"old relocations", [](RightElf& e) { e.section(".debug_str").sh_type = SHT_REL; },
         "a.elf: has relocations left, expected a file that is linked to its addresses"},
        {"undefined", [](RightElf& e) { e.symbol("trnsim_main").st_shndx = SHN_UNDEF; },
         "a.elf: uses a symbol that nothing defines"},
        {"entry outside", [](RightElf& e) { e.header().e_entry = 0x8000c000; },
         "a.elf: the entry 0x8000c000 is not in its code"},
        {"entry in data", [](RightElf& e) { e.header().e_entry = 0x80002000; },
         "a.elf: the entry 0x80002000 is not in its code"},
        {"entry misaligned", [](RightElf& e) { e.header().e_entry += 2; },
         "a.elf: the entry 0x80002c02 is not in its code"},
        {"mailbox", [](RightElf& e) { e.symbol("mailbox").st_value += 64; },
         "a.elf: has its mailbox at 0x80002040, expected 0x80002000"},
        {"VLEN", [](RightElf& e) { e.symbol("trnsim_vlen").st_value = 64; },
         "a.elf: is for cores with a VLEN of 64, expected 128, 256 or 512"},
        {"no symbols", [](RightElf& e) { e.section(".symtab").sh_type = SHT_PROGBITS; },
         "a.elf: has no symbol 'trnsim_vlen', expected a file that was linked with the start-up code"},
        {"no operations",
         [](RightElf& e) { e.symbol("operations_end").st_value = e.symbol("operations_begin").st_value; },
         "a.elf: has no operations, expected at least one TRNSIM_OPERATION or TRNSIM_CUSTOM_OP"},
        {"operations outside", [](RightElf& e) { e.symbol("operations_end").st_value = 0x8000fff8; },
         "a.elf: has no operations, expected at least one TRNSIM_OPERATION or TRNSIM_CUSTOM_OP"},
        {"operation without a name",
         [](RightElf& e) {
             const Elf32_Phdr& code = e.segment(1);
             *e.at<std::uint32_t>(code.p_offset + e.symbol("operations_begin").st_value - code.p_vaddr) = 0;
         },
         "a.elf: operation 0 has no name"},
    };
    for (const Change& change : changes) {
        RightElf changed;
        change.make(changed);
        EXPECT_EQ(refusal(changed.bytes), change.message) << change.name;
    }
}

TEST(Elf, BigEndianIsRefused) {
    RightElf changed;
    changed.header().e_ident[EI_DATA] = ELFDATA2MSB;
    EXPECT_EQ(refusal(changed.bytes), "a.elf: is big-endian, expected little-endian");
}

// A broken file gives an image or a message of one line.
TEST(Elf, BrokenFilesAreReadOrRefused) {
    auto random = test::generator();
    const RightElf right;
    for (std::uint64_t round = 0; round < 60 * test::heavy_scale(); ++round) {
        auto bytes = right.bytes;
        if (round % 3 == 0) bytes.resize(random() % bytes.size());
        for (std::uint64_t k = 0; k <= round % 7 && !bytes.empty(); ++k) {
            bytes[random() % std::min<std::size_t>(bytes.size(), k % 2 == 0 ? 200 : bytes.size())] =
                static_cast<std::uint8_t>(random());
        }
        const std::string message = refusal(bytes);
        EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    }
}

}  // namespace
}  // namespace trnsim::firmware

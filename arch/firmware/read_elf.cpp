#include "arch/firmware/read_elf.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "arch/firmware/elf_file.hpp"
#include "arch/firmware/source_lines.hpp"
#include "base/text/printable.hpp"
#include "firmware/include/trnsim/memory_map.h"

namespace trnsim::firmware {

namespace {

constexpr std::uint32_t TcmEnd = TRNSIM_TCM_BASE + TRNSIM_TCM_BYTES;

std::string readable(const std::string& symbol) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> name(
        abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
    return text::printable(status == 0 ? name.get() : symbol);
}

Segment segment_of(const ElfFile& file, const GElf_Phdr& header) {
    const std::uint64_t end = header.p_vaddr + header.p_memsz;
    if (header.p_vaddr < TRNSIM_TCM_BASE || end > TcmEnd) {
        file.refuse(fmt::format("the segment from {:#x} to {:#x} leaves the TCM from {:#x} to {:#x}",
                                header.p_vaddr, end, TRNSIM_TCM_BASE, TcmEnd));
    }
    Segment segment{static_cast<std::uint32_t>(header.p_vaddr), (header.p_flags & PF_X) != 0, {}};
    const auto contents = file.contents(header);
    segment.bytes.assign(contents.begin(), contents.end());
    segment.bytes.resize(header.p_memsz);
    return segment;
}

// Returns the bytes of the image from an address on.
std::span<const std::uint8_t> bytes_at(const Image& image, std::uint32_t address) {
    for (const Segment& segment : image.segments) {
        if (address >= segment.address && address < segment.end()) {
            return std::span(segment.bytes).subspan(address - segment.address);
        }
    }
    return {};
}

std::vector<std::string> operations_of(const ElfFile& file, const Image& image) {
    const std::uint32_t begin = file.address_of("operations_begin"), end = file.address_of("operations_end");
    const auto table = bytes_at(image, begin);
    if (end <= begin || end - begin > table.size() || (end - begin) % 8 != 0) {
        file.refuse("has no operations, expected at least one TRNSIM_OPERATION or TRNSIM_CUSTOM_OP");
    }
    std::vector<std::string> names;
    for (std::uint32_t at = 0; at < end - begin; at += 8) {
        std::uint32_t address = 0;
        std::memcpy(&address, &table[at], sizeof(address));
        const auto text = bytes_at(image, address);
        const auto stop = std::ranges::find(text, 0);
        if (stop == text.end()) file.refuse(fmt::format("operation {} has no name", names.size()));
        names.emplace_back(text.begin(), stop);
    }
    return names;
}

std::vector<Symbol> functions_of(const ElfFile& file) {
    std::vector<Symbol> functions;
    for (const auto& [name, symbol] : file.symbols()) {
        if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC) continue;
        functions.push_back({static_cast<std::uint32_t>(symbol.st_value),
                             static_cast<std::uint32_t>(symbol.st_size), readable(name)});
    }
    std::ranges::stable_sort(functions, {}, &Symbol::address);
    return functions;
}

}  // namespace

Image read_elf(std::span<const std::uint8_t> bytes, std::string_view name) {
    const ElfFile file(bytes, name);
    Image image;
    image.entry = file.entry();
    image.vlen = file.address_of("trnsim_vlen");
    for (const GElf_Phdr& header : file.segments()) image.segments.push_back(segment_of(file, header));
    std::ranges::stable_sort(image.segments, {}, &Segment::address);
    if (const std::uint32_t mailbox = file.address_of("mailbox"); mailbox != TRNSIM_MAILBOX_BASE) {
        file.refuse(fmt::format("has its mailbox at {:#x}, expected {:#x}", mailbox, TRNSIM_MAILBOX_BASE));
    }
    image.operations = operations_of(file, image);
    image.functions = functions_of(file);
    add_source_lines(file, image);
    check(image, name);
    return image;
}

}  // namespace trnsim::firmware

#include "arch/firmware/image.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/printable.hpp"
#include "firmware/include/trnsim/memory_map.h"

namespace trnsim::firmware {

namespace {

constexpr std::uint64_t TcmEnd = std::uint64_t{TRNSIM_TCM_BASE} + TRNSIM_TCM_BYTES;

bool is_printable(std::string_view text) {
    return text::printable(text) == text;
}

// Returns the last element of a list sorted by address that begins at or before `address`.
template <class T>
const T* last_before(const std::vector<T>& sorted, std::uint32_t address) {
    const auto after = std::ranges::upper_bound(sorted, address, {}, &T::address);
    return after == sorted.begin() ? nullptr : &*(after - 1);
}

}  // namespace

void check(const Image& image, std::string_view name) {
    const auto expect = [&](bool holds, const std::string& what) {
        if (!holds) throw Error(fmt::format("{}: {}", name, what));
    };
    expect(is_vlen(image.vlen),
           fmt::format("is for cores with a VLEN of {}, expected {}", image.vlen, VlensText));
    std::uint64_t end = TRNSIM_TCM_BASE;
    const Segment* code = nullptr;
    for (const Segment& segment : image.segments) {
        expect(segment.address >= end,
               fmt::format("the segment at {:#x} begins within another or before the TCM", segment.address));
        end = std::uint64_t{segment.address} + segment.bytes.size();
        expect(end <= TcmEnd, fmt::format("the segment at {:#x} ends at {:#x}, past the end of the TCM",
                                          segment.address, end));
        if (segment.executable && image.entry >= segment.address && image.entry < end) code = &segment;
    }
    expect(code != nullptr && image.entry % 4 == 0,
           fmt::format("the entry {:#x} is not in its code", image.entry));
    expect(!image.operations.empty(), "has no operations");
    for (const std::string& operation : image.operations) {
        expect(!operation.empty() && is_printable(operation), "has an operation without a printable name");
    }
    expect(std::ranges::is_sorted(image.functions, {}, &Symbol::address), "has functions out of order");
    for (const Symbol& function : image.functions) {
        expect(is_printable(function.name),
               fmt::format("the function at {:#x} has no printable name", function.address));
    }
    for (const std::string& file : image.files)
        expect(is_printable(file), "has a source file without a printable name");
    expect(std::ranges::is_sorted(image.lines, {}, &Line::address), "has source lines out of order");
    for (const Line& line : image.lines) {
        expect(line.file <= image.files.size(),
               fmt::format("the line at {:#x} is of no source file", line.address));
    }
}

std::string place(const Image& image, std::uint32_t address) {
    const Symbol* function = last_before(image.functions, address);
    if (function == nullptr || address - function->address >= std::max(function->bytes, 4U)) {
        return fmt::format("{:#x}", address);
    }
    const Line* line = last_before(image.lines, address);
    if (line == nullptr || line->file == 0) return function->name;
    return fmt::format("{} at {}:{}", function->name, image.files[line->file - 1], line->line);
}

std::string list(const Image& image) {
    std::string text =
        fmt::format("VLEN {}\nentry {:#x}: {}\n", image.vlen, image.entry, place(image, image.entry));
    for (const Segment& segment : image.segments) {
        text += fmt::format("segment {:#x} to {:#x}{}\n", segment.address, segment.end(),
                            segment.executable ? ", code" : "");
    }
    for (std::size_t k = 0; k < image.operations.size(); ++k)
        text += fmt::format("operation {}: {}\n", k, image.operations[k]);
    for (const Symbol& function : image.functions) {
        text += fmt::format("function {:#x}, {} bytes: {}\n", function.address, function.bytes,
                            place(image, function.address));
    }
    return text;
}

std::optional<std::uint32_t> command(const Image& image, std::string_view operation) {
    const auto at = std::ranges::find(image.operations, operation);
    if (at == image.operations.end()) return std::nullopt;
    return static_cast<std::uint32_t>(at - image.operations.begin());
}

}  // namespace trnsim::firmware

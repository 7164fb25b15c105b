#include "arch/firmware/source_lines.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/text/printable.hpp"

namespace trnsim::firmware {

namespace {

struct DwarfEnd {
    void operator()(Dwarf* dwarf) const { dwarf_end(dwarf); }
};

struct SourceLine {
    std::string_view file;
    int line;
};

std::string_view without_dot(std::string_view path) {
    if (path.starts_with("./")) path.remove_prefix(2);
    return path;
}

bool is_in_device_library(std::string_view file) {
    return without_dot(file).starts_with("firmware/include/trnsim/");
}

std::uint64_t number(Dwarf_Die& die, unsigned name) {
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    const bool there =
        dwarf_attr(&die, name, &attribute) != nullptr && dwarf_formudata(&attribute, &value) == 0;
    return there ? value : 0;
}

// Code of the device library's headers may be inlined into an operator: returns the innermost call that is in
// another file.
std::optional<SourceLine> caller_of(Dwarf_Die& unit, Dwarf_Addr address) {
    using Dies = std::unique_ptr<Dwarf_Die, decltype(&std::free)>;
    Dwarf_Files* files = nullptr;
    Dwarf_Die *found = nullptr, *outwards = nullptr;
    if (dwarf_getsrcfiles(&unit, &files, nullptr) != 0 || dwarf_getscopes(&unit, address, &found) <= 0)
        return std::nullopt;
    const Dies scope(found, std::free);
    const int count = dwarf_getscopes_die(scope.get(), &outwards);
    const Dies scopes(outwards, std::free);
    for (int k = 0; k < count; ++k) {
        Dwarf_Die& die = outwards[k];
        if (dwarf_tag(&die) != DW_TAG_inlined_subroutine) continue;
        const char* file = dwarf_filesrc(files, number(die, DW_AT_call_file), nullptr, nullptr);
        if (file == nullptr || is_in_device_library(file)) continue;
        return SourceLine{file, static_cast<int>(number(die, DW_AT_call_line))};
    }
    return std::nullopt;
}

class Collector {
  public:
    explicit Collector(Image& image) : image_(image) {}

    void add_unit(Dwarf_Die& unit) {
        Dwarf_Lines* lines = nullptr;
        std::size_t count = 0;
        if (dwarf_getsrclines(&unit, &lines, &count) != 0) return;
        for (std::size_t k = 0; k < count; ++k) add(unit, dwarf_onesrcline(lines, k));
    }

    // Among entries at the same address the last one that is no end counts; an end counts only if nothing
    // follows.
    void finish() {
        std::ranges::stable_sort(image_.lines, [](const Line& a, const Line& b) {
            return a.address != b.address ? a.address < b.address : (a.line == 0) > (b.line == 0);
        });
        std::vector<Line> kept;
        for (const Line& line : image_.lines) {
            if (!kept.empty() && kept.back().address == line.address) kept.pop_back();
            if (!kept.empty() && kept.back().file == line.file && kept.back().line == line.line) continue;
            kept.push_back(line);
        }
        image_.lines = std::move(kept);
    }

  private:
    void add(Dwarf_Die& unit, Dwarf_Line* row) {
        Dwarf_Addr address = 0;
        bool end = false;
        int number = 0;
        if (row == nullptr || dwarf_lineaddr(row, &address) != 0 || dwarf_lineendsequence(row, &end) != 0 ||
            dwarf_lineno(row, &number) != 0 || !is_code(address, end)) {
            return;
        }
        Line line{static_cast<std::uint32_t>(address), 0, 0};
        const char* file = dwarf_linesrc(row, nullptr, nullptr);
        if (!end && file != nullptr && number > 0) {
            SourceLine place{file, number};
            if (is_in_device_library(file)) place = caller_of(unit, address).value_or(place);
            line.file = file_number(place.file);
            line.line = static_cast<std::uint32_t>(place.line);
        }
        image_.lines.push_back(line);
    }

    // Functions that the linker left out have addresses outside.
    bool is_code(Dwarf_Addr address, bool end) const {
        return std::ranges::any_of(image_.segments, [&](const Segment& segment) {
            return segment.executable && address >= segment.address &&
                   (end ? address <= segment.end() : address < segment.end());
        });
    }

    std::uint32_t file_number(std::string_view path) {
        const std::string name = text::printable(without_dot(path));
        const auto [entry, is_new] =
            numbers_.try_emplace(name, static_cast<std::uint32_t>(image_.files.size() + 1));
        if (is_new) image_.files.push_back(name);
        return entry->second;
    }

    Image& image_;
    std::map<std::string, std::uint32_t> numbers_;
};

}  // namespace

void add_source_lines(const ElfFile& file, Image& image) {
    const std::unique_ptr<Dwarf, DwarfEnd> dwarf(dwarf_begin_elf(file.elf(), DWARF_C_READ, nullptr));
    if (!dwarf) return;
    Collector collector(image);
    Dwarf_Off offset = 0, next = 0;
    std::size_t header = 0;
    while (dwarf_nextcu(dwarf.get(), offset, &next, &header, nullptr, nullptr, nullptr) == 0) {
        Dwarf_Die unit;
        if (dwarf_offdie(dwarf.get(), offset + header, &unit) != nullptr) collector.add_unit(unit);
        offset = next;
    }
    collector.finish();
}

}  // namespace trnsim::firmware

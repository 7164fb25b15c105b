#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "compiler/neff/package.hpp"

namespace trnsim::neff {
namespace {

// Returns the path without the "../" that compilers see when they run in a folder of the source tree.
std::string in_tree(const std::string& file) {
    constexpr std::string_view Above = "../";
    std::size_t first = 0;
    while (file.compare(first, Above.size(), Above) == 0) first += Above.size();
    return file.substr(first);
}

}  // namespace

std::uint32_t Sources::add(const std::string& path, std::uint32_t line) {
    const std::string file = in_tree(path);
    const auto found = std::ranges::find(files, file);
    const auto index = static_cast<std::uint32_t>(found - files.begin());
    if (found == files.end()) files.push_back(file);
    places.push_back({index, line});
    return static_cast<std::uint32_t>(places.size());
}

std::string place_name(const std::string& path, std::uint32_t line) {
    const std::string file = in_tree(path);
    std::error_code error;
    const std::string folder = std::filesystem::current_path(error).string() + "/";
    const bool below = !error && file.starts_with(folder);
    return fmt::format("{}:{}", below ? file.substr(folder.size()) : file, line);
}

std::string source_line(const Package& package, std::size_t engine, std::size_t pc) {
    const Sources& sources = package.sources;
    if (engine >= sources.of.size() || pc >= sources.of[engine].size()) return "";
    const std::uint32_t number = sources.of[engine][pc];
    if (number == Sources::None || number > sources.places.size()) return "";
    const Sources::Line& place = sources.places[number - 1];
    return place_name(sources.files.at(place.file), place.line);
}

std::string source_line_of_transfer(const Package& package, std::size_t transfer) {
    const auto engine =
        static_cast<std::size_t>(package.queues.at(package.transfers.at(transfer).queue).owner);
    const auto& program = package.programs[engine];
    const auto trigger = std::ranges::find_if(program, [&](const isa::Instruction& instruction) {
        return instruction.opcode() == isa::Opcode::DmaTrigger &&
               instruction.get(isa::field::Address) == transfer;
    });
    return source_line(package, engine, static_cast<std::size_t>(trigger - program.begin()));
}

}  // namespace trnsim::neff

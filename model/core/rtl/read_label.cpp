#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <vector>

#include "model/core/rtl/core_label.hpp"

namespace trnsim::tlm {
namespace {

constexpr std::uint64_t MaxLabel = 4096, MaxNames = 1 << 20;

// Reads a file that may be anything; returns nothing if it ends early.
class Reader {
  public:
    explicit Reader(const std::filesystem::path& path) : stream_(path, std::ios::binary) {}

    template <typename T>
    std::optional<T> get(std::uint64_t offset) {
        T value;
        const auto bytes = text(offset, sizeof value);
        if (!bytes) return std::nullopt;
        std::memcpy(&value, bytes->data(), sizeof value);
        return value;
    }
    std::optional<std::string> text(std::uint64_t offset, std::uint64_t size) {
        std::string bytes(size, '\0');
        stream_.clear();
        stream_.seekg(static_cast<std::streamoff>(offset));
        if (!stream_.read(bytes.data(), static_cast<std::streamsize>(size))) return std::nullopt;
        return bytes;
    }

  private:
    std::ifstream stream_;
};

// Returns the label of a 64-bit ELF file; nothing if it is no such file or has none.
std::optional<std::string> read_label(const std::filesystem::path& path) {
    Reader file(path);
    const auto header = file.get<Elf64_Ehdr>(0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_shentsize != sizeof(Elf64_Shdr)) {
        return std::nullopt;
    }
    const auto section = [&](std::uint64_t index) {
        return file.get<Elf64_Shdr>(header->e_shoff + index * sizeof(Elf64_Shdr));
    };
    const auto names_header = section(header->e_shstrndx);
    if (!names_header || names_header->sh_size > MaxNames) return std::nullopt;
    const auto names = file.text(names_header->sh_offset, names_header->sh_size);
    for (std::uint64_t i = 0; names && i < header->e_shnum; ++i) {
        const auto candidate = section(i);
        if (!candidate) return std::nullopt;
        if (candidate->sh_name >= names->size() || candidate->sh_size > MaxLabel) continue;
        if (names->c_str() + candidate->sh_name != std::string_view(TRNSIM_CORE_LABEL_SECTION)) continue;
        return file.text(candidate->sh_offset, candidate->sh_size);
    }
    return std::nullopt;
}

std::string value_of(const std::string& label, const std::string& name) {
    std::istringstream lines(label);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with(name + "=")) return line.substr(name.size() + 1);
    return "";
}

std::vector<std::string> words(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> list;
    for (std::string word; stream >> word;) list.push_back(word);
    return list;
}

}  // namespace

std::string refusal(const std::filesystem::path& path, std::string_view abi, std::string_view cpu) {
    const auto label = read_label(path);
    if (!label) return "not a core library of this version";
    if (value_of(*label, "abi") != abi) return "built for other pins, ./trnsim build builds it again";
    if (cpu.empty()) return "";
    const std::vector<std::string> has = words(std::string(cpu));
    std::string missing;
    for (const std::string& feature : words(value_of(*label, "cpu")))
        if (std::ranges::find(has, feature) == has.end()) missing += " " + feature;
    if (missing.empty()) return "";
    return fmt::format("built for another processor, this one lacks{}; remove it and build it here", missing);
}

std::size_t features_used(const std::filesystem::path& path) {
    return words(value_of(read_label(path).value_or(""), "cpu")).size();
}

std::string processor_features() {
    std::ifstream stream("/proc/cpuinfo");
    for (std::string line; std::getline(stream, line);) {
        if (!line.starts_with("flags") && !line.starts_with("Features")) continue;
        return line.substr(std::min(line.find(':') + 1, line.size()));
    }
    return "";
}

}  // namespace trnsim::tlm

// Implements SimulatedCore on the instruction-set simulator Spike.
#include "tests/firmware/simulated_core.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "base/files/files.hpp"
#include "tests/common/temporary_directory.hpp"
#include "tests/firmware/elf_writer.hpp"

namespace trnsim::test {

namespace {

constexpr int TimeLimit = 120;  // seconds

std::vector<std::uint8_t> read_signature(const std::string& path, std::size_t bytes) {
    std::ifstream stream(path);
    std::vector<std::uint8_t> memory;
    for (std::string line; memory.size() < bytes && std::getline(stream, line);) {
        const auto word = static_cast<std::uint32_t>(std::stoul(line, nullptr, 16));
        for (unsigned k = 0; k < 4; ++k) memory.push_back(static_cast<std::uint8_t>(word >> (8 * k)));
    }
    if (memory.size() != bytes) throw std::runtime_error("the simulator left no memory");
    return memory;
}

std::string simulator() {
    const char* path = std::getenv("TRNSIM_SPIKE");
    return path != nullptr ? path : "";
}

}  // namespace

bool has_simulator() {
    return std::filesystem::exists(simulator());
}

firmware::Status SimulatedCore::run_bytes(std::uint32_t command, std::span<const std::uint8_t> arguments) {
    const TemporaryDirectory folder;
    ElfWriter elf;
    elf.entry = image_.entry;
    const firmware::Mailbox mailbox = request(command, arguments);
    for (const firmware::Segment& segment : image_.segments) {
        if (segment.address != TRNSIM_MAILBOX_BASE) elf.segments.push_back({segment.address, segment.bytes});
    }
    const auto* begin = reinterpret_cast<const std::uint8_t*>(&mailbox);
    elf.segments.push_back({TRNSIM_MAILBOX_BASE, {begin, begin + sizeof(mailbox)}});
    if (!slice.bytes.empty()) elf.segments.push_back({TRNSIM_SLICE_BASE, slice.bytes});

    const std::uint32_t base = wants_tcm_ ? TRNSIM_TCM_BASE : TRNSIM_SLICE_BASE;
    const std::size_t bytes = wants_tcm_ ? TRNSIM_TCM_BYTES : slice.bytes.size();
    const std::uint32_t to_host = TRNSIM_MAILBOX_BASE + offsetof(firmware::Mailbox, to_host);
    elf.symbols = {{"tohost", to_host},
                   {"fromhost", to_host + 8},
                   {"begin_signature", base},
                   {"end_signature", base + static_cast<std::uint32_t>(bytes)}};
    const std::string program = (folder / "program.elf").string(),
                      signature = (folder / "signature").string();
    files::write(program, elf.bytes());

    const std::string line = fmt::format(
        "timeout {} {} --isa=rv32imf_zve32f_zvl{}b_zicsr_zifencei --priv=m -m{:#x}:{:#x},{:#x}:{:#x} "
        "+signature={} +signature-granularity=4 {} >{} 2>&1",
        TimeLimit, simulator(), image_.vlen, TRNSIM_TCM_BASE, TRNSIM_TCM_BYTES, TRNSIM_SLICE_BASE,
        TRNSIM_SLICE_PARTITIONS * TRNSIM_PARTITION_BYTES, signature, program, (folder / "log").string());
    const int result = std::system(line.c_str());  // NOLINT(cert-env33-c): the simulator is a program
    const int code = WIFEXITED(result) ? WEXITSTATUS(result) : -1;
    if (code < 0 || code == 124) throw std::runtime_error(fmt::format("the simulator ended with {}", code));
    if (bytes != 0) (wants_tcm_ ? tcm_ : slice.bytes) = read_signature(signature, bytes);
    return static_cast<firmware::Status>(code);
}

}  // namespace trnsim::test

#include "runtime/loader/image_writes.hpp"

#include <algorithm>
#include <iterator>

namespace trnsim::loader {
namespace {

// Calls `visit` with the number of each engine that has a program, and the program.
template <typename Visit>
void for_each_program(const Image& image, const Visit& visit) {
    for (std::uint32_t e = 0; e < image.programs.size(); ++e) {
        if (!image.programs[e].instructions.empty()) visit(e, image.programs[e]);
    }
}

std::vector<std::uint8_t> bytes_of(const ProgramImage& program) {
    std::vector<std::uint8_t> bytes;
    bytes.reserve(program.instructions.size() * isa::InstructionBytes);
    for (const isa::Instruction& instruction : program.instructions)
        bytes.insert(bytes.end(), instruction.bytes().begin(), instruction.bytes().end());
    return bytes;
}

// Returns the address of the registers of the engine's sequencer.
std::uint64_t engine_block(const Image& image, std::uint32_t engine) {
    return addresses::core_window(image.core) + std::uint64_t{engine} * isa::csr::EngineStride;
}

}  // namespace

std::vector<MemoryWrite> descriptor_writes(const Image& image) {
    std::vector<MemoryWrite> writes;
    for (const std::vector<Ring>& engines : image.rings) {
        for (const Ring& ring : engines) std::ranges::move(memory_writes(ring), std::back_inserter(writes));
    }
    return writes;
}

std::vector<MemoryWrite> memory_writes(const Image& image) {
    std::vector<MemoryWrite> writes{{image.one_address, {1, 0, 0, 0}}};
    for (const auto& [set, tables] : image.tables) writes.push_back({tables.address, tables.bytes});
    for (std::size_t i = 0; i < image.gpsimd.size(); ++i)
        writes.push_back({image.gpsimd_address[i], image.gpsimd[i].bytes});
    for_each_program(image, [&](std::uint32_t, const ProgramImage& program) {
        writes.push_back({program.address, bytes_of(program)});
    });
    std::ranges::move(descriptor_writes(image), std::back_inserter(writes));
    return writes;
}

std::vector<RegisterWrite> set_up_writes(const Image& image, const Rounding& rounding) {
    std::vector<RegisterWrite> writes;
    const auto write = [&writes](std::uint64_t address, std::uint64_t value) {
        writes.push_back({address, static_cast<std::uint32_t>(value)});
    };
    for_each_program(image, [&](std::uint32_t engine, const ProgramImage& program) {
        const std::uint64_t block = engine_block(image, engine);
        write(block + isa::csr::EngineProgramLo, program.address);
        write(block + isa::csr::EngineProgramHi, program.address >> 32);
        write(block + isa::csr::EngineProgramLength, program.instructions.size());
    });
    const std::uint64_t window = addresses::core_window(image.core);
    write(window + isa::csr::SrControl, rounding.stochastic ? 1 : 0);
    write(window + isa::csr::SrSeed, rounding.seed);
    for (std::size_t queue = 0; queue < image.rings.size(); ++queue) {
        for (std::size_t e = 0; e < image.rings[queue].size(); ++e) {
            const Ring& ring = image.rings[queue][e];
            if (ring.m2s.empty()) continue;
            for (const RingSetting& setting : settings(ring))
                write(dma::ring_address(e, queue, setting.reg, image.core), setting.value);
        }
    }
    return writes;
}

std::vector<RegisterWrite> start_writes(const Image& image) {
    std::vector<RegisterWrite> writes;
    for_each_program(image, [&](std::uint32_t engine, const ProgramImage&) {
        writes.push_back({engine_block(image, engine) + isa::csr::EngineStart, 1});
    });
    return writes;
}

}  // namespace trnsim::loader

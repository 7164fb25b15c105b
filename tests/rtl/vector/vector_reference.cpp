#include "tests/rtl/vector/vector_reference.hpp"

#include <algorithm>

#include "testbench/functional/vector_engine.hpp"

namespace trnsim::test {
namespace {

const target::Core& target() {
    static const target::Core trn1{.rows = 128,
                                   .columns = 128,
                                   .partitions = Lanes,
                                   .sbuf_partition = SbufBytes,
                                   .psum_partition = PsumBytes,
                                   .psum_banks = 8,
                                   .dma_engines = 16,
                                   .dma_rings = 16};
    return trn1;
}

std::uint32_t address(const Area& area, unsigned partition) {
    return (area.psum ? PsumBase + (partition << 14) : partition << 18) + area.offset;
}

std::string place(bool psum, std::size_t row, unsigned partition) {
    return std::string(psum ? "PSUM" : "SBUF") + " row " + std::to_string(row) + " partition " +
           std::to_string(partition);
}

}  // namespace

Reference::Reference(std::vector<Area> areas)
    : areas_(std::move(areas)), memory_(target()), state_(target(), isa::Engine::Vector) {}

void Reference::load(const Memories& memories) {
    std::vector<std::uint32_t> words;
    for (const Area& area : areas_) {
        words.resize(area.bytes / 4);
        for (unsigned partition = 0; partition < Lanes; ++partition) {
            for (std::uint32_t k = 0; k < words.size(); ++k)
                words[k] = memories.of(area.psum)[area.offset / 4 + k][partition];
            memory_.copy_in(address(area, partition),
                            {reinterpret_cast<const std::uint8_t*>(words.data()), area.bytes});
        }
    }
}

void Reference::set_rounding(bool stochastic, std::uint32_t seed) {
    state_.stochastic = stochastic;
    state_.rounding = numerics::generators(numerics::Stream::VectorRounding, Lanes, seed);
}

void Reference::execute(const isa::Instruction& instruction) {
    functional::run_vector(instruction, target(), state_, memory_);
}

std::optional<std::string> Reference::difference(const Memories& memories) const {
    std::vector<std::uint32_t> words;
    for (const Area& area : areas_) {
        words.resize(area.bytes / 4);
        for (unsigned partition = 0; partition < Lanes; ++partition) {
            memory_.copy_out(address(area, partition),
                             {reinterpret_cast<std::uint8_t*>(words.data()), area.bytes});
            for (std::uint32_t k = 0; k < words.size(); ++k) {
                const std::uint32_t row = area.offset / 4 + k;
                const std::uint32_t is = memories.of(area.psum)[row][partition];
                if (is == words[k]) continue;
                return place(area.psum, row, partition) + ": got " + std::to_string(is) + ", want " +
                       std::to_string(words[k]);
            }
        }
    }
    return std::nullopt;
}

std::optional<std::string> Reference::first_stray(const Memories& memories) const {
    for (const bool psum : {false, true}) {
        for (std::size_t row = 0; row < memories.of(psum).size(); ++row) {
            const bool inside = std::ranges::any_of(areas_, [&](const Area& area) {
                return area.psum == psum && 4 * row >= area.offset && 4 * row < area.offset + area.bytes;
            });
            for (unsigned partition = 0; partition < Lanes; ++partition) {
                if (!inside && memories.of(psum)[row][partition] != 0) return place(psum, row, partition);
            }
        }
    }
    return std::nullopt;
}

}  // namespace trnsim::test

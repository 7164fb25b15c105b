// Executes one instruction at a time on the interpreter's lanes: 8 partitions, 2 per quadrant.
#pragma once

#include <cstdint>
#include <vector>

#include "arch/numerics/format.hpp"
#include "arch/target/memory.hpp"
#include "compiler/builder/kernel_builder.hpp"
#include "compiler/kernels/targets.hpp"
#include "testbench/functional/error.hpp"
#include "testbench/functional/refusal.hpp"
#include "testbench/functional/scalar_engine.hpp"
#include "testbench/functional/vector_engine.hpp"

namespace trnsim::functional {

class LaneBench {
  public:
    using Rows = std::vector<std::vector<float>>;

    explicit LaneBench(const target::Core& target = test::small_target(), RoundingControl control = {})
        : target(target),
          vector(target, isa::Engine::Vector, control),
          scalar(target, isa::Engine::Scalar, control) {}

    target::Core target;
    CoreMemory memory{target};
    LaneState vector, scalar;

    // Returns a packed tile after the earlier ones.
    builder::Tile tile(std::uint32_t partitions, isa::Dtype dtype, const std::vector<std::uint32_t>& shape) {
        return sbuf_.tile(partitions, dtype, shape);
    }
    // Returns a tile with contents, which the type must hold exactly.
    builder::Tile tile(isa::Dtype dtype, const Rows& rows) {
        const builder::Tile made = tile(static_cast<std::uint32_t>(rows.size()), dtype,
                                        {static_cast<std::uint32_t>(rows[0].size())});
        for (std::uint32_t row = 0; row < rows.size(); ++row) {
            for (std::uint32_t i = 0; i < rows[row].size(); ++i)
                write(made, row, i, numerics::from_fp32(rows[row][i], dtype));
        }
        return made;
    }
    builder::Tile tile(const Rows& rows) { return tile(isa::Dtype::Fp32, rows); }

    // Write and read the elements of tiles of one axis.
    void write(const builder::Tile& tile, std::uint32_t row, std::uint32_t index, std::uint32_t bits) {
        memory.write(address(tile, row, index), bytes(tile), bits);
    }
    std::uint32_t bits(const builder::Tile& tile, std::uint32_t row, std::uint32_t index) const {
        return memory.read(address(tile, row, index), bytes(tile));
    }
    Rows values(const builder::Tile& tile) const {
        Rows rows(tile.partitions);
        for (std::uint32_t row = 0; row < tile.partitions; ++row) {
            for (std::uint32_t i = 0; i < tile.axes[0].count; ++i)
                rows[row].push_back(numerics::to_fp32(bits(tile, row, i), tile.dtype));
        }
        return rows;
    }

    // Runs the single instruction that `call` adds to the builder.
    template <typename Call>
    void run(const Call& call) {
        builder::KernelBuilder builder("one", "", target);
        call(builder);
        const neff::Package package = builder.finish();
        for (const isa::Engine engine : {isa::Engine::Vector, isa::Engine::Scalar}) {
            const auto& program = package.programs[static_cast<std::size_t>(engine)];
            for (std::size_t i = 0; i + 1 < program.size(); ++i) {
                execute(engine, program[i]);
            }
        }
    }

    // Runs an instruction of Vector or Scalar as the interpreter does. Throws Error if a core refuses it.
    void execute(isa::Engine engine, const isa::Instruction& instruction) {
        require_accepted(engine, instruction, target, {tensor_, vector, scalar});
        (engine == isa::Engine::Vector ? run_vector(instruction, target, vector, memory)
                                       : run_scalar(instruction, target, scalar, memory));
    }

  private:
    static std::uint32_t bytes(const builder::Tile& tile) {
        return static_cast<std::uint32_t>(numerics::storage_bytes(tile.dtype));
    }
    std::uint32_t address(const builder::Tile& tile, std::uint32_t row, std::uint32_t index) const {
        const auto step = static_cast<std::uint32_t>(tile.axes[0].step);
        return target::address_of(target, tile.memory, tile.partition + row,
                                  tile.offset + index * step * bytes(tile));
    }

    TensorEngine tensor_{target};
    builder::SbufAllocator sbuf_{target};
};

}  // namespace trnsim::functional

// A command of the GpSimd engine while it is put together: the words of its arguments, the tiles that it
// reads and writes, and the cores that have them.
#pragma once

#include <array>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "arch/target/memory.hpp"
#include "compiler/builder/gpsimd.hpp"
#include "compiler/builder/scalar.hpp"
#include "compiler/builder/step.hpp"
#include "compiler/neff/sizes.hpp"
#include "firmware/include/trnsim/custom_op_arguments.hpp"

namespace trnsim::builder {

static_assert(static_cast<int>(firmware::AluOp::Relu) == static_cast<int>(isa::AluOp::Relu));
static_assert(static_cast<int>(firmware::Dtype::Fp32) == static_cast<int>(isa::Dtype::Fp32));

inline firmware::AluOp alu(isa::AluOp op) {
    return static_cast<firmware::AluOp>(op);
}

// Returns whether the microcode has a type.
bool is_gpsimd_type(isa::Dtype dtype);

class GpsimdCommand {
  public:
    GpsimdCommand(const target::Core& target, std::string_view name) : target_(target), name_(name) {}

    // Every member throws Error that names the command if the cores refuse it.
    void require(bool holds, std::string_view rule) const;

    // Adds tiles of the command, of types that the firmware has.
    GpsimdCommand& read(const Tile& tile);
    // Role::Update means that not all elements of the tile are written.
    GpsimdCommand& write(const Tile& tile, Role role = Role::Write);
    // Requires cores for all partitions of the tile.
    void require_reached(const Tile& tile) const;
    // Requires that `other` is in the partitions of `dst`, because a core reaches only its own partitions.
    void require_partitions_of(const Tile& dst, const Tile& other) const;
    // Requires that a destination and a source that overlap are the same or interleaved.
    void check_overlap(const Tile& dst, const Tile& source) const;

    firmware::Shape shape(const Tile& tile) const;
    firmware::Tensor tensor(const Tile& tile) const;
    firmware::Affine affine(const Affine& affine, const Tile& dst) const;
    // Returns the bits of an immediate for elements that are floats or integers.
    std::uint32_t immediate(const Number& number, bool floats) const;
    // Returns the place of adjacent elements.
    std::uint32_t row(const Tile& tile, std::uint64_t elements) const;

    // Return the first core with a partition of the tile, and the number of such cores.
    std::uint32_t first_core(const Tile& tile) const { return tile.partition / CorePartitions; }
    std::uint32_t cores(const Tile& tile) const {
        return (tile.partition + tile.partitions - 1) / CorePartitions - first_core(tile) + 1;
    }
    // Requires a row in a partition of each core with partitions of `cores_of`: partition `source` of every
    // one. The tile goes from that of the first core to that of the last.
    void require_row_of_cores(const Tile& row, const Tile& cores_of) const;

    // The word of the arguments that holds the place of a tile, by its byte in the arguments.
    struct TileWord {
        std::size_t at;
        const Tile& tile;
    };
    template <class Arguments>
    void set_arguments(const Arguments& arguments, const std::vector<TileWord>& places) {
        set_words({reinterpret_cast<const std::uint8_t*>(&arguments), sizeof arguments}, places);
    }
    void set_words(std::span<const std::uint8_t> bytes, const std::vector<TileWord>& places);

    std::string_view name() const { return name_; }
    // Returns the step without the image. The words are the first of the mailbox's arguments.
    Step step(std::uint32_t operation, const After& after) const;

    static constexpr std::uint32_t CorePartitions = target::GpsimdPartitions;

  private:
    void check(const Tile& tile);

    const target::Core& target_;
    std::string_view name_;
    std::vector<std::uint32_t> words_;
    struct Mentioned {
        std::uint32_t word, buffer;
    };
    std::vector<Mentioned> mentioned_;
    std::vector<Access> reads_, writes_;
    std::uint32_t core_mask_ = 0;
};

}  // namespace trnsim::builder

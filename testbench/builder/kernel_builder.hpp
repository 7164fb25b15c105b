// The kernel-authoring interface: tensors, tiles, engine instructions and DMA transfers with what each
// comes after.
//
// A kernel is written as one sequence of calls; every engine and every queue runs its own calls in order,
// and nothing else orders two engines: whatever a call reads, and whatever must be done with the place it
// overwrites, has to be in its `After`.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "testbench/builder/allocator.hpp"
#include "testbench/builder/program.hpp"
#include "testbench/builder/tensor_view.hpp"

namespace trnsim::builder {

// Second operand of an ALU step: a constant, or a [partitions, 1] fp32 tile in SBUF.
using Scalar = std::variant<float, Tile>;

// One ALU step of tensor_scalar: x op operand, or operand op x when reversed.
struct AluStep {
    isa::AluOp op = isa::AluOp::Bypass;
    Scalar operand = 0.0f;
    bool reverse = false;
};

class KernelBuilder {
  public:
    // `arguments` is for people. Throws Error for a target without partitions, rows, columns, banks or DMA
    // engines.
    KernelBuilder(std::string name, std::string arguments, const neff::Target& target);

    const neff::Target& target() const { return package_.target; }

    // Declares a tensor in HBM and returns a view of all of it. Throws Error for a name twice or an empty
    // shape.
    TensorView tensor(const std::string& name, neff::TensorKind kind, isa::Dtype dtype,
                      const std::vector<std::uint64_t>& shape);

    // A packed tile from partition 0.
    Tile sbuf(std::uint32_t partitions, isa::Dtype dtype, const std::vector<std::uint32_t>& shape) {
        return sbuf_.tile(partitions, dtype, shape);
    }
    std::uint64_t sbuf_left() const { return sbuf_.left(); }

    // fp32 [partitions, columns] at the start of a bank. Banks are not reserved: who may use which when is
    // the kernel's plan.
    Tile psum(std::uint32_t bank, std::uint32_t partitions, std::uint32_t columns) const {
        return psum_tile(target(), bank, partitions, columns);
    }

    // A DMA queue, triggered by `owner`. Throws Error beyond the target's rings.
    std::uint32_t queue(const std::string& name, isa::Engine owner = isa::Engine::Sync);

    // DMA between HBM and SBUF or PSUM. Axes of the view: the partitions, then the free axes of the tile,
    // with equal counts and equal types. The event is the completion of the transfer.
    Event load(std::uint32_t queue, const Tile& to, const TensorView& from, const After& after = {});
    Event store(std::uint32_t queue, const TensorView& to, const Tile& from, const After& after = {});

    // Tensor engine. `stationary` [K, M] is loaded into the other weight bank in the background; the next
    // multiply_moving uses the one loaded last: dst[M, ...] (+)= stationary.T @ moving[K, ...]. dst has the
    // axes of `moving`. For the two types see multiplies().
    Event load_stationary(const Tile& stationary, const After& after = {}, bool row_tile = false);
    Event multiply_moving(const Tile& dst, const Tile& moving, bool accumulate, const After& after = {});

    // Vector engine. Arithmetic in fp32, results converted to the type of dst, nearest even unless
    // `rounding` says otherwise.
    Event tensor_copy(const Tile& dst, const Tile& source, const After& after = {},
                      isa::Rounding rounding = isa::Rounding::Core);
    Event tensor_tensor(const Tile& dst, const Tile& a, isa::AluOp op, const Tile& b, const After& after = {},
                        isa::Rounding rounding = isa::Rounding::Core);
    // dst = second(first(a)).
    Event tensor_scalar(const Tile& dst, const Tile& a, const AluStep& first, const AluStep& second = {},
                        const After& after = {}, isa::Rounding rounding = isa::Rounding::Core);

    // Waits only: the engine issues nothing further before the events.
    void wait(isa::Engine engine, const After& after);

    // The finished package: semaphores assigned, every used engine waits for its queues and halts. Call
    // once.
    neff::Package finish();

  private:
    Event transfer(std::uint32_t queue, const Tile& tile, const TensorView& view, bool load,
                   const After& after);
    void set_scalar(isa::Instruction& instruction, const Scalar& operand, const isa::Field& value,
                    const isa::Field& flag, std::uint32_t partitions) const;

    neff::Package package_;
    SbufAllocator sbuf_;
    Program program_;
    struct Stationary {
        Tile tile;
        bool row_tile;
    };
    std::optional<Stationary> stationary_;  // loaded last
};

}  // namespace trnsim::builder

// Random commands of GpSimd's microcode on a few small buffers: tensors of every type, shapes, steps,
// partitions that begin and end within a core; some cores take part and others do not.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "compiler/neff/package.hpp"
#include "firmware/include/trnsim/microcode.hpp"
#include "testbench/random_programs/lane_generator.hpp"
#include "testbench/random_programs/step.hpp"

namespace trnsim::random_programs {

// A command; its shape decides the cores and the buffers.
struct GpsimdCall {
    firmware::Command command{};
    std::vector<std::uint32_t> words{};
    std::vector<Touched> touched{};
    std::uint32_t partition = 0, partitions = 0;
};

class GpsimdGenerator {
  public:
    // The references must outlive the generator.
    GpsimdGenerator(const target::Core& target, const Geometry& geometry, std::mt19937_64& random);

    // Returns a command after the instructions that bring its arguments, and before it the command that makes
    // the indices or ids that it reads. Words that are in the mailboxes already are often left out.
    std::vector<Step> steps();
    // The last steps have not been used: the contents of the mailboxes are unknown.
    void forget() { given_.fill(std::nullopt); }
    // The microcode has been loaded in all cores, and all arguments are 0; or it has been loaded in some
    // cores.
    void loaded(bool in_all) { given_.fill(in_all ? std::optional<std::uint32_t>(0) : std::nullopt); }

    // Helpers for the commands (gpsimd_commands.cpp).
    unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }
    bool chance(unsigned one_in) { return pick(one_in) == 0; }
    template <typename List>
    auto any(const List& list) {
        return list[pick(static_cast<unsigned>(std::size(list)))];
    }
    std::uint32_t word();  // often a special value
    const target::Core& target() const { return target_; }
    std::uint32_t lanes() const { return static_cast<std::uint32_t>(target_.partitions); }
    // Returns random partitions and a random number of elements.
    firmware::Shape shape();
    // Returns `count` different buffers in SBUF.
    std::vector<Area> buffers(std::size_t count);
    // Returns a pattern of the shape within a buffer, nothing if it does not fit. With `repeats`, elements
    // may be read twice.
    std::optional<firmware::Tensor> tensor(const firmware::Shape& shape, firmware::Dtype dtype,
                                           const Area& buffer, bool repeats);
    // Returns a place for `count` elements side by side, nothing if they do not fit.
    std::optional<std::uint32_t> row(std::uint32_t count, std::uint32_t bytes, const Area& buffer);

  private:
    std::uint32_t core_mask(std::uint32_t partition, std::uint32_t partitions);
    void give(const std::vector<std::uint32_t>& words, std::vector<Step>& steps);
    void give(std::uint32_t first, std::span<const std::uint32_t> words, std::vector<Step>& steps);

    const target::Core& target_;
    std::vector<Area> buffers_;
    std::mt19937_64& random_;
    std::array<std::optional<std::uint32_t>, firmware::ArgumentWords> given_{};  // known mailbox contents
};

// Returns a random command after the commands that it depends on; empty if the drawn command does not fit.
std::vector<GpsimdCall> random_gpsimd_calls(GpsimdGenerator& generator);

}  // namespace trnsim::random_programs

// Random programs for the Tensor, Vector, Scalar and GpSimd engines together, one after the other in one
// package. Every program loads the working area by DMA, works on it with all engines and stores it. The
// engines wait for each other if they share a buffer, and DMA reloads and stores buffers meanwhile. GpSimd's
// cores run the microcode, which is loaded again now and then; or the cores are started again without a load.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compiler/builder/program.hpp"
#include "compiler/neff/images.hpp"
#include "testbench/random_programs/engine_generator.hpp"

namespace trnsim::random_programs {

class Batch {
  public:
    // Makes the programs with these numbers. Without an aim a program follows from target, seed and number
    // alone.
    Batch(const target::Core& target, std::uint64_t seed, std::span<const std::uint64_t> numbers,
          Aim aim = {});

    const neff::Package& package() const { return package_; }
    // Contents of the package's input.
    const std::vector<std::uint8_t>& contents() const { return contents_; }

    struct Difference {
        std::size_t index;  // index of the program in the batch
        std::string text;
    };
    // Returns the first difference of two sets of outputs (all of them, in the package's order).
    std::optional<Difference> difference(std::span<const std::uint8_t> got,
                                         std::span<const std::uint8_t> want) const;

    // Lists the instructions of a program, a line each.
    std::string listing(std::size_t index) const;

  private:
    static constexpr std::size_t Load = 0, Store = 1, Images = 2;  // queues
    static constexpr std::size_t Producers = neff::EngineCount + 3;

    // The last accesses of each producer to a buffer.
    struct Users {
        std::array<builder::Event, Producers> reads, writes;
    };
    struct Access {
        std::size_t buffer;
        bool write;
    };

    void add_program(std::size_t index, std::mt19937_64& random);
    void add_step(std::size_t index, const Step& step, bool wait, builder::After after = {});
    void load_microcode(std::size_t index, std::uint32_t first_core, std::uint32_t cores);
    void start_cores(std::size_t index, std::uint32_t mask, const builder::After& after);
    void add_copy(std::size_t index, const Area& buffer);
    void add_transfer(std::size_t index, std::size_t queue, const Area& area, std::uint32_t tensor,
                      std::uint64_t offset, std::uint64_t row_bytes);
    void add_accesses(std::vector<Access>& all, const Touched& touched) const;
    void add_accesses(std::vector<Access>& all, std::uint32_t address, std::int64_t low, std::int64_t high,
                      bool write) const;
    std::vector<Access> accesses(const Step& step) const;
    builder::After order(const std::vector<Access>& accesses, std::size_t producer, bool in_order) const;
    void note(const std::vector<Access>& accesses, const builder::Event& event);

    std::uint64_t place_of(const Area& buffer) const;

    std::vector<Area> areas_;  // the working area
    Geometry geometry_;        // cut into buffers
    std::uint64_t row_bytes_;  // bytes of the working area in a partition
    std::uint64_t area_size_, copy_size_;
    Aim aim_;
    neff::ImageContents microcode_;
    neff::Package package_;
    builder::Program program_;
    std::vector<std::uint8_t> contents_;
    std::vector<Users> users_;                            // by buffer
    std::array<builder::Event, neff::EngineCount> last_;  // by engine
    std::vector<std::vector<std::string>> listings_;      // by program
    std::vector<std::size_t> copied_;                     // program of each copy
};

}  // namespace trnsim::random_programs

// All memory that a kernel reads and writes, with a check of every access: SBUF and PSUM of the core, the
// memories of the GpSimd cores, and the tensors in HBM.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "testbench/functional/core_memory.hpp"
#include "testbench/functional/journal.hpp"
#include "testbench/functional/race_check.hpp"
#include "testbench/functional/watcher.hpp"

namespace trnsim::functional {

class Storage {
  public:
    // `contents` are those of the tensors, by Package::tensors. `races`: see Options::races. `watcher` may be
    // null.
    Storage(const neff::Package& package, std::vector<std::vector<std::uint8_t>> contents,
            const Journal& journal, std::vector<std::string>* races, Watcher* watcher);

    CoreMemory core;
    std::vector<std::vector<std::uint8_t>> tensors;  // by Package::tensors, storage bytes

    // Notes that `actor` reads or writes `bytes` bytes at a core-window address, all in one partition or in
    // the memory of one GpSimd core. Throws Error elsewhere and for a race.
    void note(bool write, std::uint64_t address, std::uint64_t bytes, const Actor& actor);

    // Returns how many bytes have been read and written so far.
    std::uint64_t accessed() const { return accessed_; }

    // Throws Error for an element of an output that nothing has written, unless reads of unwritten bytes are
    // no error (`races`). `given`: by tensor, true if it had contents before.
    void expect_outputs(const std::vector<bool>& given) const;

    // Access the bytes that a DMA engine moves at `place` on one side of a transfer: a core-window address or
    // a byte of the tensor. Throw Error like note(), and for reading a byte that nothing has written.
    // `from` is the place that the bytes to be written come from, if there is one.
    void read(const neff::Pattern& side, std::uint64_t place, std::span<std::uint8_t> data,
              const Actor& actor);
    void write(const neff::Pattern& side, std::uint64_t place, std::span<const std::uint8_t> data,
               const Actor& actor, const std::optional<Place>& from = {});
    // Notes that bytes of a tensor are written with what they hold.
    void keep(const neff::Pattern& side, std::uint64_t bytes, const Actor& actor);

    // Returns bytes of the memory of a GpSimd core, from an address of the core; empty if the kernel has no
    // such memory.
    std::span<std::uint8_t> gpsimd(std::uint32_t core, std::uint32_t address, std::size_t bytes);

  private:
    // Returns the index in gpsimd_ of a core-window address, nothing if it is outside the window of the
    // GpSimd cores. Throws Error when there is no memory at it.
    std::optional<std::uint64_t> gpsimd_byte(std::uint64_t address, std::uint64_t bytes) const;
    void note_core(bool write, std::uint64_t address, std::uint64_t bytes, const Actor& actor);
    void note_tensor(bool write, std::uint32_t tensor, std::uint64_t first, std::uint64_t bytes,
                     const Actor& actor);
    void tell(const Place& to, std::uint64_t bytes, const Actor& actor,
              const std::optional<Place>& from) const;
    void report(bool write, const std::string& place, const RaceCheck::Race& race, const Actor& actor);

    const neff::Package& package_;
    const Journal& journal_;
    std::vector<std::string>* races_;
    Watcher* watcher_;
    std::set<std::string> reported_;       // pairs of instructions or transfers in races_
    std::array<RaceCheck, 2> core_races_;  // SBUF, PSUM
    std::vector<std::uint8_t> gpsimd_;     // the memories of the GpSimd cores
    RaceCheck gpsimd_races_;
    std::vector<std::vector<std::uint8_t>> images_;  // contents of each of Package::images
    std::vector<RaceCheck> tensor_races_;
    std::uint64_t accessed_ = 0;
};

}  // namespace trnsim::functional

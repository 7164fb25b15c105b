#include "runtime/session/upsets.hpp"

#include <algorithm>

#include "arch/addresses/addresses.hpp"
#include "isa/core_window.hpp"
#include "isa/isa_tables.hpp"

namespace trnsim::runtime {
namespace {

constexpr std::uint64_t ShortestPause = 50'000'000, LongestPause = 4'000'000'000;  // fs
constexpr std::uint64_t StoredBits = 39;  // bits of a word, 7 of them check bits

}  // namespace

Upsets::Upsets(std::uint32_t seed, const config::Core& config, unsigned core)
    : config_(config), window_(addresses::core_window(core)), random_(seed, "upsets") {}

std::uint64_t Upsets::pause() {
    return ShortestPause + pick(LongestPause - ShortestPause);
}

// Returns a word that is usually in the lower quarter of each partition, where kernels have their data.
std::uint32_t Upsets::any_word() {
    const bool psum = pick(4) == 0;
    const std::uint64_t bytes = psum ? config_.psum_partition : config_.sbuf_partition;
    const std::uint64_t base = psum ? isa::window::PsumBase : isa::window::SbufBase;
    const std::uint64_t stride =
        psum ? isa::window::PsumPartitionStride
             : isa::sbuf_partition_stride(static_cast<std::uint32_t>(config_.partitions));
    const std::uint64_t word = pick(pick(8) == 0 ? bytes / 4 : bytes / 16);
    return static_cast<std::uint32_t>(base + pick(config_.partitions) * stride + 4 * word);
}

void Upsets::inject(CoreAccess& machine) {
    if (recent_[next_] != 0) machine.read32(recent_[next_]);
    std::uint32_t word = any_word();
    while (std::ranges::find(recent_, window_ + word) != recent_.end()) word = any_word();
    const auto bit = static_cast<std::uint32_t>(pick(StoredBits));
    machine.write32(window_ + isa::csr::UpsetAddress, word);
    machine.write32(window_ + isa::csr::UpsetBits, bit | bit << 8);
    recent_[next_] = window_ + word;
    next_ = (next_ + 1) % recent_.size();
}

}  // namespace trnsim::runtime

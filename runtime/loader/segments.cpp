#include "runtime/loader/segments.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arch/target/memory.hpp"
#include "compiler/neff/sizes.hpp"
#include "isa/disassembler.hpp"
#include "runtime/loader/error.hpp"
#include "runtime/loader/transposed.hpp"

namespace trnsim::loader {
namespace {

struct Memory {
    std::uint32_t base, stride;
    std::uint64_t populated;  // bytes of a partition
    const char* name;
};

// One side of a transfer as contiguous runs in element order.
class Runs {
  public:
    // `element` is in bytes.
    Runs(const neff::Package& package, const neff::Pattern& pattern, std::uint32_t element,
         const HbmAddresses& addresses, std::uint64_t window)
        : core_(pattern.place == neff::Pattern::Space::Core),
          window_(window),
          address_(pattern.offset),
          run_(element) {
        using Space = neff::Pattern::Space;
        address_ += core_                           ? window_
                    : pattern.place == Space::Image ? addresses.images[pattern.tensor]
                                                    : addresses.tensors[pattern.tensor];
        for (std::size_t dim = 0; dim < pattern.count.size(); ++dim) {
            if (pattern.count[dim] == 1) continue;
            if (steps_.empty() && pattern.step[dim] == static_cast<std::int64_t>(run_)) {
                run_ *= pattern.count[dim];
            } else {
                steps_.push_back(pattern.step[dim]);
                counts_.push_back(pattern.count[dim]);
            }
        }
        index_.assign(counts_.size(), 0);
        left_ = run_;
        const target::Core& target = package.target;
        sbuf_ = {isa::window::SbufBase, target::sbuf_partition_stride(target), target.sbuf_partition, "SBUF"};
        tcm_ = {isa::window::GpsimdTcmBase, isa::window::GpsimdTcmStride, isa::window::GpsimdTcmStride,
                "GpSimd memory"};
        psum_ = {isa::window::PsumBase, isa::window::PsumPartitionStride, target.psum_partition, "PSUM"};
    }

    std::uint64_t address() const { return address_; }
    bool at_partition_start() const { return core_ && offset_in_partition() == 0; }

    // Returns the bytes from address() that stay in the run and in the partition. Throws Error outside
    // populated memory.
    std::uint64_t contiguous(const neff::Transfer& transfer) const {
        if (!core_) return left_;
        const std::uint64_t offset = offset_in_partition();
        const std::uint64_t bytes = std::min(left_, memory().stride - offset);
        if (offset + bytes > memory().populated) {
            throw Error(fmt::format(
                "transfer '{}' reaches {}: a partition of {} has 0x{:x} bytes", transfer.name,
                isa::format_address(static_cast<std::uint32_t>(address_ - window_ + bytes - 1), sbuf_.stride),
                memory().name, memory().populated));
        }
        return bytes;
    }

    void advance(std::uint64_t bytes) {
        address_ += bytes;
        left_ -= bytes;
        if (left_ != 0) return;
        address_ -= run_;
        left_ = run_;
        for (std::size_t dim = 0; dim < counts_.size(); ++dim) {
            address_ += static_cast<std::uint64_t>(steps_[dim]);
            if (++index_[dim] < counts_[dim]) return;
            address_ -= static_cast<std::uint64_t>(steps_[dim]) * counts_[dim];
            index_[dim] = 0;
        }
    }

  private:
    const Memory& memory() const {
        const std::uint64_t place = address_ - window_;
        if (place < psum_.base) return sbuf_;
        return place < tcm_.base ? psum_ : tcm_;
    }
    std::uint64_t offset_in_partition() const {
        return (address_ - window_ - memory().base) % memory().stride;
    }

    bool core_;
    std::uint64_t window_;  // system address of the core's window
    std::uint64_t address_, run_, left_ = 0;
    std::vector<std::int64_t> steps_;
    std::vector<std::uint32_t> counts_, index_;
    Memory sbuf_{}, psum_{}, tcm_{};
};

}  // namespace

std::vector<Segment> expand(const neff::Package& package, const neff::Transfer& transfer,
                            const HbmAddresses& addresses, unsigned core) {
    if (transfer.transposes) return expand_transposed(package, transfer, addresses, core);
    const std::uint64_t window = addresses::core_window(core);
    Runs from(package, transfer.from, transfer.element_bytes, addresses, window);
    Runs to(package, transfer.to, transfer.element_bytes, addresses, window);
    std::vector<Segment> segments;
    std::uint64_t left = neff::element_count(transfer.from) * transfer.element_bytes;
    std::optional<Runs> index;
    if (transfer.indirect)
        index.emplace(package, transfer.indirect->index, neff::IndexBytes, addresses, window);
    const std::uint64_t row = index ? neff::row_elements(transfer) * transfer.element_bytes : left;
    std::uint64_t left_of_row = row;
    while (left != 0) {
        if (left_of_row == 0) {
            left_of_row = row;
            index->advance(neff::IndexBytes);
        }
        const bool cut = segments.empty() || left_of_row == row || from.at_partition_start() ||
                         to.at_partition_start() ||
                         segments.back().from + segments.back().bytes != from.address() ||
                         segments.back().to + segments.back().bytes != to.address() ||
                         segments.back().bytes == MaxSegmentBytes;
        if (cut) {
            segments.push_back({from.address(), to.address(), 0});
            if (index) segments.back().index = index->address();
        }
        Segment& segment = segments.back();
        const std::uint64_t bytes = std::min({from.contiguous(transfer), to.contiguous(transfer), left_of_row,
                                              std::uint64_t{MaxSegmentBytes - segment.bytes}});
        segment.bytes += static_cast<std::uint32_t>(bytes);
        from.advance(bytes);
        to.advance(bytes);
        left -= bytes;
        left_of_row -= bytes;
    }
    return segments;
}

}  // namespace trnsim::loader

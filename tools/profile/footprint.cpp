#include "tools/profile/footprint.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "arch/target/memory.hpp"
#include "compiler/neff/package.hpp"
#include "isa/element_type.hpp"
#include "isa/isa_tables.hpp"
#include "isa/operands.hpp"

namespace trnsim::profile {
namespace {

// Disjoint ranges [first, end) of bytes.
class Ranges {
  public:
    void add(std::uint64_t first, std::uint64_t end) {
        auto next = ends_.upper_bound(first);
        if (next != ends_.begin() && std::prev(next)->second >= first) {
            --next;
            first = next->first;
        }
        while (next != ends_.end() && next->first <= end) {
            end = std::max(end, next->second);
            next = ends_.erase(next);
        }
        ends_[first] = end;
    }
    std::uint64_t bytes() const {
        std::uint64_t sum = 0;
        for (const auto& [first, end] : ends_) sum += end - first;
        return sum;
    }

  private:
    std::map<std::uint64_t, std::uint64_t> ends_;  // end of each range, by its first byte
};

// A pattern from `address` in the core window; steps are in bytes.
struct Span {
    struct Dimension {
        std::int64_t step;
        std::uint64_t count;
    };
    std::uint64_t address;
    std::vector<Dimension> dimensions;
    std::uint64_t element_bytes;
};

// Returns the places of a pattern in all iterations of its loop.
Span span_of(const neff::Pattern& pattern, std::uint32_t element_bytes) {
    Span span{pattern.offset, {}, element_bytes};
    for (std::size_t d = 0; d < pattern.step.size(); ++d) {
        span.dimensions.push_back({pattern.step[d], pattern.count[d]});
        span.dimensions.push_back({pattern.iteration_step[d], pattern.iteration_count[d]});
    }
    return span;
}

class Marks {
  public:
    explicit Marks(const target::Core& target)
        : sbuf_stride_(target::sbuf_partition_stride(target)), target_(target) {}

    void add(const Span& span) {
        if (span.address >= isa::window::GpsimdTcmBase) return;  // memory of GpSimd cores, registers
        const bool psum = span.address >= isa::window::PsumBase;
        const auto base = psum ? isa::window::PsumBase : isa::window::SbufBase;
        const auto stride = static_cast<std::int64_t>(psum ? isa::window::PsumPartitionStride : sbuf_stride_);
        auto first = static_cast<std::int64_t>(span.address - base) % stride, last = first;
        for (const auto& [step, count] : span.dimensions) {
            if (step % stride == 0) continue;  // it leads from partition to partition
            const std::int64_t way = step * (static_cast<std::int64_t>(count) - 1);
            (way < 0 ? first : last) += way;
        }
        const std::uint64_t size = psum ? target_.psum_partition : target_.sbuf_partition;
        const auto from = static_cast<std::uint64_t>(std::max<std::int64_t>(first, 0));
        const auto to = std::min(static_cast<std::uint64_t>(last) + span.element_bytes, size);
        if (from < to) (psum ? psum_ : sbuf_).add(from, to);
    }

    Footprint footprint() const { return {sbuf_.bytes(), psum_.bytes()}; }

  private:
    std::uint64_t sbuf_stride_;
    target::Core target_;
    Ranges sbuf_, psum_;
};

}  // namespace

Footprint footprint(const neff::Package& package) {
    Marks marks(package.target);
    for (const neff::Transfer& transfer : package.transfers) {
        if (transfer.to.place != neff::Pattern::Space::Core) continue;
        marks.add(span_of(transfer.to, transfer.element_bytes));
    }
    for (const auto& program : package.programs) {
        for (const isa::Instruction& instruction : program) {
            const isa::InstructionInfo* info = instruction.info();
            if (info == nullptr || !info->uses_dst) continue;
            const auto dtype = static_cast<isa::Dtype>(instruction.get(isa::field::DstDtype));
            const auto bytes = static_cast<std::int64_t>(isa::element_size(dtype));
            const isa::Steps steps = isa::steps_of(instruction.bytes(), isa::Role::Dst);
            const isa::Counts counts = isa::shape_of(instruction.bytes());
            Span span{instruction.get(isa::field::DstAddr), {}, static_cast<std::uint64_t>(bytes)};
            for (std::size_t d = 0; d < counts.size(); ++d)
                span.dimensions.push_back({steps[d] * bytes, counts[d]});
            marks.add(span);
        }
    }
    return marks.footprint();
}

}  // namespace trnsim::profile

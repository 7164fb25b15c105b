#include "compiler/neff/unwritten.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "compiler/neff/ring_order.hpp"
#include "compiler/neff/sizes.hpp"
#include "isa/element_type.hpp"

namespace trnsim::neff {
namespace {

// The elements of a tensor that something may write, a bit each.
class WrittenElements {
  public:
    explicit WrittenElements(const Tensor& tensor)
        : size_(isa::element_size(tensor.dtype)),
          elements_(tensor_bytes(tensor) / size_),
          marks_((elements_ + Bits - 1) / Bits),
          left_(elements_) {}

    bool all() const { return left_ == 0; }
    std::uint64_t left() const { return left_; }
    std::uint64_t first_unwritten() const {
        const auto word = std::ranges::find_if(marks_, [](std::uint64_t marks) { return ~marks != 0; });
        return static_cast<std::uint64_t>(word - marks_.begin()) * Bits +
               static_cast<std::uint64_t>(std::countr_one(*word));
    }

    void mark_bytes(std::uint64_t begin, std::uint64_t end) {
        std::uint64_t element = begin / size_;
        const std::uint64_t last = std::min((end + size_ - 1) / size_, elements_);
        while (element < last) {
            const std::uint64_t place = element % Bits, count = std::min(Bits - place, last - element);
            const std::uint64_t some = count == Bits ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
            std::uint64_t& marks = marks_[element / Bits];
            left_ -= static_cast<std::uint64_t>(std::popcount(some << place & ~marks));
            marks |= some << place;
            element += count;
        }
    }

    // Marks the elements of a pattern, `bytes` long each.
    void mark(const Pattern& pattern, std::uint32_t bytes) {
        const bool dense = pattern.step[0] == bytes;
        const std::uint64_t run = dense ? std::uint64_t{bytes} * pattern.count[0] : bytes;
        const auto& [c0, c1, c2, c3] = pattern.count;
        for (std::int64_t i3 = 0; i3 < c3 && !all(); ++i3) {
            for (std::int64_t i2 = 0; i2 < c2; ++i2) {
                for (std::int64_t i1 = 0; i1 < c1; ++i1) {
                    for (std::int64_t i0 = 0; i0 < (dense ? 1 : c0); ++i0) {
                        const std::int64_t way = i3 * pattern.step[3] + i2 * pattern.step[2] +
                                                 i1 * pattern.step[1] + i0 * pattern.step[0];
                        const std::uint64_t begin = pattern.offset + static_cast<std::uint64_t>(way);
                        mark_bytes(begin, begin + run);
                    }
                }
            }
        }
    }

    // Marks everything between the first and the last byte of the rows of a scatter.
    void mark_rows(const Transfer& transfer) {
        const Indirect& indirect = *transfer.indirect;
        std::int64_t low = 0, high = transfer.element_bytes;
        const auto reach = [&](std::int64_t way) { (way < 0 ? low : high) += way; };
        for (std::size_t dim = 0; dim < transfer.to.count.size(); ++dim)
            reach(transfer.to.step[dim] * (std::int64_t{transfer.to.count[dim]} - 1));
        reach(indirect.step * (std::int64_t{indirect.last} - indirect.first));
        const auto offset = static_cast<std::int64_t>(transfer.to.offset);
        mark_bytes(static_cast<std::uint64_t>(offset + low), static_cast<std::uint64_t>(offset + high));
    }

  private:
    static constexpr std::uint64_t Bits = 64;

    std::uint64_t size_, elements_;  // size_: bytes of an element
    std::vector<std::uint64_t> marks_;
    std::uint64_t left_;
};

void mark(WrittenElements& written, const Transfer& transfer) {
    if (transfer.collective) {
        written.mark_bytes(transfer.to.offset, transfer.to.offset + written_bytes(transfer));
    } else if (transfer.indirect && transfer.indirect->scatter) {
        written.mark_rows(transfer);
    } else {
        written.mark(transfer.to, transfer.element_bytes);
    }
}

}  // namespace

std::string describe(const Package& package, const UnwrittenOutput& output) {
    const Tensor& tensor = package.tensors[output.tensor];
    return fmt::format(
        "output '{}': {} of {} elements are returned which nothing has written, the first at {}", tensor.name,
        output.missing, tensor_bytes(tensor) / isa::element_size(tensor.dtype),
        position(tensor, output.first));
}

std::vector<UnwrittenOutput> unwritten_outputs(const Package& package) {
    std::vector<UnwrittenOutput> outputs;
    for (std::size_t i = 0; i < package.tensors.size(); ++i) {
        const Tensor& tensor = package.tensors[i];
        if (!is_output(tensor.kind) || is_input(tensor.kind)) continue;
        WrittenElements written(tensor);
        for (const Transfer& transfer : package.transfers) {
            if (transfer.to.place != Pattern::Space::Tensor || transfer.to.tensor != i) continue;
            const std::uint32_t iterations = iterations_of(package, transfer);
            for (std::uint32_t iteration = 0; iteration < iterations && !written.all(); ++iteration)
                mark(written, at_iteration(transfer, iteration));
        }
        if (!written.all()) outputs.push_back({i, written.left(), written.first_unwritten()});
    }
    return outputs;
}

}  // namespace trnsim::neff

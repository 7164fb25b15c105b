#include "compiler/neff/sizes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/neff/error.hpp"
#include "isa/core_window.hpp"
#include "isa/element_type.hpp"

namespace trnsim::neff {
namespace {

collectives::Sizes sizes_of(const Collective& collective) {
    return collectives::sizes_of(collective.request, members_of(collective));
}

}  // namespace

std::uint64_t tensor_bytes(const Tensor& tensor) {
    std::uint64_t bytes = isa::element_size(tensor.dtype);
    if (bytes == 0) throw Error(fmt::format("undefined data type {}", static_cast<unsigned>(tensor.dtype)));
    for (const std::uint64_t dimension : tensor.shape) {
        if (__builtin_mul_overflow(bytes, dimension, &bytes) || bytes > MaxTensorBytes) {
            throw Error(fmt::format("tensor '{}': larger than {} bytes", tensor.name, MaxTensorBytes));
        }
    }
    return bytes;
}

std::uint64_t element_count(const Pattern& pattern) {
    std::uint64_t count = 1;
    for (const std::uint32_t dimension : pattern.count) {
        if (__builtin_mul_overflow(count, std::uint64_t{dimension}, &count) || count > MaxTensorBytes) {
            throw Error(fmt::format("a pattern of more than {} elements", MaxTensorBytes));
        }
    }
    return count;
}

std::size_t outermost(const Pattern& pattern) {
    std::size_t dim = pattern.count.size() - 1;
    while (dim != 0 && pattern.count[dim] == 1) --dim;
    return dim;
}

std::optional<std::uint32_t> ranks_of(const Package& package) {
    for (const Transfer& transfer : package.transfers)
        if (transfer.collective) return transfer.collective->request.ranks;
    return std::nullopt;
}

std::size_t members_of(const Collective& collective) {
    const collectives::Request& request = collective.request;
    return request.groups.empty() ? request.ranks : request.groups.front().size();
}

std::uint64_t moved_bytes(const Transfer& transfer) {
    return transfer.element_bytes *
           (transfer.collective ? sizes_of(*transfer.collective).input : element_count(transfer.from));
}

std::uint64_t written_bytes(const Transfer& transfer) {
    return transfer.element_bytes *
           (transfer.collective ? sizes_of(*transfer.collective).output : element_count(transfer.to));
}

std::string position(const Tensor& tensor, std::size_t index) {
    std::string text;
    for (std::size_t dim = tensor.shape.size(); dim-- > 0;) {
        text = fmt::format("{}{}{}", index % tensor.shape[dim], text.empty() ? "" : ", ", text);
        index /= tensor.shape[dim];
    }
    return "[" + text + "]";
}

std::uint64_t row_elements(const Transfer& transfer) {
    return element_count(transfer.from) / element_count(transfer.indirect->index);
}

}  // namespace trnsim::neff

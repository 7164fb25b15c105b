#include "compiler/hlo/literal.hpp"

#include <algorithm>
#include <cstring>

namespace trnsim::hlo {
namespace {

// Calls copy(position in the order of the layout, position in row-major order) for every element.
template <typename Copy>
void each_position(const Shape& shape, const Copy& copy) {
    const std::size_t rank = shape.rank();
    Integers stride(rank, 1), index(rank, 0);
    for (std::size_t i = rank; i-- > 1;) stride[i - 1] = stride[i] * shape.dimensions[i];
    const Integers& order = shape.layout->minor_to_major;
    const std::int64_t count = elements(shape);
    std::int64_t row_major = 0;
    for (std::int64_t at = 0; at < count; ++at) {
        copy(static_cast<std::size_t>(at), static_cast<std::size_t>(row_major));
        for (const std::int64_t dimension : order) {
            const auto d = static_cast<std::size_t>(dimension);
            row_major += stride[d];
            if (++index[d] < shape.dimensions[d]) break;
            row_major -= stride[d] * index[d];
            index[d] = 0;
        }
    }
}

bool is_row_major(const Shape& shape) {
    return !shape.layout || shape.layout->minor_to_major.size() != shape.rank() ||
           shape.layout->minor_to_major == default_layout(shape.rank());
}

}  // namespace

std::string from_layout(const std::string& data, const Shape& shape) {
    if (is_row_major(shape)) return data;
    const std::size_t bytes = element_bytes(shape.type);
    std::string result(data.size(), '\0');
    each_position(shape, [&](std::size_t physical, std::size_t logical) {
        std::memcpy(result.data() + logical * bytes, data.data() + physical * bytes, bytes);
    });
    return result;
}

std::string to_layout(const std::string& data, const Shape& shape) {
    if (is_row_major(shape)) return data;
    const std::size_t bytes = element_bytes(shape.type);
    std::string result(data.size(), '\0');
    each_position(shape, [&](std::size_t physical, std::size_t logical) {
        std::memcpy(result.data() + physical * bytes, data.data() + logical * bytes, bytes);
    });
    return result;
}

}  // namespace trnsim::hlo

#include "tools/nccom/values.hpp"

#include <cstring>

#include "arch/numerics/format.hpp"
#include "isa/element_type.hpp"

namespace trnsim::nccom {

void fill(std::vector<std::uint8_t>& bytes, const Test& test, std::mt19937_64& random) {
    const std::size_t size = isa::element_size(test.dtype);
    const std::uint32_t one = numerics::from_fp32(1.0F, test.dtype);
    for (std::size_t i = 0; i < bytes.size(); i += size) {
        const std::uint32_t value =
            test.check == Check::AllOnes
                ? one
                : numerics::from_fp32(static_cast<float>(random() % 1000) / 8, test.dtype);
        std::memcpy(bytes.data() + i, &value, size);
    }
}

std::uint64_t differences(const std::vector<std::uint8_t>& found, const std::vector<std::uint8_t>& expected,
                          std::size_t size) {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < expected.size(); i += size)
        count += std::memcmp(found.data() + i, expected.data() + i, size) != 0 ? 1 : 0;
    return count;
}

}  // namespace trnsim::nccom

#include "model/values/written_words.hpp"

#include <algorithm>

namespace trnsim::fast {

PartitionSet::PartitionSet(std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t partition = first; partition < first + count; ++partition)
        parts_[partition / Bits] |= std::uint64_t{1} << partition % Bits;
}

void WrittenWords::mark_all() {
    std::ranges::fill(rows_, ~std::uint64_t{0});
}

void WrittenWords::forget() {
    std::ranges::fill(rows_, 0);
}

}  // namespace trnsim::fast

#include "model/contents/random_contents.hpp"

#include <algorithm>
#include <cstring>

namespace trnsim::tlm::contents {
namespace {

constexpr std::size_t WordBytes = sizeof(std::uint64_t);

}  // namespace

RandomContents::RandomContents(Seed seed, std::string_view memory) : random_(seed.has_value()) {
    if (seed) key_ = perturb::Stream(*seed, memory).next();
}

void RandomContents::fill(std::uint64_t address, std::span<std::uint8_t> data) const {
    if (!random_) {
        std::ranges::fill(data, std::uint8_t{0});
        return;
    }
    for (std::size_t done = 0; done < data.size();) {
        const std::size_t offset = (address + done) % WordBytes;
        const std::size_t count = std::min(WordBytes - offset, data.size() - done);
        const std::uint64_t word = perturb::Stream(key_ + (address + done) / WordBytes).next();
        std::memcpy(data.data() + done, reinterpret_cast<const std::uint8_t*>(&word) + offset, count);
        done += count;
    }
}

}  // namespace trnsim::tlm::contents

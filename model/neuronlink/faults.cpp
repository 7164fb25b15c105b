#include "model/neuronlink/faults.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace trnsim::tlm::neuronlink {
namespace {

// Returns a number in (0, 1).
double uniform(perturb::Stream& stream) {
    return (static_cast<double>(stream.next() >> 11) + 0.5) * 0x1p-53;
}

}  // namespace

void Faults::set_rates(const FaultRates& rates) {
    for (const double rate : {rates.bit_errors, rates.drops}) {
        if (!(rate >= 0 && rate <= 1))
            throw std::invalid_argument(fmt::format("neuronlink fault rate is {}, expected 0 to 1", rate));
    }
    if (!stream_ || rates.seed != rates_.seed || rates.place != rates_.place)
        stream_.emplace(rates.seed, "neuronlink faults" + rates.place);
    rates_ = rates;
    until_error_ = rates.bit_errors > 0 ? draw_distance() : 0;
}

// Draws the number of good bits up to the next wrong one, geometrically distributed.
std::uint64_t Faults::draw_distance() {
    if (rates_.bit_errors >= 1) return 0;
    const double distance = std::log(uniform(*stream_)) / std::log1p(-rates_.bit_errors);
    return distance < 0x1p62 ? static_cast<std::uint64_t>(distance) : std::uint64_t{1} << 62;
}

void Faults::find_random_bits(std::uint64_t length, std::vector<std::uint64_t>& bits) {
    std::uint64_t place = 0;
    while (until_error_ < length - place) {
        place += until_error_;
        bits.push_back(place++);
        until_error_ = draw_distance();
    }
    until_error_ -= length - place;
}

Fate Faults::pass(Frame& frame) {
    const std::uint64_t number = frames_++;
    bool drop = rates_.drops > 0 && uniform(*stream_) < rates_.drops;
    std::vector<std::uint64_t> bits;
    const std::uint64_t length = 8 * FlitBytes * flits_of(frame);
    if (rates_.bit_errors > 0) find_random_bits(length, bits);
    if (!given_.empty()) {
        if (const auto given = given_.extract(number); !given.empty()) {
            if (!given.mapped()) drop = true;
            for (const std::uint64_t bit : given.mapped().value_or(std::vector<std::uint64_t>{}))
                bits.push_back(bit % length);
        }
    }
    if (drop) {
        ++statistics_.dropped;
        return Fate::Lost;
    }
    if (bits.empty()) return Fate::Whole;
    ++statistics_.damaged;
    frame.damaged = encode(frame);
    for (const std::uint64_t bit : bits) frame.damaged[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    return Fate::Damaged;
}

}  // namespace trnsim::tlm::neuronlink

#include "tlm/neuronlink/parameters.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <stdexcept>
#include <string_view>

#include "tlm/neuronlink/timing.hpp"

namespace trnsim::tlm::neuronlink {
namespace {

struct Range {
    std::string_view name;
    std::uint64_t Parameters::*member;
    std::uint64_t low, high;
};

constexpr std::array Ranges{
    Range{"lanes", &Parameters::lanes, 1, 64},
    Range{"lane_rate", &Parameters::lane_rate, 1'000'000, 1'000'000'000'000},
    Range{"latency", &Parameters::latency, FsPerNs, 1'000 * FsPerUs},
    Range{"receive_time", &Parameters::receive_time, 0, 1'000 * FsPerUs},
    Range{"buffer", &Parameters::buffer, 2, 16'384},
    Range{"replay", &Parameters::replay, 2, 16'384},
    Range{"ack_interval", &Parameters::ack_interval, 0, 1'000 * FsPerUs},
    Range{"retry_time", &Parameters::retry_time, FsPerNs, 100'000 * FsPerUs},
    Range{"retry_limit", &Parameters::retry_limit, 1, 1'000'000},
    Range{"give_up_time", &Parameters::give_up_time, 0, FsPerSecond},
    Range{"training_time", &Parameters::training_time, FsPerNs, FsPerSecond},
    Range{"data", &Parameters::data, 32, 32'768},
    Range{"endpoint_time", &Parameters::endpoint_time, 0, 1'000 * FsPerUs},
    Range{"requests", &Parameters::requests, 1, 4'096},
    Range{"served", &Parameters::served, 1, 4'096},
    Range{"timeout", &Parameters::timeout, FsPerUs, 10 * FsPerSecond},
};

void expect_at_least(std::string_view name, std::uint64_t value, std::uint64_t least, std::string_view why) {
    if (value < least) {
        throw std::invalid_argument(
            fmt::format("neuronlink {} is {}, expected at least {}: {}", name, value, least, why));
    }
}

}  // namespace

void check(const Parameters& parameters) {
    for (const Range& range : Ranges) {
        const std::uint64_t value = parameters.*range.member;
        if (value < range.low || value > range.high) {
            throw std::invalid_argument(fmt::format("neuronlink {} is {}, expected {} to {}", range.name,
                                                    value, range.low, range.high));
        }
    }
    if (!std::has_single_bit(parameters.data)) {
        throw std::invalid_argument(
            fmt::format("neuronlink data is {}, expected a power of two", parameters.data));
    }
    const std::uint64_t longest = flits_of(parameters.data);
    expect_at_least("buffer", parameters.buffer, longest, "the flits of a packet");
    expect_at_least("replay", parameters.replay, longest, "the flits of a packet");
    expect_at_least("retry_time", parameters.retry_time, acknowledgement_time(parameters),
                    "fs until an acknowledgement comes");
    expect_at_least("training_time", parameters.training_time,
                    parameters.latency + parameters.receive_time + wire_time(longest, parameters.lane_rate),
                    "fs until a frame has arrived that was sent on one lane");
}

}  // namespace trnsim::tlm::neuronlink

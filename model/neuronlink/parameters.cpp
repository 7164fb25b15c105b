#include "model/neuronlink/parameters.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <stdexcept>
#include <string_view>

#include "model/neuronlink/parameter_fault.hpp"
#include "model/neuronlink/timing.hpp"

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

// The lower bound of a value that follows from other values.
struct Least {
    std::string_view name;
    std::uint64_t value, least;
    std::string_view why;
};

}  // namespace

std::optional<ParameterFault> fault_of(const Parameters& parameters) {
    for (const Range& range : Ranges) {
        const std::uint64_t value = parameters.*range.member;
        if (value < range.low || value > range.high)
            return ParameterFault{range.name, value, range.low, range.high};
    }
    if (!std::has_single_bit(parameters.data)) return ParameterFault{"data", parameters.data};
    const std::uint64_t longest = flits_of(parameters.data);
    const Least least[] = {
        {"buffer", parameters.buffer, longest, "the flits of a packet"},
        {"replay", parameters.replay, longest, "the flits of a packet"},
        {"retry_time", parameters.retry_time, acknowledgement_time(parameters),
         "until an acknowledgement comes"},
        {"training_time", parameters.training_time,
         parameters.latency + parameters.receive_time + wire_time(longest, parameters.lane_rate),
         "until a frame has arrived that was sent on one lane"},
    };
    for (const Least& one : least) {
        if (one.value < one.least) return ParameterFault{one.name, one.value, one.least, 0, one.why};
    }
    return std::nullopt;
}

std::string expectation(const ParameterFault& fault,
                        const std::function<std::string(std::uint64_t)>& number) {
    if (fault.high != 0) return fmt::format("{} to {}", number(fault.low), number(fault.high));
    if (!fault.why.empty()) return fmt::format("at least {}: {}", number(fault.low), fault.why);
    return "a power of two";
}

void check(const Parameters& parameters) {
    if (const auto fault = fault_of(parameters)) {
        const auto number = [](std::uint64_t value) { return fmt::format("{}", value); };
        throw std::invalid_argument(fmt::format("neuronlink {} is {}, expected {}", fault->name, fault->value,
                                                expectation(*fault, number)));
    }
}

}  // namespace trnsim::tlm::neuronlink

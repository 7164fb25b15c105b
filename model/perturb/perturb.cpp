#include "model/perturb/perturb.hpp"

#include <algorithm>
#include <array>

namespace trnsim::tlm::perturb {
namespace {

constexpr Time Ns = 1'000'000;
constexpr Time ShortestPhase = 500 * Ns;
constexpr unsigned PhaseDoublings = 5;  // phases of 0.5 to 16 us

// The number of units in a delay, and the number of ticks in 64 that begin a stall, by pace.
constexpr std::array<std::uint64_t, 4> Scale{0, 1, 6, 40};
constexpr std::array<std::uint64_t, 4> StallsOf64{0, 2, 8, 24};

// The number of phases of each pace among 16.
constexpr std::array<int, 4> Shares{3, 6, 4, 3};

constexpr std::uint64_t Golden = 0x9e3779b97f4a7c15;

// The finaliser of SplitMix64.
std::uint64_t mix(std::uint64_t value) {
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
    value = (value ^ value >> 27) * 0x94d049bb133111eb;
    return value ^ value >> 31;
}

std::uint64_t hash(std::uint64_t start, std::string_view text) {
    std::uint64_t value = mix(start + Golden);
    for (const char c : text) value = mix(value ^ static_cast<unsigned char>(c));
    return value;
}

}  // namespace

Seed seed_of(Seed seed, addresses::CoreId core) {
    constexpr std::uint32_t Odd = 0x9e3779b9;  // gives every core another seed
    if (seed) *seed ^= (core.chip * addresses::CoresPerChip + core.core) * Odd;
    return seed;
}

Agent::Agent(Seed seed, std::string_view name) {
    if (!seed) return;
    key_ = hash(*seed, name);
    Stream stream(key_);
    period_ = ShortestPhase << stream.next() % PhaseDoublings;
    period_ += stream.next() % period_;
    constexpr std::array Biases{-3, -1, 0, 0, 1};  // some are not disturbed at all
    bias_ = Biases[stream.next() % Biases.size()];
}

// The pace is a function of time, so that all places of an agent agree.
Agent::Pace Agent::pace(Time at) const {
    int ticket = static_cast<int>(mix(key_ + (at / period_ + 1) * Golden) % 16);
    int pace = 0;
    while (ticket >= Shares[static_cast<std::size_t>(pace)])
        ticket -= Shares[static_cast<std::size_t>(pace++)];
    return static_cast<Pace>(std::clamp(pace + bias_, 0, 3));
}

Stream::Stream(std::uint32_t seed, std::string_view name) : state_(hash(seed, name)) {}

std::uint64_t Stream::next() {
    return mix(state_ += Golden);
}

std::uint64_t Stream::tail() {
    std::uint64_t length = 1;
    for (std::uint64_t bits = next(); bits % 8 == 0 && length < 256; bits /= 8) length *= 4;
    return length;
}

Delay::Delay(const Agent& agent, std::string_view place, Time unit)
    : agent_(agent), unit_(unit), stream_(hash(agent.key_, place)) {}

Time Delay::draw(Time at) {
    const Time most = 2 * unit_ * Scale[agent_.pace(at)] * stream_.tail();
    return most == 0 ? 0 : std::min(stream_.next() % most, LongestDelay);
}

Time Delay::between(Time first, Time last) {
    switch (stream_.next() % 3) {
        case 0:
            return first;
        case 1:
            return last;
        default:
            return first + stream_.next() % (last - first + 1);
    }
}

Stall::Stall(const Agent& agent, std::string_view place, std::uint64_t unit)
    : agent_(agent), stream_(hash(agent.key_, place)), unit_(unit) {}

Choice::Choice(const Agent& agent, std::string_view place) : stream_(hash(agent.key_, place)) {}

bool Stall::draw(Time at) {
    if (left_ != 0) {
        --left_;
        return true;
    }
    if (stream_.next() % 64 >= StallsOf64[agent_.pace(at)]) return false;
    left_ = stream_.next() % (unit_ * stream_.tail());
    return true;
}

}  // namespace trnsim::tlm::perturb

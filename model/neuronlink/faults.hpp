// Faults of one direction of a cable: frames that are lost and bits that change. They are either given frame
// by frame or drawn at random from a rate and a seed. Without faults a frame costs two comparisons.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/neuronlink/statistics.hpp"
#include "model/perturb/perturb.hpp"
#include "model/trace/sink.hpp"

namespace trnsim::tlm::neuronlink {

struct FaultRates {
    double bit_errors = 0;  // probability for each bit
    double drops = 0;       // probability for each frame
    std::uint32_t seed = 0;
    std::string place{};  // that the drawn faults depend on, beside the seed

    bool operator==(const FaultRates&) const = default;
};

// The state of a frame at the far end of a wire.
using Fate = trace::LinkFrame::Fate;

class Faults {
  public:
    // Sets the rates from now on. Another seed or place begins the random faults anew. Throws
    // std::invalid_argument for rates outside 0 to 1.
    void set_rates(const FaultRates& rates);

    // Drops the frame with this number, counted from 0 since the link was built; control frames count too.
    void drop(std::uint64_t frame) { given_[frame] = std::nullopt; }
    // Changes bits of a frame. `bits` has their numbers, modulo the length of the frame.
    void damage(std::uint64_t frame, std::vector<std::uint64_t> bits) { given_[frame] = std::move(bits); }

    // Applies the faults to the next frame.
    Fate pass(Frame& frame);

    std::uint64_t frames() const { return frames_; }  // so far
    const FaultStatistics& statistics() const { return statistics_; }

  private:
    std::uint64_t draw_distance();
    void find_random_bits(std::uint64_t length, std::vector<std::uint64_t>& bits);

    std::map<std::uint64_t, std::optional<std::vector<std::uint64_t>>> given_;  // no value: dropped
    FaultRates rates_;
    std::optional<perturb::Stream> stream_;  // none: there have been no rates
    std::uint64_t until_error_ = 0;          // good bits before the next wrong one
    std::uint64_t frames_ = 0;
    FaultStatistics statistics_;
};

}  // namespace trnsim::tlm::neuronlink

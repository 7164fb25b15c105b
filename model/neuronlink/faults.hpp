// What goes wrong on one direction of a cable: frames that are lost, bits that change. Either given, frame by
// frame, or at random by a rate and a seed. Without faults a frame costs two comparisons.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "model/neuronlink/statistics.hpp"
#include "model/perturb/perturb.hpp"

namespace trnsim::tlm::neuronlink {

struct FaultRates {
    double bit_errors = 0;  // a bit
    double drops = 0;       // a frame
    std::uint32_t seed = 0;
};

class Faults {
  public:
    // From now on. Throws std::invalid_argument for rates outside 0 to 1.
    void set_rates(const FaultRates& rates);

    // Of the frame with this number, counted from 0 since the link was built, control frames among them.
    void drop(std::uint64_t frame) { given_[frame] = std::nullopt; }
    // `bits`: numbers of those that change, modulo the length of the frame.
    void damage(std::uint64_t frame, std::vector<std::uint64_t> bits) { given_[frame] = std::move(bits); }

    // Applies them to the next frame; false: it is lost.
    bool pass(Frame& frame);

    std::uint64_t frames() const { return frames_; }  // so far
    const FaultStatistics& statistics() const { return statistics_; }

  private:
    std::uint64_t draw_distance();
    void find_random_bits(std::uint64_t length, std::vector<std::uint64_t>& bits);

    std::map<std::uint64_t, std::optional<std::vector<std::uint64_t>>> given_;  // nothing: dropped
    FaultRates rates_;
    perturb::Stream stream_;
    std::uint64_t until_error_ = 0;  // good bits before the next wrong one
    std::uint64_t frames_ = 0;
    FaultStatistics statistics_;
};

}  // namespace trnsim::tlm::neuronlink

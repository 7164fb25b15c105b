// The chips of a server that other processes simulate, seen from this process: frames to them, and what the
// processes exchange at the end of a window of time.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/neuronlink/elsewhere.hpp"
#include "model/processes/exchange.hpp"
#include "model/system/course.hpp"

namespace trnsim::tlm {

// Process p of n has chips p * chips / n up to (p + 1) * chips / n.
class OtherChips : public neuronlink::Elsewhere {
  public:
    // `exchange` null: all chips are here. Throws std::invalid_argument if there are more processes than
    // chips.
    OtherChips(processes::Exchange* exchange, unsigned chips);

    bool any() const { return exchange_ != nullptr && exchange_->size() > 1; }

    bool has(unsigned chip) const override { return any() && process_of(chip) != exchange_->rank(); }
    void send(neuronlink::End to, neuronlink::Frame frame, Time at) override;

    // Returns the state of all chips from that of this process. Frames of other processes go to `receive`.
    // `fault` says why this process cannot go on; if it is not empty, all processes throw SimulationError
    // with their first fault.
    using Receive = std::function<void(neuronlink::End to, neuronlink::Frame frame, Time at)>;
    Standing meet(Standing own, const std::string& fault, const Receive& receive);

    // Returns the texts of each process, by rank.
    std::vector<std::string> texts(const std::string& own);
    // Returns the texts in the first process, nothing in the others.
    std::vector<std::string> gather(const std::string& own);
    std::vector<std::uint64_t> numbers(std::uint64_t own);

  private:
    unsigned process_of(unsigned chip) const;
    std::vector<processes::Message> tell_all(const processes::Message& message);

    processes::Exchange* exchange_;
    unsigned chips_;
    std::vector<processes::Message> frames_;  // frames for each process
};

}  // namespace trnsim::tlm

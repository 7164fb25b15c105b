// The element of an output that --wave-element marks in the waveform of a run.
#pragma once

#include <optional>

#include "runtime/waves/element.hpp"
#include "testbench/trial/sighting.hpp"
#include "tools/cli/element_name.hpp"

namespace trnsim::cli {

struct RunRequest;

class MarkedElement {
  public:
    // Looks for the instruction or the combining transfer that computes the element, or for the transfer that
    // writes it. Throws std::runtime_error if nothing does, functional::Error and functional::Interrupted.
    MarkedElement(const NamedElement& element, const trial::Trial& trial,
                  const functional::RoundingControl& rounding, const functional::Limits& limits);

    // Sees the write in the run: its sink and its watch go to the machine.
    trial::Sighting& sighting() { return sighting_; }

    // Returns the element as the run has written it; nothing if it has not come to that.
    std::optional<waves::Element> element(const RunRequest& request, const runtime::Result& result) const;

  private:
    NamedElement named_;
    trial::Writer writer_;
    trial::Sighting sighting_;
};

}  // namespace trnsim::cli

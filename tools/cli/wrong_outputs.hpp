// Compares the outputs of a run with what they should be, and finds where wrong elements come from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "testbench/trial/provenance.hpp"
#include "tools/cli/element_name.hpp"
#include "tools/cli/golden_check.hpp"
#include "tools/cli/run_request.hpp"

namespace trnsim::cli {

// An element of an output that is wrong, and the write that gave it its value.
struct WrongElement {
    NamedElement element;
    trial::Writer writer;
};

class WrongOutputs {
  public:
    // Both arguments must outlive this object.
    WrongOutputs(const RunRequest& request, const runtime::Prepared& prepared)
        : request_(request), prepared_(prepared) {}

    // Returns the differences from --expect, a line each; none of a run that is not done.
    std::vector<std::string> disagreements(const runtime::Result& result);
    // Returns the differences from the interpreter's outputs, a line each.
    std::vector<std::string> differences(const GoldenCheck& check, const runtime::Result& result);

    // Returns the first wrong element that has been found, if its origin is known.
    const std::optional<WrongElement>& first() const { return first_; }

  private:
    // Returns where an element comes from. A user who wants no interpretation gets one only for a waveform.
    std::string origin_of(const NamedElement& element);

    const RunRequest& request_;
    const runtime::Prepared& prepared_;
    std::optional<WrongElement> first_;
};

}  // namespace trnsim::cli

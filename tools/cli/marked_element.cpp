#include "tools/cli/marked_element.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "testbench/functional/core_memory.hpp"
#include "tools/cli/run_request.hpp"

namespace trnsim::cli {
namespace {

constexpr const char* Unknown = "-";

trial::Writer find_writer(const NamedElement& element, const trial::Trial& trial,
                          const functional::RoundingControl& rounding, const functional::Limits& limits) {
    const auto writers = trial::writers_of(trial, rounding, element.tensor, element.element, limits);
    if (const trial::Writer* writer = trial::computed(writers)) return *writer;
    throw std::runtime_error(
        fmt::format("--wave-element {}: nothing writes it, expected an element of an output",
                    name_of(element, trial.package)));
}

// Returns the element of the run's output.
std::string output_text(const NamedElement& named, const RunRequest& request, const runtime::Result& result) {
    const neff::Tensor& tensor = request.package().tensors[named.tensor];
    const auto found = result.outputs.find(tensor.name);
    return found == result.outputs.end() ? Unknown : element_text(tensor, found->second, named.element);
}

}  // namespace

MarkedElement::MarkedElement(const NamedElement& element, const trial::Trial& trial,
                             const functional::RoundingControl& rounding, const functional::Limits& limits)
    : named_(element), writer_(find_writer(element, trial, rounding, limits)), sighting_(writer_) {}

std::optional<waves::Element> MarkedElement::element(const RunRequest& request,
                                                     const runtime::Result& result) const {
    const neff::Package& package = request.package();
    const auto time = sighting_.time(request.config, package, result.fidelity);
    if (!time) return std::nullopt;
    waves::Element element{
        .name = name_of(named_, package), .cycle = time->cycle, .expected = {}, .found = {}};
    const bool in_core = writer_.spot.place.space == neff::Pattern::Space::Core;
    if (in_core) element.name = fmt::format("{} of {}", trial::describe(package, writer_.spot), element.name);
    if (sighting_.watches())
        element.lane =
            functional::locate(package.target, static_cast<std::uint32_t>(writer_.spot.place.byte)).partition;
    const auto wanted = request.files.expected.find(package.tensors[named_.tensor].name);
    if (wanted != request.files.expected.end())
        element.expected =
            element_text(package.tensors[named_.tensor], npy::read(wanted->second), named_.element);
    else
        element.expected = writer_.bits ? trial::describe(writer_.spot.dtype, *writer_.bits) : Unknown;
    if (time->bits)
        element.found = trial::describe(writer_.spot.dtype, *time->bits);
    else
        element.found = sighting_.watches() ? (time->seen ? "not written" : Unknown)
                                            : output_text(named_, request, result);
    return element;
}

}  // namespace trnsim::cli

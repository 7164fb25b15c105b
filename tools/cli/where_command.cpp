// trnsim where
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>

#include "runtime/session/observer.hpp"
#include "runtime/session/relay.hpp"
#include "testbench/trial/events.hpp"
#include "testbench/trial/sighting.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/element_name.hpp"
#include "tools/cli/golden_check.hpp"
#include "tools/cli/run_kernel.hpp"
#include "tools/cli/run_request.hpp"
#include "tools/cli/signals.hpp"
#include "tools/command/progress_line.hpp"

namespace trnsim::cli {
namespace {

struct WhereOptions {
    RunOptions run;
    std::string element;
};

constexpr const char* NotReached = "the run did not come to it";

// `depth` is how many combinations come after it.
std::string row(const char* name, const std::string& text, std::size_t depth) {
    return fmt::format("{:{}}{:<12} {}\n", "", 2 + 2 * depth, name, text);
}

// Follows an element through a run of the kernel.
class Search {
  public:
    Search(const RunRequest& request, const NamedElement& element)
        : request_(request),
          element_(element),
          prepared_(runtime::prepare_contents(request.package(), request.config, request.inputs.front())),
          writers_(trial::writers_of(trial_of(request.package(), request.config, prepared_),
                                     rounding_with(request, prepared_), element.tensor, element.element,
                                     request.limits)) {}

    bool found() const { return !writers_.empty(); }

    // Runs the kernel. Throws tlm::SimulationError.
    const runtime::Result& run(const Environment& environment) {
        const trial::Writer& writer = *trial::computed(writers_);
        sighting_.emplace(writer);
        runtime::Observer observer(request_.package(), nullptr);
        runtime::Relay further, sink;
        further.attach(&events_, &*sighting_);
        sink.attach(&observer, &further);
        runtime::MachineOptions device = request_.device;
        device.sink = &sink;
        device.watch = sighting_->watch();
        const auto machine = environment.machine(request_.config, device);
        ProgressLine line(environment.err);
        prepared_.run.progress = [&](const runtime::Progress& progress) {
            if (environment.shows_progress()) line.show(progress);
            return !InterruptGuard::interrupted();
        };
        result_ = runtime::execute(*machine, request_.package(), prepared_, observer);
        return result_;
    }

    std::string text() const {
        const neff::Package& package = request_.package();
        std::string text = fmt::format("{} of {}: {}\n", name_of(element_, package), package.name, value());
        return text + history(0, 0);
    }

  private:
    static functional::RoundingControl rounding_with(const RunRequest& request, runtime::Prepared& prepared) {
        prepared.run = request.with_state();
        return rounding_of(prepared);
    }

    std::string value() const {
        const neff::Tensor& tensor = request_.package().tensors[element_.tensor];
        const auto output = result_.outputs.find(tensor.name);
        if (output != result_.outputs.end()) return element_text(tensor, output->second, element_.element);
        const trial::Writer& writer = writers_.front();
        return writer.bits ? trial::describe(writer.spot.dtype, *writer.bits) + " by the interpreter" : "-";
    }

    // Returns the rows of a write and of those before it that its value comes from, each step of combinations
    // further to the right.
    std::string history(std::size_t index, std::size_t depth) const {
        const trial::Writer& writer = writers_[index];
        if (!writer.transfer) return computed_text(writer, depth);
        std::string text = row(writer.combined ? "combined by" : "written by", transfer_text(writer), depth);
        if (writer.combined) {
            for (const trial::Source& source : writer.sources) {
                text += row(source.role.c_str(), place_of(source), depth);
                text += source.write ? history(*source.write, depth + 1) : origin_row(source, depth + 1);
            }
            return text;
        }
        if (writer.sources.empty())
            return text + row("value", "that of a collective; no instruction computes it", depth);
        const trial::Source& source = writer.sources.front();
        return text + (source.write ? history(*source.write, depth) : origin_row(source, depth));
    }

    // Says what a transfer moves if no write that is followed comes before it.
    std::string origin_row(const trial::Source& source, std::size_t depth) const {
        const std::string place = trial::describe(request_.package(), source.first);
        if (!source.writer.empty())
            return row("value",
                       fmt::format("that of {}, written by {}; earlier writes are not followed", place,
                                   source.writer),
                       depth);
        return row("value",
                   trial::is_unwritten(request_.package(), source)
                       ? fmt::format("whatever {} holds: nothing has written it", place)
                       : fmt::format("that of {}; no instruction computes it", place),
                   depth);
    }

    std::string computed_text(const trial::Writer& writer, std::size_t depth) const {
        std::string text = row("computed by", writer.text, depth);
        text += row("there", place_text(writer), depth);
        text += row("cycle", cycle_text(writer), depth);
        const char* name = "from";
        for (const trial::Source& source : writer.sources)
            text += row(std::exchange(name, ""), source_text(source), depth);
        const neff::Tensor& tensor = request_.package().tensors[element_.tensor];
        if (writer.spot.dtype != tensor.dtype && writer.bits)
            text += row("as computed", trial::describe(writer.spot.dtype, *writer.bits), depth);
        return text;
    }

    std::string place_of(const trial::Source& source) const {
        const std::string place = trial::describe(request_.package(), source.first);
        return source.bits ? place + ": " + trial::describe(source.first.dtype, *source.bits) : place;
    }

    std::string transfer_text(const trial::Writer& writer) const {
        std::string text = writer.text;
        if (writer.combined)
            text += fmt::format(", {} of what it moves and what was there", isa::name_of(*writer.combined));
        else
            text += fmt::format(", from {}",
                                writer.sources.empty()
                                    ? "a collective"
                                    : trial::describe(request_.package(), writer.sources.front().first));
        if (const auto event = events_.find(writer.step.engine, writer.number))
            text += fmt::format(", triggered by {} in cycle {}", isa::name_of(writer.step.engine),
                                event->completion_cycle);
        return text;
    }

    std::string place_text(const trial::Writer& writer) const {
        std::string text = trial::describe(request_.package(), writer.spot);
        if (writer.elements != 0)
            text += fmt::format(", element {} of {} in its partition", writer.index, writer.elements);
        return text;
    }

    std::string cycle_text(const trial::Writer& writer) const {
        // The machine has watched one write.
        if (&writer != trial::computed(writers_)) {
            const auto event = events_.find(writer.step.engine, writer.number);
            return event ? fmt::format("issued in {}, complete in {}", event->issue_cycle,
                                       event->completion_cycle)
                         : NotReached;
        }
        const auto time = sighting_->time(request_.config, request_.package(), result_.fidelity);
        if (!time) return NotReached;
        const std::string whole = fmt::format("issued in {}, complete in {}", time->issue, time->completion);
        std::string text = time->seen
                               ? fmt::format("{} ({})", time->cycle, whole)
                               : fmt::format("about {}, by the instruction's cost ({})", time->cycle, whole);
        if (time->bits && writer.bits && *time->bits != *writer.bits)
            text += fmt::format(", wrote {}, expected {}", trial::describe(writer.spot.dtype, *time->bits),
                                trial::describe(writer.spot.dtype, *writer.bits));
        return text;
    }

    std::string source_text(const trial::Source& source) const {
        std::string text =
            fmt::format("{} {}", source.role, trial::describe(request_.package(), source.first));
        if (source.elements > 1) text += fmt::format(" and {} more elements", source.elements - 1);
        if (source.partitions > 1) text += fmt::format(" in {} partitions", source.partitions);
        if (source.bits) text += ": " + trial::describe(source.first.dtype, *source.bits);
        if (!source.writer.empty())
            text += ", written by " + source.writer;
        else if (trial::is_unwritten(request_.package(), source))
            text += ", which nothing has written";
        return text;
    }

    const RunRequest& request_;
    NamedElement element_;
    runtime::Prepared prepared_;
    std::vector<trial::Writer> writers_;
    trial::Events events_;
    std::optional<trial::Sighting> sighting_;
    runtime::Result result_;
};

int where(const WhereOptions& options, const Environment& environment) {
    if (!options.run.outputs.empty())
        throw std::runtime_error("--output: where writes no files, expected trnsim run for them");
    const RunRequest request = parse(options.run);
    const NamedElement element = parse_element("element", options.element, request.package());
    if (request.package().tensors[element.tensor].kind == neff::TensorKind::Input)
        throw std::runtime_error(fmt::format("element {}: an input, which nothing writes, expected one of {}",
                                             options.element,
                                             loader::names_of(request.package(), neff::is_output)));
    try {
        const InterruptGuard guard;
        Search search(request, element);
        if (!search.found()) {
            environment.err << fmt::format("trnsim: {}: nothing writes it\n", options.element);
            return SimulationError;
        }
        const runtime::Result& result = search.run(environment);
        environment.out << search.text();
        if (result.done()) return Success;
        environment.err << fmt::format("trnsim: {}\n", result.message);
    } catch (const functional::Error& error) {
        environment.err << fmt::format("trnsim: {}: {}\n", options.run.kernel, error.what());
    } catch (const functional::Interrupted& error) {
        environment.err << fmt::format("trnsim: {}: {}\n", options.run.kernel, error.what());
    } catch (const tlm::SimulationError& error) {
        environment.err << fmt::format("trnsim: {}\n", error.what());
    }
    return SimulationError;
}

}  // namespace

void declare_where(Subcommand app, const Environment& environment, int& status) {
    auto options = std::make_shared<WhereOptions>();
    options->run.random_inputs = 0;
    declare_kernel_options(app, options->run);
    app.add_option("element", options->element, "Element of an output, NAME[I,...], such as 'y[5,700]'")
        .required();
    app.add_option("--fidelity", options->run.fidelity,
                   "Model of the core: rtl, which says in which cycle the element is written, or fast, which "
                   "says it of its instruction")
        .show_default();
    declare_limits(app, options->run);
    app.callback([options, &environment, &status] { status = where(*options, environment); });
}

}  // namespace trnsim::cli

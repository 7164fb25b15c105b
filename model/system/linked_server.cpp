#include "model/system/linked_server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "arch/checkpoint/archive.hpp"
#include "model/system/load_server.hpp"

namespace trnsim::tlm {
namespace {

chip::Slots slots_of(const config::Server& server, unsigned chip, const LinkedOptions& options,
                     bool several) {
    chip::Slots slots;
    for (const config::CoreKind kind : server.slots[chip]) {
        const bool rtl = kind == config::CoreKind::Rtl, refused = rtl && several;
        const CoreFactory& make = rtl ? options.rtl : options.fast;
        if (kind == config::CoreKind::None) {
            slots.emplace_back();
        } else if (make && !refused) {
            slots.push_back(make);
        } else {
            throw std::invalid_argument(fmt::format("{}: chip {} has a slot of kind {}, expected {}",
                                                    server.name, chip, config::name_of(kind),
                                                    refused ? "none or fast in several processes" : "none"));
        }
    }
    return slots;
}

std::vector<ChipSetup> chips_of(const config::Server& server, const LinkedOptions& options,
                                const OtherChips& others) {
    std::vector<ChipSetup> chips;
    for (unsigned chip = 0; chip < server.chips(); ++chip) {
        chip::Slots slots = slots_of(server, chip, options, others.any());
        if (others.has(chip)) continue;
        chips.push_back({std::move(slots),
                         {.number = chip,
                          .sink = options.sink,
                          .check_protocol = options.check_protocol,
                          .perturb = options.perturb,
                          .random_memory = options.random_memory,
                          .linked = true,
                          .collectives = options.collectives,
                          .between_cores = server.links.between_cores}});
    }
    return chips;
}

// Returns whether each chip is in this process.
std::vector<bool> here_of(const OtherChips& others, unsigned chips) {
    std::vector<bool> here(chips);
    for (unsigned chip = 0; chip < chips; ++chip) here[chip] = !others.has(chip);
    return here;
}

}  // namespace

LinkedServer::LinkedServer(const config::Server& description, const LinkedOptions& options)
    : description_(description),
      others_(options.exchange, description_.chips()),
      server_(description_.chip, chips_of(description_, options, others_), others_.any()),
      network_("links", link_topology(description_), link_parameters(description_.links),
               {.perturb = options.perturb,
                .sink = options.sink,
                .elsewhere = others_.any() ? &others_ : nullptr}),
      faults_(description_, network_, here_of(others_, description_.chips())),
      traced_(options.sink != nullptr) {
    for (unsigned chip = 0; chip < description_.chips(); ++chip) {
        if (!here(chip)) continue;
        neuronlink::Endpoint& endpoint = network_.node(chip).endpoint;
        server_.chip(chip).bind_links(endpoint.from_chip.socket, endpoint.to_chip.socket);
    }
}

// A frame that is sent in a window arrives after its end, so that every process has it in time.
RunResult LinkedServer::run(std::uint64_t limit, const std::function<bool()>& watch) {
    server_.advance(0);
    Course course(description_.chip.runtime.timeout, limit, progress_);
    for (Standing standing = meet("", true);;
         standing = pass(course.step(description_.links.latency), watch)) {
        if (auto result = course.result(standing, [this] { return state(); })) {
            if (result->outcome != Outcome::Done) result->message += first_report();
            return *result;
        }
        if (!standing.goes_on) return course.stopped();
    }
}

// Lets a window pass; after it every process knows the state of all chips. No core runs beyond its end: how
// far one would run depends on the chips that are simulated beside it. Chips are simulated one after the
// other unless cores run, a trace wants events in the order of their times, or a link may be given up.
Standing LinkedServer::pass(Time window, const std::function<bool()>& watch) {
    edge_.notify_at(now() + window);
    const bool by_chips = !held_ && !traced_ && server_.clocks_rest() && network_.undisturbed();
    std::string fault;
    try {
        if (by_chips) {
            server_.advance_by_chips(window);
        } else {
            server_.advance(window);
        }
    } catch (const SimulationError& error) {
        fault = error.what();
    }
    edge_.cancel();
    return meet(fault, !watch || watch());
}

std::optional<RunResult> LinkedServer::quiesce(const std::function<bool()>& watch) {
    const Time begin = now(), deadline = begin + description_.chip.runtime.timeout;
    server_.hold();
    held_ = true;
    for (;;) {
        const Standing standing = pass(description_.links.latency, watch);
        if (standing.failure)
            return RunResult{standing.failure->outcome, standing.failure->message + first_report(), begin,
                             now()};
        if (!standing.goes_on) return RunResult{Outcome::TimeLimit, "", begin, now()};
        if (standing.quiescent) return std::nullopt;
        if (now() >= deadline || !standing.pending)
            throw SimulationError(fmt::format("checkpoint: what is under way {} end: {}",
                                              standing.pending ? "does not" : "cannot", state()));
    }
}

void LinkedServer::resume() {
    held_ = false;
    server_.resume();
}

void LinkedServer::load(const checkpoint::SystemState& state) {
    server_.load(state);
    progress_.moved = now();
}

// Saves in the order of the processes, which is that of the chips.
void LinkedServer::save(checkpoint::SystemState& state) {
    server_.save(state);
    if (whole()) return;
    checkpoint::Writer writer;
    checkpoint::archive(writer, state.chips);
    const std::vector<std::string> parts = others_.gather({writer.data().begin(), writer.data().end()});
    if (!parts.empty()) state.chips.clear();
    for (const std::string& part : parts) {
        checkpoint::Reader reader({reinterpret_cast<const std::uint8_t*>(part.data()), part.size()});
        std::vector<checkpoint::ChipState> chips;
        checkpoint::archive(reader, chips);
        std::ranges::move(chips, std::back_inserter(state.chips));
    }
}

// A request that was given up may still take place, and a frame on a wire is in no queue.
void LinkedServer::reset() {
    constexpr unsigned Rest = 16;  // latencies
    server_.reset();
    if (network_.reports().empty()) return;
    const Time deadline = now() + description_.chip.runtime.timeout;
    for (unsigned rest = 0; rest < Rest && now() < deadline;) {
        server_.advance(description_.links.latency);
        rest = network_.idle() ? rest + 1 : 0;
    }
    server_.reset();
    network_.clear_reports();
}

Standing LinkedServer::meet(const std::string& fault, bool goes_on) {
    Standing own = server_.standing();
    own.goes_on = goes_on;
    own.quiescent = held_ && server_.quiescent() && network_.at_rest();
    return others_.meet(own, fault, [this](neuronlink::End to, neuronlink::Frame frame, Time at) {
        network_.receive(to, std::move(frame), at);
    });
}

std::string LinkedServer::state() {
    std::string all;
    for (const std::string& text : others_.texts(server_.state())) {
        if (!text.empty()) all += (all.empty() ? "" : "; ") + text;
    }
    return all;
}

// Returns the first report of the links of all processes.
std::string LinkedServer::first_report() {
    const std::vector<std::uint64_t> times = others_.numbers(network_.first_report_at());
    const std::vector<std::string> texts =
        others_.texts(network_.reports().empty() ? "" : network_.reports().front());
    const std::string& first =
        texts[static_cast<std::size_t>(std::ranges::min_element(times) - times.begin())];
    return first.empty() ? "" : "; links: " + first;
}

void LinkedServer::leave() {
    server_.leave();
    network_.leave();
}

std::uint64_t LinkedServer::largest(std::uint64_t own) {
    const std::vector<std::uint64_t> all = others_.numbers(own);
    return *std::ranges::max_element(all);
}

std::uint64_t LinkedServer::sum(std::uint64_t own) {
    const std::vector<std::uint64_t> all = others_.numbers(own);
    return std::accumulate(all.begin(), all.end(), std::uint64_t{0});
}

}  // namespace trnsim::tlm

#include "tools/cli/checkpoint_options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>

#include "arch/checkpoint/file.hpp"
#include "arch/config/units.hpp"
#include "base/time/cycles.hpp"
#include "base/time/time.hpp"

namespace trnsim::cli {
namespace {

// Returns fs of simulated time; a number is a core cycle, which begins at the next whole femtosecond.
std::uint64_t parse_moment(const char* option, const std::string& text, std::uint64_t clock_hz) {
    std::uint64_t cycle = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cycle);
    if (error == std::errc() && end == text.data() + text.size() && cycle < FsPerSecond)
        return cycles_to_time(cycle, clock_hz);
    const auto time = config::parse_quantity(text, config::Quantity::Time);
    if (!time)
        throw std::runtime_error(
            fmt::format("{} {}: expected a time such as '12 us', or a core cycle", option, text));
    return *time;
}

}  // namespace

void declare_checkpoint_options(command::Subcommand app, CheckpointOptions& options, const char* switches) {
    app.add_option("--switch-to-rtl-at", options.switch_at, switches).type_name("AT");
    app.add_option("--checkpoint-at", options.checkpoint_at,
                   "Simulated time, with a unit, or core cycle of --save-checkpoint")
        .type_name("AT");
    app.add_option("--save-checkpoint", options.save_checkpoint,
                   "Saves the state of the system there to this file; the run goes on")
        .type_name("FILE");
    app.add_option("--resume", options.resume,
                   "Goes on from a saved state, which has the inputs, on either fidelity")
        .type_name("FILE");
}

void check_checkpoint_options(const CheckpointOptions& options, const GivenOptions& absent,
                              const GivenOptions& saved) {
    const bool switches = options.switches(), saves = options.saves(), resumes = options.resumes();
    if (!options.checkpoint_at.empty() && !saves)
        throw std::runtime_error("--checkpoint-at: expected --save-checkpoint with it");
    if (!options.checkpoint_at.empty() && switches)
        throw std::runtime_error(
            "--checkpoint-at: expected no --switch-to-rtl-at with it, at which --save-checkpoint saves as "
            "well");
    if (saves && options.checkpoint_at.empty() && !switches)
        throw std::runtime_error("--save-checkpoint: expected --checkpoint-at or --switch-to-rtl-at with it");
    if (!switches && !saves && !resumes) return;
    for (const auto& [option, given] : absent)
        if (given)
            throw std::runtime_error(fmt::format("{}: no checkpoint has it, expected no {} with it", option,
                                                 resumes    ? "--resume"
                                                 : switches ? "--switch-to-rtl-at"
                                                            : "--save-checkpoint"));
    for (const auto& [option, given] : saved)
        if (given && resumes)
            throw std::runtime_error(
                fmt::format("{}: expected no --resume with it, as the run has begun already", option));
}

std::optional<runtime::CheckpointRequest> parse_checkpoint(const CheckpointOptions& options,
                                                           std::uint64_t clock_hz) {
    runtime::CheckpointRequest request;
    if (options.switches()) {
        request.at = parse_moment("--switch-to-rtl-at", options.switch_at, clock_hz);
        request.switch_model = true;
    } else if (!options.checkpoint_at.empty()) {
        request.at = parse_moment("--checkpoint-at", options.checkpoint_at, clock_hz);
    } else {
        return std::nullopt;
    }
    if (options.saves()) {
        request.save = [file = options.save_checkpoint](checkpoint::SystemState& state) {
            checkpoint::write(file, state);
        };
    }
    return request;
}

std::optional<checkpoint::SystemState> read_checkpoint(const CheckpointOptions& options) {
    if (!options.resumes()) return std::nullopt;
    return checkpoint::read(options.resume);
}

std::string checkpoint_missed(const CheckpointOptions& options) {
    return fmt::format("the run ended before {}, expected a moment in it",
                       options.switches() ? "--switch-to-rtl-at" : "--checkpoint-at");
}

}  // namespace trnsim::cli

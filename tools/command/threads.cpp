#include "tools/command/threads.hpp"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>

namespace trnsim::command {
namespace {

constexpr unsigned MaxThreads = 64;

}  // namespace

void declare_threads(Subcommand app, std::string& threads) {
    app.add_option("--threads", threads,
                   "Threads of a simulated core, whose results do not depend on it; it has work for two")
        .type_name("N")
        .show_default();
}

unsigned parse_threads(const std::string& text) {
    unsigned threads = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), threads);
    if (error != std::errc() || end != text.data() + text.size() || threads < 1 || threads > MaxThreads)
        throw std::runtime_error(
            fmt::format("--threads {}: expected a whole number from 1 to {}", text, MaxThreads));
    return threads;
}

}  // namespace trnsim::command

// Records the RTL's runs of kernels and random programs once, then compares the fast core's runs with the
// recording. This saves the RTL's time, which is nearly all of the time of a comparison:
//
//     replay record FILE FIRST LAST  records batches of random programs FIRST to LAST,
//                                    and the small kernels if FIRST is 0
//     replay check FILE              ends with 1 at the first subject on which the fast core differs
#include <fmt/format.h>
#include <zlib.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/jobs/isolated.hpp"
#include "model/core/fast/fast_core.hpp"
#include "model/core/rtl/load_core_model.hpp"
#include "testbench/parity/observation.hpp"
#include "testbench/parity/subjects.hpp"

namespace trnsim {
namespace {

constexpr std::uint64_t Seed = 1, Batch = 5;

config::Config core() {
    config::Config config = config::load("small16");
    config.runtime.timeout = 2'000'000'000'000;  // fs; a fault may make it wait for ever
    return config;
}

std::vector<std::string> names(std::uint64_t first, std::uint64_t last) {
    std::vector<std::string> names;
    for (std::uint64_t batch = first; batch <= last; ++batch)
        names.push_back(fmt::format("programs {}", batch));
    if (first == 0) names.insert(names.end(), parity::small_kernels().begin(), parity::small_kernels().end());
    return names;
}

parity::Subject subject_of(const std::string& name) {
    constexpr std::string_view Programs = "programs ";
    if (!name.starts_with(Programs)) return parity::kernel_of_text(core(), name, Seed);
    const std::uint64_t first = std::stoull(name.substr(Programs.size())) * Batch;
    return parity::programs(core(), Seed, first, first + Batch - 1);
}

// Returns a digest of the observation without the host's time.
std::string digest(const parity::Subject& subject, const tlm::CoreFactory& core) {
    parity::Observation observation =
        parity::observe(subject.package, subject.config, subject.inputs, subject.rounding, core);
    observation.seconds = 0;
    std::vector<std::uint64_t> times;  // the structures have padding
    for (auto& instructions : observation.instructions) {
        for (const parity::Instruction& instruction : instructions)
            times.insert(times.end(), {instruction.place, instruction.issued, instruction.completed});
        times.push_back(instructions.size());
        instructions.clear();
    }
    const std::string text = parity::to_text(observation);
    const auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size());
    return fmt::format("{:08x}", crc32_z(crc, reinterpret_cast<const Bytef*>(times.data()),
                                         times.size() * sizeof(times.front())));
}

int record(const std::string& path, std::uint64_t first, std::uint64_t last) {
    std::ofstream file(path);
    for (const std::string& name : names(first, last)) {
        const parity::Subject subject = subject_of(name);
        file << jobs::run_isolated(
                    [&] { return digest(subject, tlm::core_rtl::load_core(subject.config, 1)); })
             << ' ' << name << '\n';
    }
    if (!file.flush()) throw std::runtime_error(path + ": cannot be written");
    return 0;
}

int check(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error(path + ": cannot be read");
    std::uint64_t subjects = 0;
    for (std::string line; std::getline(file, line); ++subjects) {
        const std::size_t space = line.find(' ');
        const parity::Subject subject = subject_of(line.substr(space + 1));
        const std::string found =
            jobs::run_isolated([&] { return digest(subject, tlm::core_fast::make_core(subject.config)); });
        if (found == line.substr(0, space)) continue;
        fmt::print("{}: {}, expected {}\n", subject.name, found, line.substr(0, space));
        return 1;
    }
    if (subjects == 0) throw std::runtime_error(path + " has no line, expected those of `record`");
    return 0;
}

int run(const std::vector<std::string>& words) {
    if (words.size() == 5 && words[1] == "record")
        return record(words[2], std::stoull(words[3]), std::stoull(words[4]));
    if (words.size() == 3 && words[1] == "check") return check(words[2]);
    throw std::runtime_error("usage: replay record FILE FIRST LAST | replay check FILE");
}

}  // namespace
}  // namespace trnsim

int sc_main(int count, char** words) {
    try {
        return trnsim::run({words, words + count});
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 2;
    }
}

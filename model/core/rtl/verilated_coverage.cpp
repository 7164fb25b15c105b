#include "verilated_coverage.hpp"

#if VM_COVERAGE

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <verilated_cov.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

namespace trnsim::tlm {
namespace {

using Counts = std::map<std::string, std::uint64_t>;

void add(Counts& counts, const std::string& path) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        const auto end = line.rfind(' ');
        if (line.starts_with("C '")) counts[line.substr(0, end)] += std::stoull(line.substr(end + 1));
    }
}

}  // namespace

// Adds to one file: a run makes thousands of models, in several processes at a time, and a file for each
// would fill the disk.
void save_coverage(VerilatedContext& context, const char* model) {
    if (const char* folder = std::getenv("TRNSIM_RTL_COVERAGE_DIR")) {
        const std::string sum = std::string(folder) + "/" + model + ".dat";
        const std::string own = sum + "." + std::to_string(::getpid());
        const int lock = ::open((sum + ".lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
        ::flock(lock, LOCK_EX);
        Counts counts;
        context.coveragep()->write(own.c_str());
        add(counts, sum);
        add(counts, own);
        std::ofstream file(own);
        for (const auto& [point, count] : counts) file << point << ' ' << count << '\n';
        file.close();
        std::rename(own.c_str(), sum.c_str());
        ::close(lock);
    }
    context.coveragep()->clear();
}

}  // namespace trnsim::tlm

#endif

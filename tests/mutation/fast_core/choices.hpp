// A program may have many faults; an environment variable chooses one. sites.py puts these calls into the
// sources.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace trnsim::mutation {

constexpr unsigned MaxFaults = 1 << 16;

inline const unsigned chosen = [] {
    const char* text = std::getenv("TRNSIM_FAULT");
    return text == nullptr ? 0U : static_cast<unsigned>(std::stoul(text));
}();

// A file of MaxFaults bytes in which this process and its children mark the sites that they reach; null if
// the variable is not set.
inline unsigned char* const reached = []() -> unsigned char* {
    const char* path = std::getenv("TRNSIM_FAULTS_REACHED");
    if (path == nullptr) return nullptr;
    const int file = open(path, O_RDWR);
    void* const bytes =
        file < 0 ? MAP_FAILED : mmap(nullptr, MaxFaults, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (bytes == MAP_FAILED) std::abort();
    close(file);
    return static_cast<unsigned char*>(bytes);
}();

template <unsigned Fault>
bool on() {
    if (reached != nullptr) reached[Fault] = 1;
    return chosen == Fault;
}

// Returns the result of `Was` for the operands, or that of `New` with the fault.
template <unsigned Fault, typename Was, typename New, typename A, typename B>
auto either(const A& a, const B& b) {
    using Result = decltype(Was{}(a, b));
    return on<Fault>() ? static_cast<Result>(New{}(a, b)) : Was{}(a, b);
}

struct Left {
    constexpr auto operator()(const auto& a, const auto& b) const { return a << b; }
};
struct Right {
    constexpr auto operator()(const auto& a, const auto& b) const { return a >> b; }
};

}  // namespace trnsim::mutation

// Readers of bytes from outside, each as a function of arbitrary bytes.
//
// A target returns for any input: its reader either accepts the bytes, and then gives them back unchanged
// through its writer, or refuses them with one line. Anything else leaves a target as an exception, which
// libFuzzer (fuzzer_main.cpp) and GoogleTest (corpus_test.cpp) report.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string_view>

namespace trnsim::fuzz {

using Bytes = std::span<const std::uint8_t>;

void config(Bytes input);      // the text of a configuration file; `base.yaml` beside it holds every key
void firmware(Bytes input);    // an ELF file or the file of an image; see firmware_target.cpp
void neff(Bytes input);        // a file, a tar, or members "\n=== path\n" contents; see neff_target.cpp
void npy(Bytes input);         // a file
void hlo(Bytes input);         // a module; see hlo_target.cpp
void filter(Bytes input);      // the text of a filter of a sweep
void descriptor(Bytes input);  // descriptors in a ring and actions on it; see descriptor_target.cpp

struct Target {
    std::string_view name;  // the name of its folder in corpus, too
    void (*run)(Bytes);
};

inline constexpr Target Targets[] = {{"config", config}, {"firmware", firmware}, {"neff", neff},
                                     {"npy", npy},       {"filter", filter},     {"descriptor", descriptor},
                                     {"hlo", hlo}};

struct Violation : std::logic_error {
    using std::logic_error::logic_error;
};

inline void expect(bool holds, const char* what) {
    if (!holds) throw Violation(what);
}

// Checks that the message of a refusal is one printable line.
inline void expect_line(std::string_view message) {
    expect(!message.empty(), "a message without text");
    for (const char c : message) {
        expect(static_cast<unsigned char>(c) >= ' ' && c != 0x7f, "a message with control characters");
    }
}

}  // namespace trnsim::fuzz

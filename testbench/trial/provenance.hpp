// Where an element of a tensor comes from: the transfers that moved it, the instruction that computed it, and
// that instruction's operands.
//
// The interpreter runs the kernel with its inputs in the order in which every transfer is complete as soon as
// it is triggered. A kernel without races writes the same elements by the same instructions in any order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/neff/ring_order.hpp"
#include "testbench/functional/watcher.hpp"
#include "testbench/trial/step.hpp"
#include "testbench/trial/trial.hpp"

namespace trnsim::trial {

// An element of a tensor, or of the memories of a core.
struct Spot {
    functional::Place place;
    isa::Dtype dtype = isa::Dtype::U8;
};

// Returns e.g. "y [5, 700]" or "sbuf[5+0x2bc]".
std::string describe(const neff::Package& package, const Spot& spot);

// Elements that an element was made from.
struct Source {
    std::string role;            // "a", "b", "moving", "stationary", "before", "source"; "moved"
    Spot first;                  // the first of them
    std::uint64_t elements = 1;  // of a partition
    std::uint64_t partitions = 1;
    std::optional<std::uint64_t> bits = {};  // storage bits of a single element; none: not known
    std::string writer = {};                 // the last write of the first one; empty: an input, or none
    // That write among the ones returned by writers_of(); set for a transfer, whose sources are followed.
    std::optional<std::size_t> write = {};
};

// A write of an element.
struct Writer {
    Spot spot;                               // the element
    Step step;                               // the instruction; that of a transfer is its trigger
    std::size_t number = 0;                  // index of the step among those of its engine, from 0
    std::optional<neff::Firing> transfer{};  // set if a transfer wrote it
    std::optional<isa::AluOp> combined{};    // set if that combines what it moves with what was there
    std::string text;                        // e.g. "vector instruction 3 [tensor_copy ...] at kernel.cpp:31"
    std::size_t index = 0, elements = 0;     // of an instruction: place among its results in a partition
    std::optional<std::uint32_t> twin{};     // address of the result that its first partition has there
    std::optional<std::uint64_t> bits{};     // storage bits that it wrote
    std::vector<Source> sources{};
};

// Returns the writes from the last one, which gave the tensor its element, back to the instructions that
// computed it, or to transfers from a place that nothing has written; empty if nothing writes the element. A
// transfer has one source, the place it moves the element from; one that combines has two, the place that it
// moves from and its own destination before, and both are followed. At most 64 writes are returned. Throws
// functional::Error, as for a deadlock and beyond a limit, and functional::Interrupted; races do not matter.
std::vector<Writer> writers_of(const Trial& trial, const functional::RoundingControl& rounding,
                               std::size_t tensor, std::size_t element,
                               const functional::Limits& limits = {});

// Returns the write of the element at a core-window address by an engine's step number `number`; nothing if
// that does not write it. Throws functional::Error.
std::optional<Writer> write_of(const Trial& trial, const functional::RoundingControl& rounding,
                               isa::Engine engine, std::size_t number, std::uint32_t address);

// Returns the write that gave the element its value: the one by an instruction or by a transfer that combines,
// else the last one; null if there is none.
const Writer* computed(const std::vector<Writer>& writers);

// Returns whether nothing has written a place before a kernel moves it: neither the kernel nor its caller.
bool is_unwritten(const neff::Package& package, const Source& source);

// Returns e.g. "; computed by vector instruction 3 [...] at kernel.cpp:31", "; moved from input a [2, 4] by
// transfer 0 'load a'" or "; add of sbuf[0+0x8] and y [2, 4] by transfer 3 'combine y'"; empty for no writers.
std::string origin_text(const neff::Package& package, const std::vector<Writer>& writers);

}  // namespace trnsim::trial

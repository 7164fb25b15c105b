// A compiled kernel in memory: the result of the kernel builder, the content of a NEFF file, the input of the
// runtime.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arch/target/target.hpp"
#include "compiler/collectives/request.hpp"
#include "isa/instruction.hpp"

namespace trnsim::neff {

constexpr int EngineCount = 5;  // index: isa::Engine

// An Update is passed in like an input, changed in place and passed back like an output.
enum class TensorKind : std::uint8_t { Input, Output, Scratch, Update };

constexpr bool is_input(TensorKind kind) {
    return kind == TensorKind::Input || kind == TensorKind::Update;
}
constexpr bool is_output(TensorKind kind) {
    return kind == TensorKind::Output || kind == TensorKind::Update;
}

// A tensor in HBM, C order, densely packed.
struct Tensor {
    std::string name;
    TensorKind kind = TensorKind::Input;
    isa::Dtype dtype = isa::Dtype::Fp32;
    std::vector<std::uint64_t> shape;
};

// An image for the GpSimd cores: a file as arch/firmware writes it (docs/firmware.md).
struct GpsimdImage {
    std::string name;
    std::vector<std::uint8_t> bytes;
};

// Up to four dimensions, innermost first. Steps and offset in bytes.
struct Pattern {
    // The offset is within Package::tensors[tensor], in the core window, or within the bytes that
    // Package::images[tensor] has in the memory of a core (images.hpp).
    enum class Space : std::uint8_t { Tensor, Core, Image };
    Space place = Space::Tensor;
    std::uint32_t tensor = 0;
    std::uint64_t offset = 0;
    std::array<std::int64_t, 4> step{};
    std::array<std::uint32_t, 4> count{1, 1, 1, 1};
    // The beginning of the pattern in an iteration of the transfer's loop: an element of these four
    // dimensions, the next one in the next iteration and the first one again after the last. For a buffer
    // with two slots a count is 2.
    std::array<std::int64_t, 4> iteration_step{};
    std::array<std::uint32_t, 4> iteration_count{1, 1, 1, 1};
};

// A loop repeats the transfers of a queue in turn, this many times (ring_order.hpp). Transfers of several
// queues may be in one loop.
struct Loop {
    std::uint32_t iterations = 1;
};

// Rows that indices in memory name: rows of `from` in a gather, of `to` in a scatter. The elements of the
// transfer are blocks of equal length, one for each element of `index`; the pattern of the side with the rows
// is that of the row of index `first`. The DMA engines read the indices when they execute the transfer. If
// two indices of a scatter name a row, the order of the writes is undefined.
struct Indirect {
    bool scatter = false;
    Pattern index;                     // signed 32-bit integers
    std::int64_t step = 0;             // bytes from the row of an index to that of the next
    std::int32_t first = 0, last = 0;  // the valid indices
    bool skip = false;                 // rows of other indices are left out; else those end the run
};

// A transfer of elements that are combined with those in `to`: `op`(moved, old) in fp32, rounded to nearest
// even. With indices, blocks are combined one after the other, so indices may name a row several times.
struct Combination {
    isa::AluOp op = isa::AluOp::Add;  // or multiply, min, max
    isa::Dtype dtype = isa::Dtype::Fp32;
};

// A collective of the ranks that run such kernels at the same time (docs/collectives.md): each rank triggers
// it, independently of its other work, and all of them trigger the same ones in the same order. The first
// elements of input and output are those of the transfer's `from` and `to`, both tensors, without gaps; in
// place they are the same.
struct Collective {
    collectives::Request request;                       // its `ranks` counts all kernels
    std::optional<collectives::Algorithm> algorithm{};  // nullopt: chosen by size
    std::uint32_t inner = 0;                            // hierarchical: members of an inner group
    bool operator==(const Collective&) const = default;
};

// A DMA transfer set: element i of `from` (in the order of its own dimensions) goes to element i of `to`. The
// runtime splits it over the DMA engines and turns it into descriptors. An engine that has completed its
// share adds 1 to `semaphore`, even if its share is empty; the transfer is complete when all
// target::Core::dma_engines engines have. Engines run ahead of each other, so a sum over several transfers
// that may be in flight says nothing about one of them (docs/architecture.md).
struct Transfer {
    std::uint32_t queue = 0;
    std::uint32_t element_bytes = 1;
    Pattern from, to;
    std::uint8_t semaphore = 0;
    std::string name;                     // shown in traces
    std::optional<std::uint32_t> loop{};  // index in Package::loops
    std::optional<Indirect> indirect{};
    std::optional<Combination> combination{};
    // True if the innermost dimension and the outermost one of more than one element are those of matrices:
    // the DMA engines read along one and write along the other. Elements have 1, 2 or 4 bytes; both sides
    // have the same counts. Each element has the same source and destination as without it.
    bool transposes = false;
    // If set, the queue has only collectives, and the rules for elements do not apply: the transfer is
    // complete, with target::Core::dma_engines added to `semaphore`, when no rank reads this rank's input any
    // more and its output is written.
    std::optional<Collective> collective{};
};

// One ring on every DMA engine. It holds the transfers in a fixed order (ring_order.hpp), in which `owner`
// has to trigger them: a trigger hands over the next one. After the last the ring begins again with the
// first. Shares are completed in this order.
struct Queue {
    std::string name;
    isa::Engine owner = isa::Engine::Sync;
};

// The program that made a package.
struct Origin {
    std::string builder;  // version of the kernel builder; empty: not made with it
    std::string kernel;   // name of the built-in kernel; empty: it is not built in
};

// The calls of the kernel builder that made the instructions.
struct Sources {
    static constexpr std::uint32_t None = 0;
    struct Line {
        std::uint32_t file, line;  // file: index in `files`
    };
    std::vector<std::string> files;
    std::vector<Line> places;
    // By instruction of each program: None, or 1 + index in `places`; empty: not known.
    std::array<std::vector<std::uint32_t>, EngineCount> of;

    // Returns the number of a new place; adds its file if that is new.
    std::uint32_t add(const std::string& file, std::uint32_t line);
    bool empty() const { return places.empty(); }
};

// A `dma_trigger` of a program names its transfer: field::Address is the index in Package::transfers, all
// other fields of the format are zero until the runtime rewrites it at load. Programs have one trigger of
// every transfer, which may be executed many times.
struct Package {
    std::string name;
    std::string arguments;  // the builder's arguments, for people
    Origin origin;
    target::Core target;
    std::vector<Tensor> tensors;
    std::vector<GpsimdImage> images{};
    std::vector<Queue> queues;  // queue i is ring i
    std::vector<Loop> loops;
    std::vector<Transfer> transfers;
    // Each ends with halt; empty: the engine is not started.
    std::array<std::vector<isa::Instruction>, EngineCount> programs;
    Sources sources;
};

// Returns "kernel.cpp:31"; paths of files below the working directory are relative to it.
std::string place_name(const std::string& file, std::uint32_t line);

// Return the author's source line of an instruction or of a transfer; empty: not known.
std::string source_line(const Package& package, std::size_t engine, std::size_t pc);
std::string source_line_of_transfer(const Package& package, std::size_t transfer);

// Returns the names of a queue's transfers, each once, in alphabetical order: "load a, load b".
std::string transfer_names(const Package& package, std::uint32_t queue);

}  // namespace trnsim::neff

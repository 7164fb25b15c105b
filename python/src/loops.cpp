// Loops of the builder in Python: `with k.loop(8) as i:`.
#include "compiler/builder/error.hpp"
#include "python/src/builder.hpp"
#include "python/src/whole.hpp"

namespace trnsim::python {
namespace {

namespace nb = nanobind;
using nb::literals::operator""_a;
using builder::KernelBuilder;
using builder::LoopOffset;

// What `with` enters and leaves.
class Loop {
  public:
    Loop(KernelBuilder& builder, std::uint32_t iterations) : builder_(&builder), iterations_(iterations) {}

    LoopOffset enter() { return builder_->begin_loop(iterations_, caller_); }
    // With an exception the kernel is of no use.
    void leave(const nb::object& type) {
        if (type.is_none()) builder_->end_loop();
    }

  private:
    KernelBuilder* builder_;
    std::uint32_t iterations_;
    Caller caller_;
};

[[noreturn]] void refuse() {
    throw builder::CallError(
        "loop: its body is written once for all iterations, so the index is no number: "
        "slices begin at i * step + offset",
        Caller());
}

// What Python would otherwise compute or decide with it.
void bind_refusals(nb::class_<LoopOffset>& index) {
    for (const char* name : {"__mod__", "__floordiv__", "__truediv__", "__pow__", "__eq__", "__ne__",
                             "__lt__", "__le__", "__gt__", "__ge__"})
        index.def(
            name, [](const LoopOffset&, const nb::object&) -> bool { refuse(); }, "other"_a.none());
    index.def(
        "__mul__", [](const LoopOffset&, const LoopOffset&) -> LoopOffset { refuse(); }, "times"_a);
    index.def("__bool__", [](const LoopOffset&) -> bool { refuse(); });
    index.def("__index__", [](const LoopOffset&) -> int { refuse(); });
}

}  // namespace

void bind_loops(nb::module_& module, BuilderClass& builder) {
    nb::class_<LoopOffset> index(
        module, "LoopIndex", "The number of an iteration for slices of tensors: x[:, i * 16 : i * 16 + 16].");
    index
        .def(
            "__add__", [](const LoopOffset& offset, std::int64_t more) { return offset + more; }, "more"_a)
        .def(
            "__radd__", [](const LoopOffset& offset, std::int64_t more) { return offset + more; }, "more"_a)
        .def(
            "__sub__", [](const LoopOffset& offset, std::int64_t less) { return offset - less; }, "less"_a)
        .def(
            "__rsub__", [](const LoopOffset& offset, std::int64_t from) { return from - offset; }, "from_"_a)
        .def(
            "__mul__", [](const LoopOffset& offset, std::int64_t times) { return offset * times; }, "times"_a)
        .def(
            "__rmul__", [](const LoopOffset& offset, std::int64_t times) { return offset * times; },
            "times"_a);
    bind_refusals(index);
    nb::class_<Loop>(module, "Loop", "A loop of a kernel, for `with`.")
        .def("__enter__", &Loop::enter)
        .def(
            "__exit__",
            [](Loop& loop, const nb::object& type, const nb::object&, const nb::object&) {
                loop.leave(type);
            },
            "type"_a.none(), "value"_a.none(), "traceback"_a.none());
    builder.def(
        "loop", [](KernelBuilder& k, const Whole<"iterations">& iterations) { return Loop(k, iterations); },
        "iterations"_a, nb::keep_alive<0, 1>(),
        "A loop of the hardware: `with k.loop(8) as i:`. Its calls are those of every iteration, on the same "
        "tiles; slices of "
        "tensors step with i.");
}

}  // namespace trnsim::python

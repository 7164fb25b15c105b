// Elementwise instructions.
#include <algorithm>
#include <utility>

#include "isa/alu_operations.hpp"
#include "model/values/vector_engine.hpp"

namespace trnsim::fast {

namespace {

// A row of fp32 values or of bits.
struct alignas(kernels::Padding) Values {
    Row x, y;
};
struct alignas(kernels::Padding) Bits {
    BitRow x, y;
    std::array<std::uint8_t, 4 * kernels::ChunkElements> elements;
};

void put_bits(LaneRun& run, std::uint32_t row, Bits& bits, std::size_t count) {
    kernels::narrow_bits(run.operation.dst.size, bits.x.data(), bits.elements.data(), count);
    run.put(row, bits.elements.data());
}

void tensor_scalar_bits(LaneRun& run) {
    const Operation& o = run.operation;
    Bits bits;
    run.each_row([&](std::uint32_t row, std::size_t count) {
        run.a->bits(row, bits.x.data());
        kernels::operate(o.op0, o.reverse0, bits.x.data(), run.imm0_bits(row), bits.x.data(), count);
        kernels::operate(o.op1, o.reverse1, bits.x.data(), run.imm1_bits(row), bits.x.data(), count);
        put_bits(run, row, bits, count);
    });
}

void tensor_tensor_bits(LaneRun& run) {
    const Operation& o = run.operation;
    Bits bits;
    std::uint32_t *first = bits.x.data(), *second = bits.y.data();
    if (o.reverse0) std::swap(first, second);
    run.each_row([&](std::uint32_t row, std::size_t count) {
        run.a->bits(row, bits.x.data());
        run.b->bits(row, bits.y.data());
        kernels::operate(o.op0, first, second, bits.x.data(), count);
        put_bits(run, row, bits, count);
    });
}

}  // namespace

void tensor_copy(LaneRun& run) {
    if (run.operation.raw_copy() && run.operation.engine == isa::Engine::Vector) {
        run.write_raw();
        return run.each_row([&](std::uint32_t row, std::size_t) { run.put(row, run.a->elements(row)); });
    }
    Values values;
    run.each_row([&](std::uint32_t row, std::size_t) {
        run.a->widen(row, values.x.data());
        run.put(row, values.x.data());
    });
}

void memset(LaneRun& run) {
    Values values;
    run.each_row([&](std::uint32_t row, std::size_t count) {
        std::fill_n(values.x.begin(), count, run.imm0(row));
        run.put(row, values.x.data());
    });
}

void tensor_tensor(LaneRun& run) {
    const Operation& o = run.operation;
    if (isa::is_bit_operation(o.op0)) return tensor_tensor_bits(run);
    Values values;
    float *first = values.x.data(), *second = values.y.data();
    if (o.reverse0) std::swap(first, second);
    run.each_row([&](std::uint32_t row, std::size_t count) {
        run.a->widen(row, values.x.data());
        run.b->widen(row, values.y.data());
        kernels::operate(o.op0, first, second, values.x.data(), count);
        run.put(row, values.x.data());
    });
}

void tensor_scalar(LaneRun& run) {
    const Operation& o = run.operation;
    if (isa::is_bit_operation(o.op0) || isa::is_bit_operation(o.op1)) return tensor_scalar_bits(run);
    Values values;
    run.each_row([&](std::uint32_t row, std::size_t count) {
        float* x = values.x.data();
        run.a->widen(row, x);
        if (o.op0 != isa::AluOp::Bypass || o.reverse0)
            kernels::operate(o.op0, o.reverse0, x, run.imm0(row), x, count);
        if (o.op1 != isa::AluOp::Bypass || o.reverse1)
            kernels::operate(o.op1, o.reverse1, x, run.imm1(row), x, count);
        run.put(row, x);
    });
}

void scalar_tensor_tensor(LaneRun& run) {
    const Operation& o = run.operation;
    Values values;
    float *first = values.x.data(), *second = values.y.data();
    if (o.reverse1) std::swap(first, second);
    run.each_row([&](std::uint32_t row, std::size_t count) {
        run.a->widen(row, values.x.data());
        run.b->widen(row, values.y.data());
        kernels::operate(o.op0, o.reverse0, values.x.data(), run.imm0(row), values.x.data(), count);
        kernels::operate(o.op1, first, second, values.x.data(), count);
        run.put(row, values.x.data());
    });
}

void reciprocal(LaneRun& run) {
    Values values;
    run.each_row([&](std::uint32_t row, std::size_t count) {
        run.a->widen(row, values.x.data());
        kernels::operate(isa::AluOp::Reciprocal, values.x.data(), values.x.data(), values.x.data(), count);
        run.put(row, values.x.data());
    });
}

void read_accumulator(LaneRun& run) {
    Values values;
    run.each_row([&](std::uint32_t row, std::size_t) {
        values.x[0] = run.state.accumulators[row];
        run.put(row, values.x.data());
    });
}

}  // namespace trnsim::fast

// Instructions that move elements to places that do not depend on values.
#include <algorithm>
#include <cstring>

#include "compiler/hlo/evaluate/context.hpp"
#include "compiler/hlo/evaluate/strides.hpp"
#include "compiler/hlo/real.hpp"

namespace trnsim::hlo::evaluate {
namespace {

// Returns an array whose elements are those of the operand at these steps.
Value viewed(const Operation& o, const Integers& steps, std::int64_t offset = 0) {
    auto cells = o.allocate(o.shape().dimensions);
    o.work(cells->size());
    const Cell* const in = o.operand(0).cells->data();
    Cell* out = cells->data();
    each_offset(o.shape().dimensions, steps, offset, [&](std::int64_t at) { *out++ = in[at]; });
    return array_of(o.shape().type, o.shape().dimensions, std::move(cells));
}

Value broadcast(const Operation& o) {
    const Integers from = strides(o.operand(0).dimensions);
    Integers steps(o.shape().rank(), 0);
    for (std::size_t i = 0; i < from.size(); ++i)
        steps[static_cast<std::size_t>(o.attributes().dimensions[i])] = from[i];
    return viewed(o, steps);
}

Value reshape(const Operation& o) {
    return {o.shape().type, o.shape().dimensions, o.operand(0).cells, {}};
}

Value transpose(const Operation& o) {
    const Integers from = strides(o.operand(0).dimensions);
    Integers steps;
    for (const std::int64_t dimension : o.attributes().dimensions)
        steps.push_back(from[static_cast<std::size_t>(dimension)]);
    return viewed(o, steps);
}

Value reverse(const Operation& o) {
    Integers steps = strides(o.operand(0).dimensions);
    std::int64_t offset = 0;
    for (const std::int64_t dimension : o.attributes().dimensions) {
        const auto d = static_cast<std::size_t>(dimension);
        offset += steps[d] * (o.shape().dimensions[d] - 1);
        steps[d] = -steps[d];
    }
    return viewed(o, steps, offset);
}

Value slice(const Operation& o) {
    Integers steps = strides(o.operand(0).dimensions);
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < steps.size(); ++d) {
        offset += steps[d] * o.attributes().slice[d].start;
        steps[d] *= o.attributes().slice[d].stride;
    }
    return viewed(o, steps, offset);
}

Value pad(const Operation& o) {
    auto cells = o.allocate(o.shape().dimensions);
    o.work(cells->size() + o.operand(0).size());
    std::ranges::fill(*cells, o.operand(1).scalar());
    const Value& operand = o.operand(0);
    const Integers steps = strides(o.shape().dimensions);
    Integers index(operand.dimensions.size(), 0);
    for (const Cell c : operand.view()) {
        std::int64_t at = 0;
        bool inside = true;
        for (std::size_t d = 0; d < index.size(); ++d) {
            const PaddingDimension& p = o.attributes().padding->dimensions[d];
            const std::int64_t place = p.low + index[d] * (p.interior + 1);
            inside = inside && place >= 0 && place < o.shape().dimensions[d];
            at += place * steps[d];
        }
        if (inside) (*cells)[static_cast<std::size_t>(at)] = c;
        (void)advance(index, operand.dimensions);
    }
    return array_of(o.shape().type, o.shape().dimensions, std::move(cells));
}

Value concatenate(const Operation& o) {
    auto cells = o.allocate(o.shape().dimensions);
    o.work(cells->size());
    const auto dimension = static_cast<std::size_t>(o.attributes().dimensions.front());
    std::int64_t outer = 1, inner = 1;
    for (std::size_t d = 0; d < dimension; ++d) outer *= o.shape().dimensions[d];
    for (std::size_t d = dimension + 1; d < o.shape().rank(); ++d) inner *= o.shape().dimensions[d];
    Cell* out = cells->data();
    for (std::int64_t row = 0; row < outer && inner > 0; ++row) {
        for (const Value& operand : o.operands) {
            const std::int64_t run = operand.dimensions[dimension] * inner;
            out = std::copy_n(operand.cells->data() + row * run, run, out);
        }
    }
    return array_of(o.shape().type, o.shape().dimensions, std::move(cells));
}

Value iota(const Operation& o) {
    auto cells = o.allocate(o.shape().dimensions);
    o.work(cells->size());
    const auto dimension =
        static_cast<std::size_t>(o.attributes().dimensions.empty() ? 0 : o.attributes().dimensions.front());
    const std::int64_t step = strides(o.shape().dimensions)[dimension],
                       size = o.shape().dimensions[dimension];
    const bool real_type = is_real(o.shape().type);
    for (std::size_t i = 0; i < cells->size(); ++i) {
        const std::int64_t place = static_cast<std::int64_t>(i) / step % size;
        (*cells)[i] = real_type ? cell(static_cast<double>(place)) : static_cast<Cell>(place);
    }
    settle(o.shape().type, *cells);
    return array_of(o.shape().type, o.shape().dimensions, std::move(cells));
}

// Elements of other sizes share or fill the bits of those that were there, the first in the low bits.
Value bitcast_convert(const Operation& o) {
    const Value& operand = o.operand(0);
    const unsigned from_bits = info(operand.type).bits, to_bits = info(o.shape().type).bits;
    auto cells = o.allocate(o.shape().dimensions);
    o.work(cells->size() + operand.size());
    const auto code = [&](std::size_t i) -> Cell {
        const Cell c = (*operand.cells)[i];
        const Cell bits = is_real(operand.type) ? encode_real(operand.type, real(c)) : c;
        return from_bits == 64 ? bits : bits & ((Cell{1} << from_bits) - 1);
    };
    const unsigned narrow = std::min(from_bits, to_bits), ratio = std::max(from_bits, to_bits) / narrow;
    const Cell mask = to_bits == 64 ? ~Cell{0} : (Cell{1} << to_bits) - 1;
    for (std::size_t i = 0; i < cells->size(); ++i) {
        Cell bits = 0;
        if (to_bits <= from_bits) {
            bits = code(i / ratio) >> (i % ratio * narrow) & mask;
        } else {
            for (unsigned part = 0; part < ratio; ++part) bits |= code(i * ratio + part) << (part * narrow);
        }
        (*cells)[i] = is_real(o.shape().type) ? cell(decode_real(o.shape().type, bits)) : bits;
    }
    if (!is_real(o.shape().type)) settle(o.shape().type, *cells);
    return array_of(o.shape().type, o.shape().dimensions, std::move(cells));
}

}  // namespace

Evaluate movement_evaluation(Opcode opcode) {
    switch (opcode) {
        case Opcode::Broadcast:
            return broadcast;
        case Opcode::Reshape:
        case Opcode::Bitcast:
            return reshape;
        case Opcode::Transpose:
            return transpose;
        case Opcode::Reverse:
            return reverse;
        case Opcode::Slice:
            return slice;
        case Opcode::Pad:
            return pad;
        case Opcode::Concatenate:
            return concatenate;
        case Opcode::Iota:
            return iota;
        case Opcode::BitcastConvert:
            return bitcast_convert;
        default:
            return nullptr;
    }
}

}  // namespace trnsim::hlo::evaluate

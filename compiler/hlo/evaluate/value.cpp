#include "compiler/hlo/evaluate/value.hpp"

#include <cstring>

#include "compiler/hlo/real.hpp"

namespace trnsim::hlo::evaluate {

Shape shape_of(const Value& value) {
    if (value.type != ElementType::Tuple) return array(value.type, value.dimensions);
    std::vector<Shape> parts;
    for (const Value& part : value.tuple) parts.push_back(shape_of(part));
    return tuple_of(std::move(parts));
}

void settle(ElementType type, std::span<Cell> cells) {
    const TypeInfo& t = info(type);
    switch (t.kind) {
        case Kind::Real:
            if (type == ElementType::F64) return;
            if (type == ElementType::F32) {
                for (Cell& c : cells) c = cell(static_cast<float>(real(c)));
                return;
            }
            for (Cell& c : cells) c = cell(rounded(type, real(c)));
            return;
        case Kind::Signed: {
            const unsigned unused = 64u - t.bits;
            for (Cell& c : cells) c = static_cast<Cell>(static_cast<std::int64_t>(c << unused) >> unused);
            return;
        }
        case Kind::Unsigned: {
            if (t.bits == 64) return;
            const Cell mask = (Cell{1} << t.bits) - 1;
            for (Cell& c : cells) c &= mask;
            return;
        }
        case Kind::Pred:
            for (Cell& c : cells) c = c != 0 ? 1 : 0;
            return;
        default:
            return;
    }
}

Value from_bytes(const Shape& shape, const std::string& data) {
    const std::size_t bytes = element_bytes(shape.type), count = data.size() / bytes;
    Cells cells(count);
    for (std::size_t i = 0; i < count; ++i) {
        Cell code = 0;
        std::memcpy(&code, data.data() + i * bytes, bytes);
        cells[i] = is_real(shape.type) ? cell(decode_real(shape.type, code)) : code;
    }
    if (!is_real(shape.type)) settle(shape.type, cells);
    return {shape.type, shape.dimensions, std::make_shared<const Cells>(std::move(cells)), {}};
}

std::string to_bytes(const Value& value) {
    const std::size_t bytes = element_bytes(value.type);
    std::string data(value.size() * bytes, '\0');
    for (std::size_t i = 0; i < value.size(); ++i) {
        const Cell c = (*value.cells)[i];
        const Cell code = is_real(value.type) ? encode_real(value.type, real(c)) : c;
        std::memcpy(data.data() + i * bytes, &code, bytes);
    }
    return data;
}

}  // namespace trnsim::hlo::evaluate

#include "tools/compile/tensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/npy/npy.hpp"
#include "base/text/printable.hpp"

namespace trnsim::compile {
namespace {

using hlo::ElementType;

// The NumPy type of elements. Those below a byte have one each, as in ml_dtypes.
npy::Type numpy_type(ElementType type) {
    struct Row {
        ElementType type;
        npy::Type numpy;
    };
    constexpr Row Rows[] = {{ElementType::Pred, npy::Type::B1}, {ElementType::S8, npy::Type::I1},
                            {ElementType::U8, npy::Type::U1},   {ElementType::S16, npy::Type::I2},
                            {ElementType::U16, npy::Type::U2},  {ElementType::S32, npy::Type::I4},
                            {ElementType::U32, npy::Type::U4},  {ElementType::S64, npy::Type::I8},
                            {ElementType::U64, npy::Type::U8},  {ElementType::F16, npy::Type::F2},
                            {ElementType::F32, npy::Type::F4},  {ElementType::F64, npy::Type::F8},
                            {ElementType::Bf16, npy::Type::V2}, {ElementType::S4, npy::Type::I1},
                            {ElementType::U4, npy::Type::U1},   {ElementType::S2, npy::Type::I1},
                            {ElementType::U2, npy::Type::U1}};
    const auto row = std::ranges::find(Rows, type, &Row::type);
    return row == std::end(Rows) ? npy::Type::V1 : row->numpy;
}

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& message) {
    throw std::runtime_error(text::message(fmt::format("{}: {}", path.string(), message)));
}

}  // namespace

hlo::evaluate::Value read_value(const std::filesystem::path& path, const hlo::Shape& shape) {
    if (!shape.is_array()) fail(path, fmt::format("an argument {}, expected an array", hlo::format(shape)));
    const npy::Array file = npy::read(path);
    if (!std::ranges::equal(file.shape, shape.dimensions, [](std::uint64_t a, std::int64_t b) {
            return a == static_cast<std::uint64_t>(b);
        })) {
        fail(path, fmt::format("an array of the shape {}, expected {}", npy::format_shape(file.shape),
                               hlo::format(shape)));
    }
    const std::string data(file.data.begin(), file.data.end());
    if (file.type == numpy_type(shape.type)) return hlo::evaluate::from_bytes(shape, data);
    if (file.type == npy::Type::F4 && hlo::is_real(shape.type) && hlo::info(shape.type).bits < 32) {
        const auto wide = hlo::evaluate::from_bytes(hlo::array(ElementType::F32, shape.dimensions), data);
        hlo::evaluate::Cells cells = *wide.cells;
        hlo::evaluate::settle(shape.type, cells);
        return {
            shape.type, shape.dimensions, std::make_shared<const hlo::evaluate::Cells>(std::move(cells)), {}};
    }
    fail(path, fmt::format("an array of {}, expected {} for {}", npy::descr(file.type),
                           npy::descr(numpy_type(shape.type)), hlo::name(shape.type)));
}

void write_value(const std::filesystem::path& path, const hlo::evaluate::Value& value) {
    if (!hlo::is_array(value.type))
        fail(path,
             fmt::format("a result {}, expected an array", hlo::format(hlo::evaluate::shape_of(value))));
    const std::string data = hlo::evaluate::to_bytes(value);
    npy::write(path, {numpy_type(value.type),
                      {value.dimensions.begin(), value.dimensions.end()},
                      {data.begin(), data.end()}});
}

}  // namespace trnsim::compile

// Shape rules of control flow, tuples, constants, bits and random numbers.
#include <algorithm>

#include "compiler/hlo/site.hpp"

namespace trnsim::hlo {
namespace {

std::vector<Shape> operand_shapes(const Site& site, std::size_t first = 0) {
    std::vector<Shape> shapes;
    for (std::size_t i = first; i < site.operands(); ++i) shapes.push_back(site.operand(i));
    return shapes;
}

Shape same_as_operand(const Site& site) {
    return site.operand(0);
}

// No operand determines the shape: the declared one holds.
Shape as_declared(const Site& site) {
    return site.shape();
}

Shape constant(const Site& site) {
    return present(site.attributes().literal, "literal").shape;
}

Shape iota(const Site& site) {
    const Shape& shape = site.shape();
    Site::check(shape.is_array() && shape.type != ElementType::Pred && shape.rank() >= 1,
                fmt::format("there is no iota of {}", format(shape)));
    Site::check(site.attributes().dimensions.size() <= 1, "has one dimension");
    (void)checked_dimension(site.attributes().dimensions.empty() ? 0 : site.attributes().dimensions.front(),
                            shape.rank(), "iota_dimension");
    return shape;
}

Shape tuple(const Site& site) {
    return tuple_of(operand_shapes(site));
}

Shape get_tuple_element(const Site& site) {
    const Shape& operand = site.operand(0);
    const std::int64_t index = site.attributes().tuple_index;
    Site::check(operand.is_tuple() && index >= 0 && index < static_cast<std::int64_t>(operand.tuple.size()),
                fmt::format("there is no element {} of {}", index, format(operand)));
    return operand.tuple[static_cast<std::size_t>(index)];
}

Shape call(const Site& site) {
    const Shape& result = site.called(0).root_instruction().shape;
    check_computation(site.called(0), operand_shapes(site), result, "the computation");
    return result;
}

Shape while_loop(const Site& site) {
    const Shape& state = site.operand(0);
    check_computation(site.called(1), {state}, array(ElementType::Pred, {}), "condition");
    check_computation(site.called(0), {state}, state, "body");
    return state;
}

Shape conditional(const Site& site) {
    const Shape& selector = site.array(0);
    const std::size_t branches = site.instruction.called.size();
    const bool is_pred = selector.type == ElementType::Pred;
    Site::check(selector.is_scalar() && (is_pred || selector.type == ElementType::S32),
                fmt::format("the selector is {}, expected pred[] or s32[]", format(selector)));
    Site::check(branches >= 1 && (!is_pred || branches == 2) && site.operands() == branches + 1,
                fmt::format("has {} branches and {} operands", branches, site.operands()));
    const Shape& result = site.called(0).root_instruction().shape;
    for (std::size_t i = 0; i < branches; ++i)
        check_computation(site.called(i), {site.operand(i + 1)}, result, "branch");
    return result;
}

Shape bitcast_convert(const Site& site) {
    const Shape &operand = site.array(0), &result = site.shape();
    const auto bits = [](const Shape& shape) { return static_cast<std::int64_t>(info(shape.type).bits); };
    Integers wide = operand.dimensions, narrow = result.dimensions;
    std::int64_t ratio = 1;
    if (result.is_array() && bits(operand) > bits(result)) {
        ratio = bits(operand) / bits(result);
        wide.push_back(ratio);
    } else if (result.is_array() && bits(operand) < bits(result)) {
        ratio = bits(result) / bits(operand);
        narrow.push_back(ratio);
    }
    Site::check(result.is_array() && wide == narrow,
                fmt::format("{} cannot become {}", format(operand), format(result)));
    return result;
}

Shape bitcast(const Site& site) {
    const Shape& operand = site.array(0);
    Site::check(
        site.shape().is_array() && bytes(operand) == bytes(site.shape()) && operand.type == site.shape().type,
        fmt::format("{} cannot become {}", format(operand), format(site.shape())));
    return site.shape();
}

Shape rng_bit_generator(const Site& site) {
    const Shape& state = site.array(0);
    Site::check(kind(state.type) == Kind::Unsigned,
                fmt::format("the state is {}, expected unsigned integers", format(state)));
    const Shape& result = site.shape();
    if (result.is_array()) return result;
    Site::check(result.is_tuple() && result.tuple.size() == 2 && is_compatible(result.tuple[0], state) &&
                    is_integer(result.tuple[1].type),
                fmt::format("{} of the state {}, expected that and integers", format(result), format(state)));
    const std::int64_t algorithm = site.attributes().random_algorithm;
    Site::check(algorithm >= 0 && algorithm <= 2, fmt::format("there is no random algorithm {}", algorithm));
    return result;
}

Shape device_number(const Site&) {
    return array(ElementType::U32, {});
}

Shape token(const Site&) {
    Shape shape;
    shape.type = ElementType::Token;
    return shape;
}

Shape custom_call(const Site& site) {
    Site::check(!site.attributes().custom_call_target.empty(), "names no target");
    return site.shape();
}

}  // namespace

Rule control_rule(Opcode opcode) {
    switch (opcode) {
        case Opcode::AddDependency:
        case Opcode::Copy:
        case Opcode::Domain:
        case Opcode::OptimizationBarrier:
            return same_as_operand;
        case Opcode::Parameter:
            return as_declared;
        case Opcode::AfterAll:
            return token;
        case Opcode::Bitcast:
            return bitcast;
        case Opcode::BitcastConvert:
            return bitcast_convert;
        case Opcode::Call:
        case Opcode::Fusion:
            return call;
        case Opcode::Conditional:
            return conditional;
        case Opcode::Constant:
            return constant;
        case Opcode::CustomCall:
            return custom_call;
        case Opcode::GetTupleElement:
            return get_tuple_element;
        case Opcode::Iota:
            return iota;
        case Opcode::PartitionId:
        case Opcode::ReplicaId:
            return device_number;
        case Opcode::RngBitGenerator:
            return rng_bit_generator;
        case Opcode::Tuple:
            return tuple;
        case Opcode::While:
            return while_loop;
        default:
            return nullptr;
    }
}

}  // namespace trnsim::hlo

#include "compiler/hlo/parse_attributes.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include <fmt/format.h>

#include "compiler/hlo/limits.hpp"

namespace trnsim::hlo {
namespace {

// The state on which a row of the table works.
struct At {
    Cursor& text;
    Instruction& i;
    Attributes& a;
    const Names& names;
};

template <typename T>
T& made(Box<T>& box) {
    return box ? *box : box.emplace();
}

DotDimensions& dot_of(At& at) {
    if (at.i.opcode == Opcode::RaggedDot) return made(at.a.ragged_dot).dot;
    return made(at.a.dot);
}

// The values of a part of a window: "2x3".
Integers by_x(Cursor& text) {
    Integers values{text.integer()};
    while (text.take('x')) values.push_back(text.integer());
    return values;
}

// "2_1x0_0", each with as many numbers as there are.
std::vector<Integers> pairs_by_x(Cursor& text) {
    std::vector<Integers> result;
    do {
        Integers& values = result.emplace_back(Integers{text.integer()});
        while (text.take('_')) values.push_back(text.integer());
    } while (text.take('x'));
    return result;
}

Window parse_window(Cursor& text) {
    Window window;
    text.expect("{");
    const auto resize = [&](std::size_t size) {
        if (window.dimensions.empty()) {
            WindowDimension plain;
            plain.size = plain.stride = plain.window_dilation = plain.base_dilation = 1;
            window.dimensions.resize(size, plain);
        }
        if (window.dimensions.size() != size || size > MaxRank)
            text.fail("the parts of a window have different numbers of dimensions");
    };
    while (!text.accept("}")) {
        const std::string key(text.word("a part of a window"));
        text.expect("=");
        if (key == "pad") {
            const auto pads = pairs_by_x(text);
            resize(pads.size());
            for (std::size_t d = 0; d < pads.size(); ++d) {
                if (pads[d].size() != 2) text.fail("expected LOW_HIGH");
                window.dimensions[d].padding_low = pads[d][0];
                window.dimensions[d].padding_high = pads[d][1];
            }
            continue;
        }
        const Integers values = by_x(text);
        resize(values.size());
        for (std::size_t d = 0; d < values.size(); ++d) {
            WindowDimension& dimension = window.dimensions[d];
            if (key == "size") {
                dimension.size = values[d];
            } else if (key == "stride") {
                dimension.stride = values[d];
            } else if (key == "lhs_dilate") {
                dimension.base_dilation = values[d];
            } else if (key == "rhs_dilate") {
                dimension.window_dilation = values[d];
            } else if (key == "rhs_reversal") {
                dimension.reversal = values[d] != 0;
            } else {
                text.fail(fmt::format("a window has no '{}'", key));
            }
        }
    }
    return window;
}

// Reads one side of "b01f_01io->b01f".
void parse_side(Cursor& text, std::string_view letters, char first, std::int64_t& first_at, char second,
                std::int64_t& second_at, Integers& spatial) {
    std::map<char, std::int64_t> at;
    for (std::size_t i = 0; i < letters.size(); ++i) {
        if (!at.emplace(letters[i], static_cast<std::int64_t>(i)).second)
            text.fail("a letter of dim_labels appears twice");
    }
    if (!at.contains(first) || !at.contains(second))
        text.fail(fmt::format("dim_labels lack '{}' or '{}'", first, second));
    first_at = at[first];
    second_at = at[second];
    for (std::size_t i = 0; i + 2 < letters.size(); ++i) {
        const auto found = at.find(static_cast<char>('0' + i));
        if (found == at.end()) text.fail(fmt::format("dim_labels lack the spatial dimension {}", i));
        spatial.push_back(found->second);
    }
}

ConvolutionDimensions parse_labels(Cursor& text) {
    ConvolutionDimensions d;
    const std::string sides(text.word("dim_labels"));
    text.expect("->");
    const std::string output(text.word("dim_labels"));
    const std::size_t middle = sides.find('_');
    if (middle == std::string::npos) text.fail("expected dim_labels like b01f_01io->b01f");
    if (output.size() > 10) text.fail("dim_labels have at most 8 spatial dimensions");
    const std::string_view input = std::string_view(sides).substr(0, middle),
                           kernel = std::string_view(sides).substr(middle + 1);
    parse_side(text, input, 'b', d.input_batch, 'f', d.input_feature, d.input_spatial);
    parse_side(text, kernel, 'i', d.kernel_input_feature, 'o', d.kernel_output_feature, d.kernel_spatial);
    parse_side(text, output, 'b', d.output_batch, 'f', d.output_feature, d.output_spatial);
    return d;
}

void parse_slice(At& at) {
    at.text.expect("{");
    while (!at.text.accept("}")) {
        if (!at.a.slice.empty()) at.text.expect(",");
        SliceDimension d;
        at.text.expect("[");
        d.start = at.text.integer();
        at.text.expect(":");
        d.limit = at.text.integer();
        d.stride = at.text.accept(":") ? at.text.integer() : 1;
        at.text.expect("]");
        at.a.slice.push_back(d);
    }
}

void parse_padding(At& at) {
    Padding& padding = made(at.a.padding);
    for (const Integers& values : pairs_by_x(at.text)) {
        if (values.size() < 2 || values.size() > 3) at.text.fail("expected LOW_HIGH or LOW_HIGH_INTERIOR");
        PaddingDimension& d = padding.dimensions.emplace_back();
        d.low = values[0];
        d.high = values[1];
        d.interior = values.size() == 3 ? values[2] : 0;
    }
}

// "[4,2]T(1,0)"
void parse_iota(Cursor& text, Integers& reshape, Integers& permutation) {
    reshape = text.list("[", "]");
    if (text.take('T')) permutation = text.list("(", ")");
}

std::vector<ReplicaGroup> parse_groups(Cursor& text) {
    std::vector<ReplicaGroup> groups;
    text.expect("{");
    while (!text.accept("}")) {
        if (!groups.empty()) text.expect(",");
        groups.push_back({text.braced(), {}});
    }
    return groups;
}

std::string mesh_name(Cursor& text) {
    text.expect("'");
    std::string name;
    if (!text.peek("'")) name = text.word("the name of an axis");
    text.expect("'");
    return name;
}

MeshGroups parse_mesh(Cursor& text) {
    MeshGroups groups;
    Mesh& mesh = groups.mesh.emplace();
    text.expect("[");
    while (!text.accept("]")) {
        if (!mesh.axes.empty()) text.expect(",");
        MeshAxis& axis = mesh.axes.emplace_back();
        axis.name = mesh_name(text);
        text.expect("=");
        axis.size = text.integer();
    }
    if (text.accept(",")) {
        text.expect("device_ids");
        text.expect("=(");
        DeviceOrder& order = mesh.order.emplace();
        parse_iota(text, order.reshape, order.permutation);
        text.expect(")");
    }
    text.expect("{");
    while (!text.accept("}")) {
        if (!groups.axes.empty()) text.expect(",");
        AxisReference& reference = groups.axes.emplace_back();
        const std::string name = mesh_name(text);
        const auto found = std::ranges::find(mesh.axes, name, &MeshAxis::name);
        if (found == mesh.axes.end()) text.fail(fmt::format("the mesh has no axis '{}'", name));
        reference.axis = found - mesh.axes.begin();
        if (text.accept(":(")) {
            SubAxis& part = reference.sub_axis.emplace();
            part.pre_size = text.integer();
            text.expect(")");
            part.size = text.integer();
        }
    }
    return groups;
}

void parse_replica_groups(At& at) {
    if (at.text.accept("mesh")) {
        at.a.mesh_groups = Box<MeshGroups>(parse_mesh(at.text));
    } else if (at.text.peek("[")) {
        IotaGroups& groups = at.a.iota_groups.emplace();
        const Integers shape = at.text.list("[", "]");
        if (shape.size() != 2) at.text.fail("expected [GROUPS,SIZE]");
        groups.groups = shape[0];
        groups.size = shape[1];
        at.text.expect("<=");
        parse_iota(at.text, groups.reshape, groups.permutation);
    } else if (auto groups = parse_groups(at.text); !groups.empty()) {
        made(at.a.device_list).groups = std::move(groups);
    }
}

void parse_pairs(At& at) {
    at.text.expect("{");
    while (!at.text.accept("}")) {
        if (!at.a.source_target_pairs.empty()) at.text.expect(",");
        const Integers pair = at.text.braced();
        if (pair.size() != 2) at.text.fail("expected {SOURCE,TARGET}");
        at.a.source_target_pairs.push_back({pair[0], pair[1], {}});
    }
}

void parse_tiles(Cursor& text, Sharding& sharding) {
    sharding.kind = 3;
    sharding.tile_dimensions = text.list("[", "]");
    if (text.accept("<=")) {
        parse_iota(text, sharding.iota_reshape, sharding.iota_permutation);
        if (sharding.iota_permutation.empty() && sharding.iota_reshape.size() == 1)
            sharding.iota_permutation = {0};
    } else if (!text.peek("}") && !text.peek("last")) {
        sharding.tile_devices.push_back(text.integer());
        while (text.accept(",")) sharding.tile_devices.push_back(text.integer());
    }
    while (!text.peek("}")) {
        if (text.accept("last_tile_dim_replicate")) {
            sharding.replicate_on_last_tile = true;
            continue;
        }
        text.expect("last_tile_dims");
        text.expect("={");
        while (!text.accept("}")) {
            if (!sharding.last_tile_kinds.empty()) text.expect(",");
            sharding.last_tile_kinds.push_back(text.one_of(ShardingKindWords, "sharding"));
        }
    }
}

Sharding parse_sharding(Cursor& text, std::size_t depth) {
    if (depth > MaxDepth) text.fail(fmt::format("shardings lie more than {} deep in each other", MaxDepth));
    text.spend();
    Sharding sharding;
    text.expect("{");
    if (text.peek("{") || text.peek("}")) {
        sharding.kind = 2;
        while (!text.accept("}")) {
            if (!sharding.tuple.empty()) text.expect(",");
            sharding.tuple.push_back(parse_sharding(text, depth + 1));
        }
        return sharding;
    }
    if (text.accept("devices")) {
        text.expect("=");
        parse_tiles(text, sharding);
    } else {
        sharding.kind = text.one_of(ShardingKindWords, "sharding");
        if (sharding.kind == 1) {
            text.expect("device");
            text.expect("=");
            sharding.tile_devices.push_back(text.integer());
        }
    }
    text.expect("}");
    return sharding;
}

Metadata parse_metadata(Cursor& text) {
    Metadata m;
    const std::map<std::string_view, std::string Metadata::*> texts = {
        {"op_type", &Metadata::op_type},
        {"op_name", &Metadata::op_name},
        {"source_file", &Metadata::source_file}};
    const std::map<std::string_view, std::int64_t Metadata::*> numbers = {
        {"source_line", &Metadata::source_line},
        {"source_end_line", &Metadata::source_end_line},
        {"source_column", &Metadata::source_column},
        {"source_end_column", &Metadata::source_end_column},
        {"stack_frame_id", &Metadata::stack_frame}};
    text.expect("{");
    while (!text.accept("}")) {
        const std::string_view key = text.word("a part of the metadata");
        text.expect("=");
        if (const auto at = texts.find(key); at != texts.end()) {
            m.*at->second = text.quoted();
        } else if (const auto number = numbers.find(key); number != numbers.end()) {
            m.*number->second = text.integer();
        } else if (text.peek("\"")) {
            (void)text.quoted();
        } else if (text.peek("{")) {
            (void)text.braced();
        } else {
            (void)text.word("a value");
        }
    }
    return m;
}

std::vector<Position> computations(At& at) {
    std::vector<Position> list;
    at.text.expect("{");
    while (!at.text.accept("}")) {
        if (!list.empty()) at.text.expect(",");
        list.push_back(at.names.computation(at.text.name("a computation")));
    }
    return list;
}

// Puts a computation at its place among those that are called.
void set_called(At& at, std::size_t place) {
    at.i.called.resize(std::max(at.i.called.size(), place + 1));
    at.i.called[place] = at.names.computation(at.text.name("a computation"));
}

using Parse = void (*)(At&);

template <std::int64_t Attributes::*Member>
void integer(At& at) {
    at.a.*Member = at.text.integer();
}
template <bool Attributes::*Member>
void flag(At& at) {
    at.a.*Member = at.text.boolean();
}
template <Integers Attributes::*Member>
void list(At& at) {
    at.a.*Member = at.text.braced();
}
template <Integers GatherDimensions::*Member>
void gather(At& at) {
    made(at.a.gather).*Member = at.text.braced();
}
template <Integers ScatterDimensions::*Member>
void scatter(At& at) {
    made(at.a.scatter).*Member = at.text.braced();
}
template <Integers DotDimensions::*Member>
void dot(At& at) {
    dot_of(at).*Member = at.text.braced();
}
template <std::size_t Place>
void called(At& at) {
    set_called(at, Place);
}
void skip(At& at) {
    at.text.skip_value();
}

void parse_epsilon(At& at) {
    const std::string_view word = at.text.word("a number");
    const auto end = std::from_chars(word.data(), word.data() + word.size(), at.a.epsilon);
    if (end.ec != std::errc() || end.ptr != word.data() + word.size()) at.text.fail("expected a number");
}

void parse_algorithm(At& at) {
    if (at.i.opcode == Opcode::RngBitGenerator) {
        at.a.random_algorithm = at.text.one_of(RandomAlgorithmWords, "random algorithm");
    } else {
        made(at.a.precision).algorithm = at.text.one_of(AlgorithmWords, "algorithm of a dot");
    }
}

void parse_precision(At& at) {
    Integers& operands = made(at.a.precision).operands;
    operands.clear();
    at.text.expect("{");
    while (!at.text.accept("}")) {
        if (!operands.empty()) at.text.expect(",");
        operands.push_back(at.text.one_of(PrecisionWords, "precision"));
    }
}

void parse_index_vector(At& at) {
    const std::int64_t value = at.text.integer();
    if (at.i.opcode == Opcode::Gather) made(at.a.gather).index_vector = value;
    if (at.i.opcode == Opcode::Scatter) made(at.a.scatter).index_vector = value;
}

void parse_lower(At& at) {
    const bool value = at.text.boolean();
    if (at.i.opcode == Opcode::Cholesky) {
        made(at.a.cholesky).lower = value;
    } else {
        made(at.a.triangular_solve).lower = value;
    }
}

void parse_control(At& at) {
    at.text.expect("{");
    while (!at.text.accept("}")) {
        if (!at.i.control_predecessors.empty()) at.text.expect(",");
        at.i.control_predecessors.push_back(at.names.instruction(at.text.name("an instruction")));
    }
}

void parse_backend_config(At& at) {
    if (at.text.peek("\"")) {
        at.a.backend_config = at.text.quoted();
    } else {
        at.text.skip_value();
    }
}

const std::map<std::string_view, Parse>& table() {
    static const std::map<std::string_view, Parse> rows = {
        {"algorithm", parse_algorithm},
        {"api_version", [](At& at) { at.a.custom_call_api = at.text.one_of(CustomCallApiWords, "version"); }},
        {"backend_config", parse_backend_config},
        {"batch_group_count", integer<&Attributes::batch_group_count>},
        {"body", called<0>},
        {"branch_computations", [](At& at) { at.i.called = computations(at); }},
        {"called_computations", [](At& at) { at.i.called = computations(at); }},
        {"calls", called<0>},
        {"channel_id", integer<&Attributes::channel>},
        {"collapsed_slice_dims", gather<&GatherDimensions::collapsed_slice>},
        {"condition", called<1>},
        {"constrain_layout", flag<&Attributes::constrain_layout>},
        {"control-predecessors", parse_control},
        {"custom_call_has_side_effect", flag<&Attributes::has_side_effect>},
        {"custom_call_target", [](At& at) { at.a.custom_call_target = at.text.quoted(); }},
        {"delta", integer<&Attributes::delta>},
        {"dim_labels", [](At& at) { at.a.convolution = Box(parse_labels(at.text)); }},
        {"dimensions", list<&Attributes::dimensions>},
        {"direction", [](At& at) { at.a.comparison_direction = at.text.word("a direction"); }},
        {"distribution",
         [](At& at) { at.a.distribution = at.text.one_of(DistributionWords, "distribution"); }},
        {"dynamic_slice_sizes", list<&Attributes::dynamic_slice_sizes>},
        {"epsilon", parse_epsilon},
        {"exponent_bits", integer<&Attributes::exponent_bits>},
        {"false_computation", called<1>},
        {"feature_group_count", integer<&Attributes::feature_group_count>},
        {"feature_index", integer<&Attributes::feature_index>},
        {"fft_length", list<&Attributes::fft_length>},
        {"fft_type", [](At& at) { at.a.fft_type = at.text.one_of(FftWords, "transform"); }},
        {"frontend_attributes", [](At& at) { at.a.frontend = Box(parse_frontend(at.text)); }},
        {"index", integer<&Attributes::tuple_index>},
        {"index_vector_dim", parse_index_vector},
        {"indices_are_sorted", flag<&Attributes::indices_are_sorted>},
        {"inserted_window_dims", scatter<&ScatterDimensions::inserted_window>},
        {"input_batching_dims", scatter<&ScatterDimensions::input_batching>},
        {"iota_dimension", [](At& at) { at.a.dimensions = {at.text.integer()}; }},
        {"is_composite", flag<&Attributes::is_composite>},
        {"is_reverse", flag<&Attributes::is_reverse>},
        {"is_stable", flag<&Attributes::is_stable>},
        {"k", integer<&Attributes::k>},
        {"kind", [](At& at) { at.a.fusion_kind = at.text.word("a kind of fusion"); }},
        {"largest", flag<&Attributes::largest>},
        {"left_side", [](At& at) { made(at.a.triangular_solve).left_side = at.text.boolean(); }},
        {"lhs_batch_dims", dot<&DotDimensions::lhs_batch>},
        {"lhs_contracting_dims", dot<&DotDimensions::lhs_contracting>},
        {"lhs_ragged_dims", [](At& at) { made(at.a.ragged_dot).lhs_ragged = at.text.braced(); }},
        {"lower", parse_lower},
        {"mantissa_bits", integer<&Attributes::mantissa_bits>},
        {"metadata", [](At& at) { at.i.metadata = Box(parse_metadata(at.text)); }},
        {"num_carries", integer<&Attributes::carries>},
        {"offset_dims", gather<&GatherDimensions::offset>},
        {"operand_batching_dims", gather<&GatherDimensions::operand_batching>},
        {"operand_layout_constraints", skip},
        {"operand_precision", parse_precision},
        {"origin", skip},
        {"padding", parse_padding},
        {"replica_groups", parse_replica_groups},
        {"rhs_batch_dims", dot<&DotDimensions::rhs_batch>},
        {"rhs_contracting_dims", dot<&DotDimensions::rhs_contracting>},
        {"rhs_group_dims", [](At& at) { made(at.a.ragged_dot).rhs_group = at.text.braced(); }},
        {"scatter", called<1>},
        {"scatter_dims_to_operand_dims", scatter<&ScatterDimensions::scatter_to_operand>},
        {"scatter_indices_batching_dims", scatter<&ScatterDimensions::scatter_indices_batching>},
        {"select", called<0>},
        {"sharding", [](At& at) { at.a.sharding = Box(parse_sharding(at.text, 0)); }},
        {"slice", parse_slice},
        {"slice_sizes", list<&Attributes::gather_slice_sizes>},
        {"source_target_pairs", parse_pairs},
        {"start_index_map", gather<&GatherDimensions::start_index_map>},
        {"start_indices_batching_dims", gather<&GatherDimensions::start_indices_batching>},
        {"statistics", skip},
        {"to_apply", called<0>},
        {"transpose_a",
         [](At& at) { made(at.a.triangular_solve).transpose = at.text.one_of(TransposeWords, "transpose"); }},
        {"true_computation", called<0>},
        {"type", [](At& at) { at.a.comparison_type = at.text.word("a type of comparison"); }},
        {"unique_indices", flag<&Attributes::unique_indices>},
        {"unit_diagonal", [](At& at) { made(at.a.triangular_solve).unit_diagonal = at.text.boolean(); }},
        {"update_window_dims", scatter<&ScatterDimensions::update_window>},
        {"use_global_device_ids", flag<&Attributes::use_global_device_ids>},
        {"window", [](At& at) { at.a.window = Box(parse_window(at.text)); }},
    };
    return rows;
}

}  // namespace

FrontendAttributes parse_frontend(Cursor& cursor) {
    FrontendAttributes attributes;
    cursor.expect("{");
    while (!cursor.accept("}")) {
        if (!attributes.map.empty()) cursor.expect(",");
        Attribute& attribute = attributes.map.emplace_back();
        attribute.key = cursor.word("a key");
        cursor.expect("=");
        attribute.value = cursor.peek("\"") ? cursor.quoted() : std::string(cursor.word("a value"));
    }
    return attributes;
}

void parse_attribute(std::string_view key, Cursor& cursor, Instruction& instruction, const Names& names) {
    const auto row = table().find(key);
    if (row == table().end())
        cursor.fail(fmt::format("%{}: there is no attribute '{}'", instruction.name, key));
    At at{cursor, instruction, instruction.attributes, names};
    row->second(at);
}

}  // namespace trnsim::hlo

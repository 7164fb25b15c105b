#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/hlo/attribute_names.hpp"
#include "compiler/hlo/literal_text.hpp"
#include "compiler/hlo/text.hpp"

namespace trnsim::hlo {
namespace {

using hlo::format;

std::string braced(const Integers& values) {
    return "{" + format(values) + "}";
}

// A text in quotes, with the escapes of C.
std::string in_quotes(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        constexpr std::string_view Escaped = "\"'\\\n\r\t", Letters = "\"'\\nrt";
        if (const std::size_t at = Escaped.find(c); at != std::string_view::npos) {
            result += {'\\', Letters[at]};
        } else if (byte < ' ' || byte >= 0x7f) {
            result += fmt::format("\\{:03o}", byte);
        } else {
            result += c;
        }
    }
    return result + "\"";
}

std::string shortest(float value) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof(text), value).ptr};
}

std::string format(const Window& window) {
    struct Part {
        std::string_view name;
        std::int64_t WindowDimension::*value;
        std::int64_t plain;
    };
    constexpr Part Parts[] = {{"size", &WindowDimension::size, -1},
                              {"stride", &WindowDimension::stride, 1},
                              {"pad", nullptr, 0},
                              {"lhs_dilate", &WindowDimension::base_dilation, 1},
                              {"rhs_dilate", &WindowDimension::window_dilation, 1}};
    std::string text = "{";
    const auto add = [&](std::string_view name, const auto& differs, const auto& value) {
        if (!std::ranges::any_of(window.dimensions, differs)) return;
        text += fmt::format("{}{}=", text.size() > 1 ? " " : "", name);
        for (std::size_t i = 0; i < window.dimensions.size(); ++i)
            text += (i != 0 ? "x" : "") + value(window.dimensions[i]);
    };
    for (const Part& part : Parts) {
        if (part.value == nullptr) {
            add(
                part.name, [](const WindowDimension& d) { return d.padding_low != 0 || d.padding_high != 0; },
                [](const WindowDimension& d) { return fmt::format("{}_{}", d.padding_low, d.padding_high); });
        } else {
            add(
                part.name, [&](const WindowDimension& d) { return d.*part.value != part.plain; },
                [&](const WindowDimension& d) { return std::to_string(d.*part.value); });
        }
    }
    add(
        "rhs_reversal", [](const WindowDimension& d) { return d.reversal; },
        [](const WindowDimension& d) { return std::string(d.reversal ? "1" : "0"); });
    return text + "}";
}

// Letters of one side of a convolution: "b01f".
std::string labels(std::int64_t first, char first_letter, std::int64_t second, char second_letter,
                   const Integers& spatial) {
    std::string text(spatial.size() + 2, '?');
    const auto set = [&](std::int64_t at, const std::string& letter) {
        if (at >= 0 && at < static_cast<std::int64_t>(text.size()))
            text.replace(static_cast<std::size_t>(at), 1, letter);
    };
    set(first, std::string(1, first_letter));
    set(second, std::string(1, second_letter));
    for (std::size_t i = 0; i < spatial.size(); ++i)
        set(spatial[i], std::string(1, static_cast<char>('0' + i)));
    return text;
}

std::string format(const ConvolutionDimensions& d) {
    return fmt::format("{}_{}->{}", labels(d.input_batch, 'b', d.input_feature, 'f', d.input_spatial),
                       labels(d.kernel_input_feature, 'i', d.kernel_output_feature, 'o', d.kernel_spatial),
                       labels(d.output_batch, 'b', d.output_feature, 'f', d.output_spatial));
}

// "<=[4,2]T(1,0)"
std::string format_iota(const Integers& reshape, const Integers& permutation) {
    std::string text = fmt::format("[{}]", format(reshape));
    if (!permutation.empty() && !std::ranges::is_sorted(permutation))
        text += fmt::format("T({})", format(permutation));
    return text;
}

std::string format_one(const Sharding& s) {
    if (s.kind == 1)
        return fmt::format("maximal device={}", s.tile_devices.empty() ? 0 : s.tile_devices.front());
    if (s.kind != 3) return std::string(word_of(ShardingKindWords, s.kind));
    std::string text = fmt::format("devices=[{}]", format(s.tile_dimensions));
    text += s.iota_reshape.empty() ? format(s.tile_devices)
                                   : "<=" + format_iota(s.iota_reshape, s.iota_permutation);
    if (s.replicate_on_last_tile) text += " last_tile_dim_replicate";
    if (!s.last_tile_kinds.empty()) {
        std::vector<std::string_view> kinds;
        for (const std::int64_t kind : s.last_tile_kinds) kinds.push_back(word_of(ShardingKindWords, kind));
        text += fmt::format(" last_tile_dims={{{}}}", fmt::join(kinds, ", "));
    }
    return text;
}

std::string format(const Sharding& s) {
    if (s.kind != 2) return "{" + format_one(s) + "}";
    std::string text = "{";
    for (const Sharding& part : s.tuple) text += (text.size() > 1 ? ", " : "") + format(part);
    return text + "}";
}

std::string format(const FrontendAttributes& attributes) {
    std::string text = "{";
    for (const Attribute& attribute : attributes.map) {
        text += fmt::format("{}{}={}", text.size() > 1 ? "," : "", attribute.key, in_quotes(attribute.value));
    }
    return text + "}";
}

std::string format(const Metadata& m) {
    std::string text = "{";
    const auto add = [&](std::string_view name, const std::string& value) {
        text += fmt::format("{}{}={}", text.size() > 1 ? " " : "", name, value);
    };
    if (!m.op_type.empty()) add("op_type", in_quotes(m.op_type));
    if (!m.op_name.empty()) add("op_name", in_quotes(m.op_name));
    if (!m.source_file.empty()) add("source_file", in_quotes(m.source_file));
    if (m.source_line != 0) add("source_line", std::to_string(m.source_line));
    if (m.source_end_line != 0) add("source_end_line", std::to_string(m.source_end_line));
    if (m.source_column != 0) add("source_column", std::to_string(m.source_column));
    if (m.source_end_column != 0) add("source_end_column", std::to_string(m.source_end_column));
    if (m.stack_frame != 0) add("stack_frame_id", std::to_string(m.stack_frame));
    return text + "}";
}

std::string format(const std::vector<ReplicaGroup>& groups) {
    std::string text = "{";
    for (const ReplicaGroup& group : groups) text += (text.size() > 1 ? "," : "") + braced(group.ids);
    return text + "}";
}

std::string format(const IotaGroups& groups) {
    return fmt::format("[{},{}]<={}", groups.groups, groups.size,
                       format_iota(groups.reshape, groups.permutation));
}

std::string format(const MeshGroups& groups) {
    std::string text = "mesh[";
    if (groups.mesh) {
        for (const MeshAxis& axis : groups.mesh->axes)
            text += fmt::format("{}'{}'={}", text.back() == '[' ? "" : ",", axis.name, axis.size);
    }
    text += "]";
    if (groups.mesh && groups.mesh->order) {
        text += fmt::format(", device_ids=({})",
                            format_iota(groups.mesh->order->reshape, groups.mesh->order->permutation));
    }
    text += " {";
    for (std::size_t i = 0; i < groups.axes.size(); ++i) {
        const AxisReference& axis = groups.axes[i];
        const bool named =
            groups.mesh && axis.axis >= 0 && axis.axis < static_cast<std::int64_t>(groups.mesh->axes.size());
        text += fmt::format("{}'{}'", i != 0 ? "," : "",
                            named ? groups.mesh->axes[static_cast<std::size_t>(axis.axis)].name : "?");
        if (axis.sub_axis) text += fmt::format(":({}){}", axis.sub_axis->pre_size, axis.sub_axis->size);
    }
    return text + "}";
}

class InstructionPrinter {
  public:
    InstructionPrinter(const Module& module, const Computation& computation, const Instruction& instruction,
                       const PrintOptions& options)
        : module_(module),
          computation_(computation),
          i_(instruction),
          a_(instruction.attributes),
          options_(options) {}

    std::string run() {
        text_ = fmt::format("%{} = {} {}({})", i_.name, format(i_.shape, true), name(i_.opcode), operands());
        add_numbers();
        add_collective();
        add_dimensions();
        add_calls();
        add_rest();
        return text_;
    }

  private:
    std::string operands() const {
        if (i_.opcode == Opcode::Parameter) return std::to_string(a_.parameter_number);
        if (i_.opcode == Opcode::Constant && a_.literal) {
            return elements(a_.literal->shape) > options_.constant_elements ? "{...}" : format(*a_.literal);
        }
        return positions(i_.operands);
    }
    std::string positions(const std::vector<Position>& list) const {
        std::string text;
        for (std::size_t n = 0; n < list.size(); ++n) {
            if (n != 0) text += ", ";
            if (n != 0 && n % 5 == 0) text += fmt::format("/*index={}*/", n);
            text += "%" + computation_.instructions[list[n]].name;
        }
        return text;
    }
    std::string computation(std::size_t at) const {
        return at < i_.called.size() ? "%" + module_.computations[i_.called[at]].name : "%?";
    }

    void add(std::string_view name, std::string_view value) { text_ += fmt::format(", {}={}", name, value); }
    void add(std::string_view name, std::int64_t value) { add(name, std::to_string(value)); }
    void add_flag(std::string_view name, bool value) {
        if (value) add(name, "true");
    }
    void add_nonzero(std::string_view name, std::int64_t value) {
        if (value != 0) add(name, value);
    }
    void add_list(std::string_view name, const Integers& values) {
        if (!values.empty()) add(name, braced(values));
    }
    bool is(Opcode opcode) const { return i_.opcode == opcode; }

    void add_numbers() {
        if (is(Opcode::GetTupleElement)) add("index", a_.tuple_index);
        if (is(Opcode::Iota)) add("iota_dimension", a_.dimensions.empty() ? 0 : a_.dimensions.front());
        if (is(Opcode::ReducePrecision)) {
            add("exponent_bits", a_.exponent_bits);
            add("mantissa_bits", a_.mantissa_bits);
        }
        if (is(Opcode::BatchNormTraining) || is(Opcode::BatchNormInference) || is(Opcode::BatchNormGrad)) {
            add("epsilon", shortest(a_.epsilon));
            add("feature_index", a_.feature_index);
        }
        if (is(Opcode::TopK)) {
            add("k", a_.k);
            add("largest", a_.largest ? "true" : "false");
        }
        if (is(Opcode::Rng)) add("distribution", word_of(DistributionWords, a_.distribution));
        if (is(Opcode::RngBitGenerator)) add("algorithm", word_of(RandomAlgorithmWords, a_.random_algorithm));
        if (is(Opcode::RngGetAndUpdateState)) add("delta", a_.delta);
        if (is(Opcode::Fft)) {
            add("fft_type", word_of(FftWords, a_.fft_type));
            add("fft_length", braced(a_.fft_length));
        }
    }

    void add_dimensions() {
        const bool always = is(Opcode::Broadcast) || is(Opcode::Transpose) || is(Opcode::Reduce) ||
                            is(Opcode::Reverse) || is(Opcode::Map);
        if (!is(Opcode::Iota) && (always || !a_.dimensions.empty())) add("dimensions", braced(a_.dimensions));
        add_nonzero("num_carries", a_.carries);
        add_flag("is_reverse", a_.is_reverse);
        if (!a_.slice.empty() || is(Opcode::Slice)) add("slice", slice());
        if (is(Opcode::DynamicSlice)) add("dynamic_slice_sizes", braced(a_.dynamic_slice_sizes));
        if (a_.padding) add("padding", padding());
        if (a_.window) add("window", format(*a_.window));
        if (a_.convolution) add("dim_labels", format(*a_.convolution));
        if (a_.feature_group_count > 1) add("feature_group_count", a_.feature_group_count);
        if (a_.batch_group_count > 1) add("batch_group_count", a_.batch_group_count);
        if (a_.dot) add_dot(*a_.dot);
        if (a_.ragged_dot) {
            add_dot(a_.ragged_dot->dot);
            add_list("lhs_ragged_dims", a_.ragged_dot->lhs_ragged);
            add_list("rhs_group_dims", a_.ragged_dot->rhs_group);
        }
        if (a_.gather) {
            const GatherDimensions& d = *a_.gather;
            add("offset_dims", braced(d.offset));
            add("collapsed_slice_dims", braced(d.collapsed_slice));
            add("start_index_map", braced(d.start_index_map));
            add_list("operand_batching_dims", d.operand_batching);
            add_list("start_indices_batching_dims", d.start_indices_batching);
            add("index_vector_dim", d.index_vector);
            add("slice_sizes", braced(a_.gather_slice_sizes));
        }
        if (a_.scatter) {
            const ScatterDimensions& d = *a_.scatter;
            add("update_window_dims", braced(d.update_window));
            add("inserted_window_dims", braced(d.inserted_window));
            add("scatter_dims_to_operand_dims", braced(d.scatter_to_operand));
            add_list("input_batching_dims", d.input_batching);
            add_list("scatter_indices_batching_dims", d.scatter_indices_batching);
            add("index_vector_dim", d.index_vector);
        }
        add_flag("indices_are_sorted", a_.indices_are_sorted);
        add_flag("unique_indices", a_.unique_indices);
        add_flag("is_stable", a_.is_stable);
    }

    void add_dot(const DotDimensions& d) {
        add_list("lhs_batch_dims", d.lhs_batch);
        add("lhs_contracting_dims", braced(d.lhs_contracting));
        add_list("rhs_batch_dims", d.rhs_batch);
        add("rhs_contracting_dims", braced(d.rhs_contracting));
    }

    std::string slice() const {
        std::string text = "{";
        for (const SliceDimension& d : a_.slice) {
            text += fmt::format("{}[{}:{}", text.size() > 1 ? ", " : "", d.start, d.limit);
            text += d.stride == 1 ? "]" : fmt::format(":{}]", d.stride);
        }
        return text + "}";
    }

    std::string padding() const {
        std::string text;
        for (const PaddingDimension& d : a_.padding->dimensions) {
            text += fmt::format("{}{}_{}", text.empty() ? "" : "x", d.low, d.high);
            if (d.interior != 0) text += fmt::format("_{}", d.interior);
        }
        return text;
    }

    void add_collective() {
        add_nonzero("channel_id", a_.channel);
        if (a_.device_list)
            add("replica_groups",
                a_.device_list->iota ? format(*a_.device_list->iota) : format(a_.device_list->groups));
        if (a_.iota_groups) add("replica_groups", format(*a_.iota_groups));
        if (a_.mesh_groups) add("replica_groups", format(*a_.mesh_groups));
        if (!a_.replica_groups.empty()) add("replica_groups", format(a_.replica_groups));
        if (is(Opcode::CollectivePermute)) {
            std::string text = "{";
            for (const SourceTarget& pair : a_.source_target_pairs)
                text += fmt::format("{}{{{},{}}}", text.size() > 1 ? "," : "", pair.source, pair.target);
            add("source_target_pairs", text + "}");
        }
        add_flag("use_global_device_ids", a_.use_global_device_ids);
        add_flag("constrain_layout", a_.constrain_layout && info(i_.opcode).family == Family::Collective);
    }

    void add_calls() {
        if (i_.called.empty()) return;
        if (is(Opcode::While)) {
            add("condition", computation(1));
            add("body", computation(0));
        } else if (is(Opcode::SelectAndScatter)) {
            add("select", computation(0));
            add("scatter", computation(1));
        } else if (is(Opcode::Fusion)) {
            add("kind", a_.fusion_kind);
            add("calls", computation(0));
        } else if (is(Opcode::Conditional) || i_.called.size() > 1) {
            std::string text = "{";
            for (std::size_t n = 0; n < i_.called.size(); ++n) text += (n != 0 ? ", " : "") + computation(n);
            add(is(Opcode::Conditional) ? "branch_computations" : "called_computations", text + "}");
        } else {
            add("to_apply", computation(0));
        }
        add_flag("is_composite", a_.is_composite);
    }

    void add_rest() {
        if (is(Opcode::Compare)) {
            add("direction", a_.comparison_direction);
            if (a_.comparison_type == "TOTALORDER") add("type", a_.comparison_type);
        }
        if (a_.triangular_solve) {
            const TriangularSolve& t = *a_.triangular_solve;
            add_flag("left_side", t.left_side);
            add_flag("lower", t.lower);
            add_flag("unit_diagonal", t.unit_diagonal);
            add("transpose_a", word_of(TransposeWords, t.transpose));
        }
        if (a_.cholesky) add_flag("lower", a_.cholesky->lower);
        if (a_.precision &&
            std::ranges::any_of(a_.precision->operands, [](std::int64_t p) { return p != 0; })) {
            std::vector<std::string_view> words;
            for (const std::int64_t number : a_.precision->operands)
                words.push_back(word_of(PrecisionWords, number));
            add("operand_precision", fmt::format("{{{}}}", fmt::join(words, ",")));
        }
        if (a_.precision && a_.precision->algorithm != 0)
            add("algorithm", word_of(AlgorithmWords, a_.precision->algorithm));
        if (is(Opcode::CustomCall)) {
            add("custom_call_target", in_quotes(a_.custom_call_target));
            add_flag("custom_call_has_side_effect", a_.has_side_effect);
            if (a_.custom_call_api > 1) add("api_version", word_of(CustomCallApiWords, a_.custom_call_api));
        }
        if (a_.sharding) add("sharding", format(*a_.sharding));
        if (a_.frontend && !a_.frontend->map.empty()) add("frontend_attributes", format(*a_.frontend));
        if (!i_.control_predecessors.empty())
            add("control-predecessors", "{" + positions(i_.control_predecessors) + "}");
        if (options_.metadata && i_.metadata) {
            const std::string metadata = format(*i_.metadata);
            if (metadata != "{}") add("metadata", metadata);
        }
        if (!a_.backend_config.empty()) add("backend_config", in_quotes(a_.backend_config));
    }

    const Module& module_;
    const Computation& computation_;
    const Instruction& i_;
    const Attributes& a_;
    const PrintOptions& options_;
    std::string text_;
};

std::string signature(const Computation& computation) {
    std::string text = "(";
    for (const Position at : computation.parameters()) {
        if (at >= computation.instructions.size()) continue;
        const Instruction& parameter = computation.instructions[at];
        text += fmt::format("{}{}: {}", text.size() > 1 ? ", " : "", parameter.name, format(parameter.shape));
    }
    return text + ") -> " + format(computation.root_instruction().shape);
}

std::string header(const Module& module) {
    std::string text = "HloModule " + module.name;
    if (module.aliases && !module.aliases->entries.empty()) {
        text += ", input_output_alias={";
        for (const Alias& alias : module.aliases->entries) {
            text += fmt::format("{} {}: ({}, {}, {})", &alias == module.aliases->entries.data() ? "" : ",",
                                braced(alias.output_index), alias.parameter, braced(alias.parameter_index),
                                word_of(AliasWords, alias.kind));
        }
        text += " }";
    }
    if (module.donors && !module.donors->entries.empty()) {
        text += ", buffer_donor={";
        for (const Donor& donor : module.donors->entries) {
            text += fmt::format("{} ({}, {})", &donor == module.donors->entries.data() ? "" : ",",
                                donor.parameter, braced(donor.parameter_index));
        }
        text += " }";
    }
    std::vector<Shape> parameters;
    const Computation& entry = module.entry_computation();
    for (const Position at : entry.parameters()) {
        if (at < entry.instructions.size()) parameters.push_back(entry.instructions[at].shape);
    }
    text += fmt::format(", entry_computation_layout={{{}->{}}}", format(tuple_of(parameters), true),
                        format(entry.root_instruction().shape, true));
    if (module.frontend && !module.frontend->map.empty())
        text += ", frontend_attributes=" + format(*module.frontend);
    return text + "\n\n";
}

std::string format(const StackFrames& stack) {
    std::string text;
    const auto section = [&](std::string_view title, const auto& list, const auto& line) {
        text += fmt::format("{}\n", title);
        for (std::size_t i = 0; i < list.size(); ++i) text += fmt::format("{} {}\n", i + 1, line(list[i]));
        text += "\n";
    };
    section("FileNames", stack.files, [](const std::string& name) { return in_quotes(name); });
    section("FunctionNames", stack.functions, [](const std::string& name) { return in_quotes(name); });
    section("FileLocations", stack.locations, [](const FileLocation& l) {
        return fmt::format(
            "{{file_name_id={} function_name_id={} line={} end_line={} column={} end_column={}}}", l.file,
            l.function, l.line, l.end_line, l.column, l.end_column);
    });
    // XLA counts parents from one more than files do.
    section("StackFrames", stack.frames, [](const StackFrame& f) {
        return fmt::format("{{file_location_id={} parent_frame_id={}}}", f.location, f.parent + 1);
    });
    return text;
}

}  // namespace

std::string print(const Module& module, const Computation& computation, const Instruction& instruction,
                  const PrintOptions& options) {
    return InstructionPrinter(module, computation, instruction, options).run();
}

std::string print(const Module& module, const PrintOptions& options) {
    std::string text = header(module);
    if (options.metadata && module.stack_frames && !module.stack_frames->files.empty())
        text += format(*module.stack_frames);
    for (Position c = 0; c < module.computations.size(); ++c) {
        const Computation& computation = module.computations[c];
        text += fmt::format("{}%{} {} {{\n", c == module.entry ? "ENTRY " : "", computation.name,
                            signature(computation));
        for (Position i = 0; i < computation.instructions.size(); ++i) {
            text += i == computation.root ? "  ROOT " : "  ";
            text += print(module, computation, computation.instructions[i], options) + "\n";
        }
        text += "}";
        if (!computation.execution_thread.empty() && computation.execution_thread != "main") {
            text += fmt::format(", execution_thread={}", in_quotes(computation.execution_thread));
        }
        text += "\n\n";
    }
    text.pop_back();
    return text;
}

}  // namespace trnsim::hlo

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "compiler/hlo/cursor.hpp"
#include "compiler/hlo/error.hpp"
#include "compiler/hlo/limits.hpp"
#include "compiler/hlo/literal_text.hpp"
#include "compiler/hlo/parse_attributes.hpp"
#include "compiler/hlo/text.hpp"

namespace trnsim::hlo {
namespace {

// XLA prints these in the line of the module; they are not kept.
constexpr std::string_view SkippedOfModule[] = {"is_scheduled",
                                                "num_partitions",
                                                "replica_count",
                                                "allow_spmd_sharding_propagation_to_parameters",
                                                "allow_spmd_sharding_propagation_to_output",
                                                "entry_computation_layout"};

std::string_view plain_comparison(ElementType type) {
    switch (kind(type)) {
        case Kind::Signed:
            return "SIGNED";
        case Kind::Unsigned:
        case Kind::Pred:
            return "UNSIGNED";
        default:
            return "FLOAT";
    }
}

class TextParser {
  public:
    explicit TextParser(std::string_view text) : text_(text) {}

    Module run() {
        text_.expect("HloModule");
        module_.name = text_.name("the name of the module");
        while (text_.accept(",")) module_attribute();
        stack_frames();
        bool has_entry = false;
        while (!text_.at_end()) {
            const bool entry = text_.accept("ENTRY");
            if (entry && has_entry) text_.fail("there are two entry computations");
            has_entry = has_entry || entry;
            computation();
            if (entry) module_.entry = static_cast<Position>(module_.computations.size() - 1);
        }
        if (module_.computations.empty()) text_.fail("there is no computation");
        if (!has_entry) module_.entry = static_cast<Position>(module_.computations.size() - 1);
        module_.entry_name = module_.entry_computation().name;
        renumber(module_);
        for (Computation& computation : module_.computations)
            computation.program_shape = Box(program_shape(computation));
        module_.program_shape = module_.computations[module_.entry].program_shape;
        return std::move(module_);
    }

  private:
    static ProgramShape program_shape(const Computation& computation) {
        ProgramShape shape;
        for (const Position at : computation.parameters()) {
            if (at >= computation.instructions.size()) continue;
            shape.parameters.push_back(computation.instructions[at].shape);
            shape.parameter_names.push_back(computation.instructions[at].name);
        }
        shape.result = computation.root_instruction().shape;
        return shape;
    }

    void module_attribute() {
        const std::string key(text_.word("an attribute of the module"));
        text_.expect("=");
        if (key == "input_output_alias") {
            aliases();
        } else if (key == "buffer_donor") {
            donors();
        } else if (key == "frontend_attributes") {
            module_.frontend = Box(parse_frontend(text_));
        } else if (std::ranges::find(SkippedOfModule, key) != std::end(SkippedOfModule)) {
            text_.skip_value();
        } else {
            text_.fail(fmt::format("a module has no attribute '{}'", key));
        }
    }

    void aliases() {
        AliasTable& table = module_.aliases.emplace();
        text_.expect("{");
        while (!text_.accept("}")) {
            if (!table.entries.empty()) text_.expect(",");
            Alias& alias = table.entries.emplace_back();
            alias.output_index = text_.braced();
            text_.expect(":");
            text_.expect("(");
            alias.parameter = text_.integer();
            text_.expect(",");
            alias.parameter_index = text_.braced();
            alias.kind = text_.accept(",") ? text_.one_of(AliasWords, "kind of alias") : 1;
            text_.expect(")");
        }
    }

    void donors() {
        DonorTable& table = module_.donors.emplace();
        text_.expect("{");
        while (!text_.accept("}")) {
            if (!table.entries.empty()) text_.expect(",");
            Donor& donor = table.entries.emplace_back();
            text_.expect("(");
            donor.parameter = text_.integer();
            text_.expect(",");
            donor.parameter_index = text_.braced();
            text_.expect(")");
        }
    }

    // Reads the lines "1 ..." of a section.
    template <typename Line>
    void section(std::string_view title, const Line& line) {
        if (!text_.accept(title)) return;
        StackFrames& stack = module_.stack_frames ? *module_.stack_frames : module_.stack_frames.emplace();
        std::int64_t number = 0;
        while (text_.accept(std::to_string(number + 1))) {
            ++number;
            text_.spend();
            line(stack);
        }
    }

    std::int64_t keyed(std::string_view key) {
        text_.expect(key);
        text_.expect("=");
        return text_.integer();
    }

    void stack_frames() {
        section("FileNames", [&](StackFrames& stack) { stack.files.push_back(text_.quoted()); });
        section("FunctionNames", [&](StackFrames& stack) { stack.functions.push_back(text_.quoted()); });
        section("FileLocations", [&](StackFrames& stack) {
            FileLocation& location = stack.locations.emplace_back();
            text_.expect("{");
            location.file = keyed("file_name_id");
            location.function = keyed("function_name_id");
            location.line = keyed("line");
            location.end_line = keyed("end_line");
            location.column = keyed("column");
            location.end_column = keyed("end_column");
            text_.expect("}");
        });
        section("StackFrames", [&](StackFrames& stack) {
            StackFrame& frame = stack.frames.emplace_back();
            text_.expect("{");
            frame.location = keyed("file_location_id");
            if (text_.peek("parent_frame_id")) frame.parent = keyed("parent_frame_id") - 1;
            text_.expect("}");
        });
    }

    void computation() {
        Computation computation;
        computation.name = text_.name("the name of a computation");
        if (computations_.contains(computation.name))
            text_.fail(fmt::format("there are two computations %{}", computation.name));
        if (text_.accept("(")) {
            signature();
            text_.expect("->");
            (void)text_.shape();
        }
        text_.expect("{");
        positions_.clear();
        bool has_root = false;
        while (!text_.accept("}")) {
            const bool root = text_.accept("ROOT");
            if (root && has_root) text_.fail(fmt::format("computation %{} has two roots", computation.name));
            has_root = has_root || root;
            if (root) computation.root = static_cast<Position>(computation.instructions.size());
            if (++instructions_ > MaxInstructions)
                text_.fail(fmt::format("there are more than {} instructions", MaxInstructions));
            computation.instructions.push_back(instruction(computation));
            positions_.emplace(computation.instructions.back().name,
                               static_cast<Position>(computation.instructions.size() - 1));
        }
        if (computation.instructions.empty())
            text_.fail(fmt::format("computation %{} is empty", computation.name));
        if (!has_root) computation.root = static_cast<Position>(computation.instructions.size() - 1);
        if (text_.accept(",")) {
            text_.expect("execution_thread");
            text_.expect("=");
            computation.execution_thread = text_.quoted();
        }
        computations_.emplace(computation.name, static_cast<Position>(module_.computations.size()));
        module_.computations.push_back(std::move(computation));
    }

    // Goes past "a: f32[], b: f32[])", which the parameters say again.
    void signature() {
        bool first = true;
        while (!text_.accept(")")) {
            if (!first) text_.expect(",");
            first = false;
            (void)text_.name("a parameter");
            text_.expect(":");
            (void)text_.shape();
        }
    }

    Position find(const std::unordered_map<std::string, Position>& names, const std::string& name,
                  std::string_view what) {
        const auto at = names.find(name);
        if (at == names.end()) text_.fail(fmt::format("no {} %{} stands before", what, name));
        return at->second;
    }

    Instruction instruction(const Computation& computation) {
        text_.spend();
        Instruction i;
        i.name = text_.name("an instruction");
        if (positions_.contains(i.name)) text_.fail(fmt::format("there are two instructions %{}", i.name));
        text_.expect("=");
        i.shape = text_.shape();
        const std::string opcode(text_.word("an opcode"));
        const auto found = find_opcode(opcode);
        if (!found) text_.fail(fmt::format("%{}: there is no opcode '{}'", i.name, opcode));
        i.opcode = *found;
        text_.expect("(");
        operands(i);
        const Names names{[&](const std::string& name) { return find(positions_, name, "instruction"); },
                          [&](const std::string& name) { return find(computations_, name, "computation"); }};
        while (text_.accept(",")) {
            const std::string key(text_.word("an attribute"));
            text_.expect("=");
            parse_attribute(key, text_, i, names);
        }
        complete(i, computation);
        return i;
    }

    void operands(Instruction& i) {
        if (i.opcode == Opcode::Parameter) {
            i.attributes.parameter_number = text_.integer();
            text_.expect(")");
            return;
        }
        if (i.opcode == Opcode::Constant) {
            Literal& literal = i.attributes.literal.emplace();
            literal.shape = i.shape;
            this->literal(literal, 0);
            text_.expect(")");
            return;
        }
        while (!text_.accept(")")) {
            if (!i.operands.empty()) text_.expect(",");
            if (text_.peek_shape()) (void)text_.shape();
            i.operands.push_back(find(positions_, text_.name("an operand"), "instruction"));
        }
    }

    void literal(Literal& literal, std::size_t depth) {
        if (literal.shape.is_tuple()) {
            if (depth > MaxDepth) text_.fail("a literal is too deep");
            text_.expect("(");
            for (const Shape& shape : literal.shape.tuple) {
                if (!literal.tuple.empty()) text_.expect(",");
                Literal& part = literal.tuple.emplace_back();
                part.shape = shape;
                this->literal(part, depth + 1);
            }
            text_.expect(")");
            return;
        }
        if (!literal.shape.is_array())
            text_.fail(fmt::format("there is no literal of the shape {}", format(literal.shape)));
        if (text_.peek("{...}")) text_.fail("the elements of a constant are left out");
        if (literal.shape.rank() > 0 && elements(literal.shape) == 0) {
            text_.skip_value();
            return;
        }
        nested(literal, 0);
    }

    void nested(Literal& literal, std::size_t dimension) {
        if (dimension == literal.shape.rank()) {
            element(literal);
            return;
        }
        text_.expect("{");
        for (std::int64_t i = 0; i < literal.shape.dimensions[dimension]; ++i) {
            if (i != 0) text_.expect(",");
            nested(literal, dimension + 1);
        }
        text_.expect("}");
    }

    void element(Literal& literal) {
        const bool complex = kind(literal.shape.type) == Kind::Complex;
        if (complex) text_.expect("(");
        for (int part = 0; part < (complex ? 2 : 1); ++part) {
            if (part != 0) text_.expect(",");
            const std::string_view word = text_.word("an element");
            if (!append_element(literal, word))
                text_.fail(fmt::format("'{}' is no element of {}", word, format(literal.shape)));
        }
        if (complex) text_.expect(")");
    }

    // Adds the attributes that files have and text leaves out.
    void complete(Instruction& i, const Computation& computation) {
        Attributes& a = i.attributes;
        if (i.opcode == Opcode::Compare && a.comparison_type.empty() && !i.operands.empty()) {
            a.comparison_type = plain_comparison(computation.instructions[i.operands.front()].shape.type);
        }
        if (i.opcode == Opcode::Convolution) {
            a.feature_group_count = std::max<std::int64_t>(a.feature_group_count, 1);
            a.batch_group_count = std::max<std::int64_t>(a.batch_group_count, 1);
        }
        if (i.opcode == Opcode::Cholesky && !a.cholesky) a.cholesky.emplace();
        if (i.opcode == Opcode::Gather && !a.gather) a.gather.emplace();
        if (i.opcode == Opcode::Scatter && !a.scatter) a.scatter.emplace();
        if (i.opcode == Opcode::Dot && !a.dot) a.dot.emplace();
        if ((i.opcode == Opcode::Pad) && !a.padding) a.padding.emplace();
    }

    Cursor text_;
    Module module_;
    std::unordered_map<std::string, Position> computations_, positions_;
    std::size_t instructions_ = 0;
};

}  // namespace

Module parse_text(std::string_view text) {
    return TextParser(text).run();
}

}  // namespace trnsim::hlo

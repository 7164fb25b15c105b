// The wire format: what is read, what comes back, what is refused and with which line.
#include "compiler/hlo/file.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>

#include "base/files/files.hpp"
#include "common/temporary_directory.hpp"
#include "compiler/hlo/error.hpp"
#include "compiler/hlo/limits.hpp"
#include "compiler/hlo/text.hpp"
#include "compiler/hlo/wire.hpp"

namespace trnsim::test {
namespace {

using namespace std::string_literals;

std::string field(unsigned number, const std::string& bytes) {
    std::string result;
    hlo::wire::append_varint(result, number << 3 | 2);
    hlo::wire::append_varint(result, bytes.size());
    return result + bytes;
}
std::string field(unsigned number, std::uint64_t value) {
    std::string result;
    hlo::wire::append_varint(result, number << 3);
    hlo::wire::append_varint(result, value);
    return result;
}

// f32[2] as a ShapeProto, with the layout {0}.
const std::string Vector = field(2, 11) + field(3, "\2"s) + field(5, field(1, "\0"s));

std::string instruction(const std::string& name, const std::string& opcode, std::uint64_t id,
                        const std::string& more = "") {
    return field(2, field(1, name) + field(2, opcode) + field(3, Vector) + more + field(35, id));
}
std::string module_of(const std::string& instructions, std::uint64_t root = 1) {
    return field(1, "m"s) + field(3, field(1, "main"s) + instructions + field(5, 7) + field(6, root)) +
           field(6, 7);
}
const std::string Parameter = instruction("x", "parameter", 1);

std::span<const std::uint8_t> bytes_of(const std::string& text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}
std::string error_of(const std::string& bytes) {
    return message_of<hlo::Error>([&] { (void)hlo::parse(bytes_of(bytes), "m.pb"); });
}

TEST(HloFile, AModuleIsReadAndWrittenBack) {
    const std::string bytes = module_of(Parameter);
    const hlo::Module module = hlo::parse_proto(bytes);
    EXPECT_EQ(module.name, "m");
    ASSERT_EQ(module.computations.size(), 1u);
    const hlo::Instruction& x = module.entry_computation().root_instruction();
    EXPECT_EQ(x.name, "x");
    EXPECT_EQ(x.opcode, hlo::Opcode::Parameter);
    EXPECT_EQ(hlo::format(x.shape, true), "f32[2]{0}");
    EXPECT_EQ(hlo::serialise(module), bytes);
}

TEST(HloFile, UnknownFieldsComeBackAtTheirPlace) {
    // Field 12 of the instruction, 9 of the computation and 15 and 99 of the module are not interpreted.
    const std::string inner =
        field(2, field(1, "x"s) + field(2, "parameter"s) + field(3, Vector) + field(12, "?"s) + field(35, 1));
    const std::string bytes =
        field(1, "m"s) + field(3, field(1, "main"s) + inner + field(5, 7) + field(6, 1) + field(9, "!"s)) +
        field(6, 7) + field(15, 3) + field(99, "end"s);
    EXPECT_EQ(hlo::serialise(hlo::parse_proto(bytes)), bytes);
}

TEST(HloFile, NegativeNumbersAndLargeIdsComeBack) {
    const std::uint64_t id = (std::uint64_t{5} << 32) + 3;
    const std::string pad =
        field(2, field(1, "y"s) + field(2, "pad"s) + field(3, Vector) +
                     field(21, field(1, field(1, ~std::uint64_t{0}))) + field(35, id + 1));
    const std::string bytes = module_of(
        field(2, field(1, "x"s) + field(2, "parameter"s) + field(3, Vector) + field(35, id)) + pad, id);
    const hlo::Module module = hlo::parse_proto(bytes);
    EXPECT_EQ(module.entry_computation().instructions[1].attributes.padding->dimensions[0].low, -1);
    EXPECT_EQ(hlo::serialise(module), bytes);
}

TEST(HloFile, ALiteralHasTheOrderOfItsLayout) {
    // s32[2,2] with the layout {0,1}: the file has columns one after the other.
    const auto shape = [](const std::string& layout) {
        return field(2, 4) + field(3, "\2\2"s) + field(5, field(1, layout));
    };
    for (const auto& [layout, expected] :
         {std::pair{"\0\1"s, "{ {1, 3}, {-2, 4} }"}, {"\1\0"s, "{ {1, -2}, {3, 4} }"}}) {
        std::string numbers;
        for (const std::int64_t n : {1, -2, 3, 4})
            hlo::wire::append_varint(numbers, static_cast<std::uint64_t>(n));
        const std::string literal = field(1, shape(layout)) + field(4, numbers);
        const std::string bytes =
            module_of(field(2, field(1, "c"s) + field(2, "constant"s) + field(3, shape(layout)) +
                                   field(8, literal) + field(35, 1)));
        const hlo::Module module = hlo::parse_proto(bytes);
        EXPECT_NE(hlo::print(module).find(expected), std::string::npos) << hlo::print(module);
        EXPECT_EQ(hlo::serialise(module), bytes);
    }
}

TEST(HloFile, WrappersAndGzipAreTakenOff) {
    const std::string module = module_of(Parameter);
    const std::string wrapped = field(1, module) + field(3, "buffers"s);
    EXPECT_EQ(hlo::serialise(hlo::parse(bytes_of(wrapped), "m")), module);
    const TemporaryDirectory directory;
    const std::string path = (directory / "m.hlo.pb.gz").string();
    gzFile file = gzopen(path.c_str(), "wb");
    gzwrite(file, module.data(), static_cast<unsigned>(module.size()));
    gzclose(file);
    EXPECT_EQ(hlo::serialise(hlo::read(path)), module);
    auto cut = files::read(path);
    cut.resize(cut.size() / 2);
    EXPECT_EQ(message_of<hlo::Error>([&] { (void)hlo::parse(cut, "m.gz"); }),
              "m.gz: its gzip data is damaged or cut off");
}

TEST(HloFile, BadBytesAreRefusedWithALine) {
    std::string deep = Vector;
    for (std::size_t i = 0; i < hlo::MaxDepth + 2; ++i) deep = field(2, 13) + field(4, deep);
    const std::pair<std::string, std::string> cases[] = {
        {"", "m.pb: there is no entry computation with the id 0"},
        {"\xff", "m.pb: a number is cut off"},
        {std::string(11, '\xff'), "m.pb: a number has more than ten bytes"},
        {"\x0a\x05m", "m.pb: field 1 has 5 bytes, of which 1 are there"},
        {"\x03", "m.pb: there is no field 0"},
        {"\x0b", "m.pb: field 1 has the unknown wire type 3"},
        {"ML\xefR....", "m.pb: is MLIR bytecode, expected HLO: jaxlib converts StableHLO to it"},
        {module_of(Parameter, 9), "m.pb: computation %main has no root with the id 9"},
        {module_of(Parameter + Parameter), "m.pb: %x: its id 1 is that of another instruction"},
        {module_of(instruction("y", "negate", 2, field(36, "\3"s)) + Parameter),
         "m.pb: %y: its operand with the id 3 does not stand before it"},
        {module_of(instruction("y", "frobnicate", 1)), "m.pb: %y: there is no opcode 'frobnicate'"},
        {module_of(instruction("y", "call", 1, field(38, "\4"s))),
         "m.pb: %y: its computation with the id 4 does not stand before it"},
        {module_of(field(2, field(1, "x"s) + field(2, "parameter"s) + field(3, field(2, 77)) + field(35, 1))),
         "m.pb: there is no element type 77"},
        {module_of(field(2, field(1, "x"s) + field(2, "parameter"s) + field(3, deep) + field(35, 1))),
         "m.pb: messages lie more than 32 deep in each other"},
        {module_of(field(2, field(1, "c"s) + field(2, "constant"s) + field(3, Vector) +
                                field(8, field(1, Vector) + field(8, "1234"s)) + field(35, 1))),
         "m.pb: a literal of 1 elements has the shape f32[2]"},
        {module_of(field(2, field(1, 5))), "m.pb: field 1 has wire type 0, expected 2"},
    };
    for (const auto& [bytes, expected] : cases) EXPECT_EQ(error_of(bytes), expected);
}

TEST(HloFile, EveryBeginningIsReadOrRefused) {
    const std::string bytes = module_of(Parameter + instruction("y", "negate", 2, field(36, "\1"s)), 2);
    for (std::size_t size = 0; size < bytes.size(); ++size)
        EXPECT_NE(error_of(bytes.substr(0, size)), "") << size;
    EXPECT_EQ(error_of(bytes), "");
}

TEST(HloFile, AnErrorNamesTheLineOfTheFramework) {
    const std::string metadata = field(7, field(2, "add"s) + field(3, "model.py"s) + field(4, 105));
    EXPECT_EQ(error_of(module_of(field(
                  2, field(1, "y"s) + field(2, "frobnicate"s) + field(3, Vector) + metadata + field(35, 1)))),
              "m.pb: %y (model.py:105): there is no opcode 'frobnicate'");
}

}  // namespace
}  // namespace trnsim::test

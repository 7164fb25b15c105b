// HLO text: what is read is printed again, and what is wrong is named with its line.
#include "compiler/hlo/text.hpp"

#include <gtest/gtest.h>

#include "common/temporary_directory.hpp"
#include "compiler/hlo/error.hpp"
#include "compiler/hlo/file.hpp"
#include "compiler/hlo/groups.hpp"

namespace trnsim::test {
namespace {

// One instruction of each syntax of attributes.
constexpr const char* Whole =
    R"(HloModule whole, input_output_alias={ {0}: (0, {}, may-alias), {1}: (1, {}, must-alias) }, buffer_donor={ (2, {}) }, entry_computation_layout={(f32[1,8,8,4]{3,2,1,0}, f32[3,3,4,2]{3,2,1,0}, pred[]{})->(f32[1,8,8,4]{3,2,1,0}, f32[3,3,4,2]{3,2,1,0})}, frontend_attributes={key="a \"quoted\" value"}

FileNames
1 "model.py"

FunctionNames
1 "main"

FileLocations
1 {file_name_id=1 function_name_id=1 line=7 end_line=7 column=1 end_column=9}

StackFrames
1 {file_location_id=1 parent_frame_id=1}

%sum (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %sum.1 = f32[] add(%a, %b)
}

%same (s: f32[1,8,8,4]) -> f32[1,8,8,4] {
  ROOT %s = f32[1,8,8,4]{3,2,1,0} parameter(0)
}

ENTRY %main (x: f32[1,8,8,4], k: f32[3,3,4,2], p: pred[]) -> (f32[1,8,8,4], f32[3,3,4,2]) {
  %x = f32[1,8,8,4]{3,2,1,0} parameter(0), sharding={devices=[1,2,1,4]<=[4,2]T(1,0)}, metadata={op_name="jit(f)/x" source_file="model.py" source_line=5}
  %k = f32[3,3,4,2]{3,2,1,0} parameter(1), sharding={replicated}
  %p = pred[] parameter(2)
  %convolution = f32[1,6,4,2]{3,2,1,0} convolution(%x, %k), window={size=3x3 stride=1x2 pad=1_0x1_1 rhs_dilate=2x1 rhs_reversal=0x1}, dim_labels=b01f_01io->b01f, operand_precision={highest,default}, metadata={op_type="Conv" stack_frame_id=1}
  %zero = f32[] constant(0)
  %reduce = f32[1,6]{1,0} reduce(%convolution, %zero), dimensions={2,3}, to_apply=%sum
  %pad = f32[2,9]{1,0} pad(%reduce, %zero), padding=0_1x-1_2_1
  %slice = f32[2,4]{1,0} slice(%pad), slice={[0:2], [1:9:2]}
  %all = f32[2,4]{1,0} all-reduce(%slice), channel_id=1, replica_groups={{0,1},{2,3}}, use_global_device_ids=true, to_apply=%sum
  %iota-groups = f32[2,4]{1,0} all-reduce(%all), channel_id=2, replica_groups=[2,4]<=[4,2]T(1,0), use_global_device_ids=true, to_apply=%sum
  %mesh = f32[4,4]{1,0} all-gather(%iota-groups), channel_id=3, replica_groups=mesh['a'=2,'b'=4], device_ids=([4,2]T(1,0)) {'a'}, use_global_device_ids=true, dimensions={0}
  %sub = f32[4,4]{1,0} all-reduce(%mesh), channel_id=4, replica_groups=mesh['a'=4,'b'=2] {'a':(2)2,'b'}, use_global_device_ids=true, to_apply=%sum
  %permute = f32[4,4]{1,0} collective-permute(%sub), source_target_pairs={{0,1},{1,0}}
  %weights = s4[2,2]{0,1} constant({ {1, -8}, {7, 0} })
  %numbers = (f32[3]{0}, bf16[]) constant(({nan, -inf, 0.1}, -0))
  %empty = f32[0,3]{1,0} constant({})
  %dot = f32[4,4]{1,0} dot(%permute, %permute), lhs_contracting_dims={1}, rhs_contracting_dims={0}, algorithm=dot_bf16_bf16_f32_x3
  %custom = f32[] custom-call(%dot), custom_call_target="sum", custom_call_has_side_effect=true, control-predecessors={%empty}, backend_config="{\"n\": 1}"
  %conditional = f32[1,8,8,4]{3,2,1,0} conditional(%p, %x, %x), branch_computations={%same, %same}
  %fusion = f32[1,8,8,4]{3,2,1,0} fusion(%conditional), kind=kLoop, calls=%same
  ROOT %tuple = (f32[1,8,8,4]{3,2,1,0}, f32[3,3,4,2]{3,2,1,0}) tuple(%fusion, %k)
}
)";

TEST(HloText, IsPrintedAsItWasRead) {
    std::string expected = Whole;
    // A scalar has no layout.
    expected.replace(expected.find("pred[]{}"), 8, "pred[]");
    EXPECT_EQ(hlo::print(hlo::parse_text(Whole)), expected);
}

TEST(HloText, GoesThroughTheFileFormat) {
    const hlo::Module module = hlo::parse_text(Whole);
    const std::string bytes = hlo::serialise(module);
    EXPECT_EQ(hlo::print(hlo::parse_proto(bytes)), hlo::print(module));
    EXPECT_EQ(hlo::serialise(hlo::parse_proto(bytes)), bytes);
}

TEST(HloText, NamesNeedNoPercentAndOperandsMayHaveShapes) {
    const hlo::Module module = hlo::parse_text(
        "// a comment\nHloModule m\nENTRY main {\n x = f32[2] parameter(0)\n ROOT y = f32[2] add(f32[2]{0} "
        "x, f32[2] %x) /* the end */\n}");
    EXPECT_EQ(hlo::print(module, module.entry_computation(), module.entry_computation().root_instruction()),
              "%y = f32[2]{0} add(%x, %x)");
}

TEST(HloText, LargeConstantsMayBeLeftOut) {
    const hlo::Module module =
        hlo::parse_text("HloModule m\nENTRY main {\n ROOT c = f32[3] constant({1, 2, 3})\n}");
    EXPECT_NE(hlo::print(module, {.metadata = true, .constant_elements = 2}).find("constant({...})"),
              std::string::npos);
}

TEST(HloText, MistakesAreNamedWithTheirLine) {
    const std::string begin = "HloModule m\nENTRY main {\n x = f32[2] parameter(0)\n ";
    const std::pair<std::string, std::string> cases[] = {
        {"module m", "line 1: expected 'HloModule', found 'module m'"},
        {"HloModule m, colour=blue", "line 1: a module has no attribute 'colour'"},
        {"HloModule m\n", "line 2: there is no computation"},
        {"HloModule m\nENTRY main {\n}", "line 3: computation %main is empty"},
        {begin + "y = f32[2] frobnicate(x)\n}", "line 4: %y: there is no opcode 'frobnicate'"},
        {begin + "y = f33[2] negate(x)\n}", "line 4: there is no element type 'f33'"},
        {begin + "y = f32[2] negate(z)\n}", "line 4: no instruction %z stands before"},
        {begin + "y = f32[2] negate(x), colour=1\n}", "line 4: %y: there is no attribute 'colour'"},
        {begin + "x = f32[2] negate(x)\n}", "line 4: there are two instructions %x"},
        {begin + "y = f32[2] negate(x", "line 4: expected ','"},
        {begin + "y = f32[] reduce(x, x), to_apply=sum\n}", "line 4: no computation %sum stands before"},
        {begin + "y = s8[2] constant({1, 200})\n}", "line 4: '200' is no element of s8[2]"},
        {begin + "y = f32[2] constant({1})\n}", "line 4: expected ',', found '})'"},
        {begin + "y = f32[2] constant({...})\n}", "line 4: the elements of a constant are left out"},
        {begin + "y = f32[99999999999999999999] negate(x)\n}", "line 4: a number exceeds 64 bits"},
        {begin + "y = f32[2] negate(x), metadata={op_name=\"\n}", "line 5: a string has no end"},
        {begin + "ROOT y = f32[2] negate(x)\n ROOT z = f32[2] negate(x)\n}",
         "line 5: computation %main has two roots"},
    };
    for (const auto& [text, expected] : cases) {
        EXPECT_EQ(message_of<hlo::Error>([&] { (void)hlo::parse_text(text); }), expected) << text;
    }
}

TEST(HloText, DeepBracketsAreRefused) {
    const std::string deep(100000, '(');
    EXPECT_EQ(
        message_of<hlo::Error>([&] { (void)hlo::parse_text("HloModule m\nENTRY main {\n x = " + deep); }),
        "line 3: tuples lie more than 32 deep in each other");
    const std::string sharding(100000, '{');
    EXPECT_EQ(
        message_of<hlo::Error>([&] {
            (void)hlo::parse_text("HloModule m\nENTRY main {\n x = f32[] parameter(0), sharding=" + sharding);
        }),
        "line 3: shardings lie more than 32 deep in each other");
}

}  // namespace
}  // namespace trnsim::test

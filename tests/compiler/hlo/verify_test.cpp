// The verifier: each rule with a module that breaks it, and the line that says so.
#include "compiler/hlo/verify.hpp"

#include <gtest/gtest.h>

#include "common/temporary_directory.hpp"
#include "compiler/hlo/error.hpp"
#include "compiler/hlo/infer.hpp"
#include "compiler/hlo/limits.hpp"
#include "compiler/hlo/text.hpp"

namespace trnsim::test {
namespace {

// Computations and parameters that the cases use.
constexpr const char* Before = R"(HloModule m
sum { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT c = f32[] add(a, b) }
less { a.1 = f32[] parameter(0)
 b.1 = f32[] parameter(1)
 ROOT c.1 = pred[] compare(a.1, b.1), direction=LT }
same { ROOT s = f32[2,3] parameter(0) }
always { s.1 = f32[2,3] parameter(0)
 ROOT t = pred[] constant(true) }
ENTRY main {
 x = f32[2,3] parameter(0)
 y = f32[3,4] parameter(1)
 i = s32[2] parameter(2)
 z = f32[] parameter(3)
 p = pred[2,3] parameter(4)
 q = pred[] parameter(5)
 u = u32[2,3] parameter(6)
 k = f32[3,3,1,2] parameter(7)
 m = f32[1,8,8,1] parameter(8)
 w = (f32[2], s32[]) parameter(9)
 g = u64[2] parameter(10)
 r = )";

std::string error_of(const std::string& instruction) {
    return message_of<hlo::Error>([&] { hlo::verify(hlo::parse_text(Before + instruction + "\n}")); });
}

TEST(Verifier, NamesWhatIsWrong) {
    const std::pair<const char*, const char*> cases[] = {
        {"f32[2,4] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}", ""},
        {"f32[2,3] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
         "metadata={source_file=\"a.py\" source_line=7}",
         "%r (a.py:7): dot has the shape f32[2,3], expected f32[2,4]"},
        {"f32[2,4] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
         "%r: contracting dimensions 0 of f32[2,3] and 0 of f32[3,4] have different sizes"},
        {"f32[2,4] dot(x, y), lhs_contracting_dims={2}, rhs_contracting_dims={0}",
         "%r: dimensions of the left operand 2 is none of 2 dimensions"},
        {"s32[2,4] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
         "%r: products of f32 become s32"},
        {"f32[2,3] add(x)", "%r: add has 1 operands, expected 2"},
        {"f32[2,3] add(x, y)", "%r: operands f32[2,3] and f32[3,4] differ"},
        {"f32[2,3] and(x, x)", "%r: and of f32, expected integers or pred"},
        {"u32[2,3] tanh(u)", "%r: tanh of u32, expected real numbers"},
        {"f32[2,3] negate(w)", "%r: operand 0 is (f32[2], s32[]), expected an array"},
        {"pred[2,3] compare(x, x), direction=XX", "%r: there is no direction 'XX'"},
        {"f32[2,3] select(q, x, x)", ""},
        {"f32[2,3] select(x, x, x)", "%r: the condition is f32[2,3], expected pred[2,3]"},
        {"f32[2,3] clamp(i, x, z)", "%r: the bound s32[2] does not fit f32[2,3]"},
        {"s32[3] convert(i)", "%r: operand and result s32[2] and s32[3] have different sizes"},
        {"f32[2,3] reduce-precision(x), exponent_bits=0, mantissa_bits=3",
         "%r: there is no format of 0 exponent and 3 mantissa bits"},
        {"f32[2,3,5] broadcast(x), dimensions={0,2}", "%r: dimension 1 of f32[2,3] becomes 2 of size 5"},
        {"f32[5] reshape(x)", "%r: f32[2,3] cannot become f32[5]"},
        {"f32[3,2] transpose(x), dimensions={1,1}", "%r: dimensions has the dimension 1 twice"},
        {"f32[2,3] transpose(x), dimensions={1,0}",
         "%r: transpose has the shape f32[2,3], expected f32[3,2]"},
        {"f32[1,3] slice(x), slice={[0:3], [0:3]}", "%r: [0:3:1] is no slice of dimension 0 of f32[2,3]"},
        {"f32[1,3] slice(x), slice={[0:2:0], [0:3]}", "%r: [0:2:0] is no slice of dimension 0 of f32[2,3]"},
        {"f32[2,3] pad(x, z), padding=0_-3x0_0",
         "%r: padding 0_-3_0 leaves nothing of dimension 0 of f32[2,3]"},
        {"f32[2,3] pad(x, z), padding=0_0_-1x0_0", "%r: 0_0_-1 is no padding"},
        {"f32[4,3] concatenate(x, y), dimensions={0}",
         "%r: operands f32[2,3] and f32[3,4] differ in more than dimension 0"},
        {"f32[1,3] dynamic-slice(x, z, z), dynamic_slice_sizes={1,3}",
         "%r: the start index f32[] is no integer"},
        {"f32[2,3] dynamic-update-slice(x, y, i)", "%r: the update f32[3,4] does not fit f32[2,3]"},
        {"f32[2,3] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
         "index_vector_dim=1, slice_sizes={1,3}",
         ""},
        {"f32[2,3] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0,1}, "
         "index_vector_dim=1, slice_sizes={1,3}",
         "%r: an index of 1 numbers for the dimensions {0,1}"},
        {"f32[2,3] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
         "index_vector_dim=1, slice_sizes={3,3}",
         "%r: a slice of 3 in dimension 0 of f32[2,3]"},
        {"f32[2,3] scatter(x, i, x), update_window_dims={1}, inserted_window_dims={0}, "
         "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum",
         ""},
        {"f32[2,3] scatter(x, i, x), update_window_dims={1}, inserted_window_dims={0}, "
         "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=less",
         "%r: the result of to_apply %less is pred[], expected f32[]"},
        {"f32[2] reduce(x, z), dimensions={1}, to_apply=sum", ""},
        {"f32[2] reduce(x, z), dimensions={1}, to_apply=less",
         "%r: the result of to_apply %less is pred[], expected f32[]"},
        {"f32[2] reduce(x, x), dimensions={1}, to_apply=sum",
         "%r: the initial value of f32[2,3] is f32[2,3]"},
        {"f32[2] reduce(x, z), dimensions={1}", "%r: calls 0 computations, expected more"},
        {"f32[1,2] reduce-window(x, z), window={size=2x2 stride=0x1}, to_apply=sum",
         "%r: a window of size 2, stride 0, padding 0_0, dilations 1 and 1 over 2"},
        {"f32[1,2] reduce-window(x, z), window={size=2}, to_apply=sum",
         "%r: a window of 1 dimensions over f32[2,3]"},
        {"f32[2,3] select-and-scatter(x, x, z), window={size=2x2}, select=less, scatter=sum",
         "%r: the source is f32[2,3], expected f32[1,2]"},
        {"f32[1,6,6,2] convolution(m, k), window={size=3x3}, dim_labels=b01f_01io->b01f", ""},
        {"f32[1,6,6,2] convolution(m, k), window={size=3x3}, dim_labels=b01f_01io->b01f, "
         "feature_group_count=2",
         "%r: 1 features of the input in 2 groups meet 1 of the kernel"},
        {"f32[1,6,6,2] convolution(m, k), window={size=2x3}, dim_labels=b01f_01io->b01f",
         "%r: the window has the size 2 and the kernel 3"},
        {"f32[2,3] while(x), condition=always, body=same", ""},
        {"f32[3,4] while(y), condition=always, body=same",
         "%r: parameter 0 of condition %always is f32[2,3], expected f32[3,4]"},
        {"f32[2,3] while(x), condition=same, body=same",
         "%r: the result of condition %same is f32[2,3], expected pred[]"},
        {"f32[2,3] conditional(q, x), branch_computations={same}", "%r: has 1 branches and 2 operands"},
        {"f32[2,3] conditional(z, x, x), branch_computations={same, same}",
         "%r: the selector is f32[], expected pred[] or s32[]"},
        {"f32[2,3] call(y), to_apply=same",
         "%r: parameter 0 of the computation %same is f32[2,3], expected f32[3,4]"},
        {"f32[2,3] map(x), dimensions={0,1}, to_apply=sum", "%r: to_apply %sum has 2 parameters, expected 1"},
        {"f32[2,3] sort(x), dimensions={2}, to_apply=less", "%r: dimension 2 is none of 2 dimensions"},
        {"(f32[2,4], s32[2,4]) topk(x), k=4, largest=true", "%r: the top 4 of f32[2,3]"},
        {"s32[] get-tuple-element(w), index=2", "%r: there is no element 2 of (f32[2], s32[])"},
        {"f32[2] get-tuple-element(w), index=1",
         "%r: get-tuple-element has the shape f32[2], expected s32[]"},
        {"pred[3] iota(), iota_dimension=0", "%r: there is no iota of pred[3]"},
        {"f64[2,3] bitcast-convert(x)", "%r: f32[2,3] cannot become f64[2,3]"},
        {"(u64[2], u32[5]) rng-bit-generator(g), algorithm=rng_default", ""},
        {"(u64[3], u32[5]) rng-bit-generator(g), algorithm=rng_default",
         "%r: (u64[3], u32[5]) of the state u64[2], expected that and integers"},
        {"(f32[2,3], f32[2], f32[2]) batch-norm-training(x, i, i), epsilon=1, feature_index=0",
         "%r: operand 1 is s32[2], expected f32[2]"},
        {"f32[2,3] cholesky(x), lower=true", "%r: f32[2,3] is no square matrix of real numbers"},
        {"f32[2,3] all-reduce(x), replica_groups={{0,1},{1}}, to_apply=sum",
         "%r: the replica groups have the id 1 twice"},
        {"f32[2,3] all-reduce(x), use_global_device_ids=true, to_apply=sum",
         "%r: use_global_device_ids asks for a channel_id"},
        {"f32[3,3] all-gather(x), replica_groups={{0,1}}, dimensions={0}",
         "%r: all-gather has the shape f32[3,3], expected f32[4,3]"},
        {"f32[1,3] reduce-scatter(x), replica_groups={{0,1,2}}, dimensions={0}, to_apply=sum",
         "%r: dimension 0 of f32[2,3] has no 3 equal parts"},
        {"f32[2,3] collective-permute(x), source_target_pairs={{0,1},{0,2}}",
         "%r: a device of the pair {0,2} appears twice"},
        {"c64[2,3] complex(x, x)", "%r: complex is refused: complex numbers are not supported"},
        {"c64[2] constant({(1, 2), (3, 4)})", "%r: c64[2] is refused: complex numbers are not supported"},
        {"c64[2,2] fft(x), fft_type=RFFT, fft_length={3}",
         "%r: fft is refused: complex numbers are not supported"},
        {"f32[2,3] rng(z, z), distribution=rng_uniform",
         "%r: rng is refused: its values are not specified; rng-bit-generator is"},
        {"f32[<=2,3] negate(x)", "%r: f32[<=2,3] is refused: shapes have to be static"},
        {"s32[] get-dimension-size(x), dimensions={0}",
         "%r: get-dimension-size is refused: shapes have to be static"},
        {"(f32[2,3], f32[2,3]) all-reduce-start(x), to_apply=sum",
         "%r: all-reduce-start is refused: asynchronous operations appear in scheduled modules only"},
        {"token[] outfeed(x, x)",
         "%r: outfeed is refused: transfers between a running program and its host are not supported"},
        {"f32[2000000000,2000000000] broadcast(z), dimensions={}",
         "%r: f32[2000000000,2000000000] is refused: an array has at most 1099511627776 elements"},
        {"f32[-1] broadcast(z), dimensions={}",
         "%r: f32[-1] is refused: an array has at most 1099511627776 elements"},
        {"f32[2,3]{0,0} negate(x)", "%r: the layout {0,0} is no order of the dimensions of f32[2,3]"},
        {"f32[1] parameter(12)", "computation %main has 12 parameters and one with the number 12"},
        {"f32[1] parameter(3)", "computation %main has no single parameter 3"},
    };
    for (const auto& [instruction, expected] : cases)
        EXPECT_EQ(error_of(instruction), expected) << instruction;
}

TEST(Verifier, AliasesAndDonorsNameWhatIsThere) {
    const auto error = [](const std::string& attributes) {
        return message_of<hlo::Error>([&] {
            hlo::verify(hlo::parse_text("HloModule m" + attributes +
                                        "\nENTRY main {\n x = f32[2] parameter(0)\n y = f32[3] "
                                        "parameter(1)\n ROOT t = (f32[2], f32[3]) tuple(x, y)\n}"));
        });
    };
    EXPECT_EQ(error(", input_output_alias={ {0}: (0, {}, may-alias) }, buffer_donor={ (1, {}) }"), "");
    EXPECT_EQ(error(", input_output_alias={ {0}: (1, {}) }"),
              "the alias of result {0} and parameter 1 {} joins f32[2] and f32[3]");
    EXPECT_EQ(error(", input_output_alias={ {2}: (1, {}) }"),
              "the alias of result {2} and parameter 1 {} names nothing that is there");
    EXPECT_EQ(error(", input_output_alias={ {0}: (0, {}), {0}: (0, {}) }"),
              "the alias of result {0} and parameter 0 {} is not the only one");
    EXPECT_EQ(error(", buffer_donor={ (2, {}) }"), "the donor parameter 2 {} is not there");
    EXPECT_EQ(error(", input_output_alias={ {0}: (0, {}) }, buffer_donor={ (0, {}) }"),
              "the donor parameter 0 {} gives its memory twice");
}

TEST(Verifier, ReferencesPointBack) {
    hlo::Module module =
        hlo::parse_text("HloModule m\nENTRY main {\n x = f32[2] parameter(0)\n ROOT y = f32[2] negate(x)\n}");
    module.computations[0].instructions[1].operands[0] = 1;
    EXPECT_EQ(message_of<hlo::Error>([&] { hlo::verify(module); }),
              "%y: an operand does not stand before it");
    module.computations[0].instructions[1].operands[0] = 0;
    module.computations[0].instructions[1].called = {0};
    EXPECT_EQ(message_of<hlo::Error>([&] { hlo::verify(module); }),
              "%y: a computation that it calls does not stand before its own");
    module.computations[0].instructions[1].called.clear();
    module.computations[0].instructions[1].id = module.computations[0].instructions[0].id;
    EXPECT_EQ(message_of<hlo::Error>([&] { hlo::verify(module); }),
              "%y: its id 1 is that of another instruction");
}

TEST(Verifier, CallsHaveADepth) {
    std::string text = "HloModule m\nf0 { ROOT x = f32[] parameter(0) }\n";
    for (std::size_t i = 1; i <= hlo::MaxCallDepth; ++i) {
        text += "f" + std::to_string(i) + " { p = f32[] parameter(0)\n ROOT c = f32[] call(p), to_apply=f" +
                std::to_string(i - 1) + " }\n";
    }
    EXPECT_EQ(message_of<hlo::Error>([&] { hlo::verify(hlo::parse_text(text)); }),
              "%c: computations call each other more than 64 deep");
}

TEST(Verifier, ShapesAreInferredFromOperands) {
    hlo::Module module = hlo::parse_text(
        "HloModule m\nENTRY main {\n x = f32[2,3] parameter(0)\n ROOT y = f32[3,2] transpose(x), "
        "dimensions={1,0}\n}");
    hlo::Computation& main = module.computations[0];
    main.instructions[1].shape = {};
    EXPECT_EQ(hlo::format(hlo::infer_shape(module, main, main.instructions[1]), true), "f32[3,2]{1,0}");
}

}  // namespace
}  // namespace trnsim::test

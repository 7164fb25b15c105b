// The floating-point functions of a GpSimd core between two registers; division and square root make all
// their steps in one cycle.
module fp_tb
  import gpsimd_pkg::*;
  import gpsimd_alu_pkg::*;
(
    input  logic        clk_i,
    input  logic [5:0]  op_i,    // a code of fp_op_e
    input  logic [2:0]  rm_i,
    input  logic [5:0]  bits_i,  // width of an integer
    input  logic [31:0] a_i,
    input  logic [31:0] b_i,
    input  logic [31:0] c_i,
    output logic [31:0] value_o,
    output logic [4:0]  flags_o
);
  fp_op_e     op;
  fp_result_t result;
  divider_t   divider;
  logic       root;
  assign op   = fp_op_e'(op_i);
  assign root = op == FpSqrt;

  always_comb begin
    divider = '0;
    if ((op == FpDiv) | root) begin
      divider = fp_start(root, a_i, b_i);
      for (int unsigned step = 0; step < 32'(FpSteps); step++) divider = root ? root_step(divider) : divide_step(divider);
      result = fp_finish(divider, root, a_i, b_i, rm_i);
    end else if (op == FpRec7) begin
      result = gpsimd_estimate_pkg::reciprocal(a_i, rm_i);
    end else if (op == FpRsqrt7) begin
      result = gpsimd_estimate_pkg::reciprocal_root(a_i);
    end else begin
      result = gpsimd_fp_pkg::execute(op, a_i, b_i, c_i, rm_i, bits_i);
    end
  end

  always_ff @(posedge clk_i) {flags_o, value_o} <= result;
endmodule

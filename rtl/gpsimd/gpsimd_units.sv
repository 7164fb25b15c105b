// Units of the scalar side with later results: multiplier, divider, floating point. They and the vector unit
// share a port to the registers.
module gpsimd_units
  import gpsimd_pkg::*;
#(
  parameter int unsigned MultiplyStages = 2,
  parameter int unsigned FpStages = 4
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  // An instruction for UnitMul, UnitDiv or UnitFpu.
  input  logic        valid_i,
  input  unit_e       unit_i,
  input  fp_op_e      fp_i,
  input  logic [2:0]  funct3_i,
  input  logic [2:0]  rm_i,
  input  register_t   dest_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  input  logic [31:0] c_i,
  output logic        ready_o,

  // A scalar result of the vector unit.
  input  logic        vector_valid_i,
  input  result_t     vector_result_i,

  output logic        valid_o,
  output result_t     result_o,
  output logic        idle_o      // no result is to come
);

  logic is_divide, is_multiply, is_fp;
  assign is_multiply = unit_i == UnitMul;
  assign is_divide = (unit_i == UnitDiv) | ((unit_i == UnitFpu) & ((fp_i == FpDiv) | (fp_i == FpSqrt)));
  assign is_fp = (unit_i == UnitFpu) & ~is_divide;

  logic    multiply_ready, divide_ready, fp_ready, fp_idle, multiply_idle;
  logic    multiply_valid, divide_valid, fp_valid;
  logic    multiply_taken, divide_taken, fp_taken;
  result_t multiply_in, fp_in, multiply_result, divide_result, fp_result;
  assign ready_o = is_multiply ? multiply_ready : is_divide ? divide_ready : fp_ready;

  always_comb begin
    multiply_in = '0;
    fp_in = '0;
    if (valid_i && is_multiply) begin
      multiply_in = '{dest: dest_i, value: gpsimd_alu_pkg::multiply(funct3_i[1:0], a_i, b_i), flags: '0};
    end
    if (valid_i && is_fp) begin
      fp_in.dest = dest_i;
      {fp_in.flags, fp_in.value} = gpsimd_fp_pkg::execute(fp_i, a_i, b_i, c_i, rm_i, 6'd32);
    end
  end

  gpsimd_result_pipe #(
    .Stages(MultiplyStages)
  ) u_multiply (
    .clk_i,
    .rst_ni,
    .valid_i (valid_i & is_multiply),
    .result_i(multiply_in),
    .ready_o (multiply_ready),
    .valid_o (multiply_valid),
    .result_o(multiply_result),
    .ready_i (multiply_taken),
    .idle_o  (multiply_idle)
  );

  gpsimd_result_pipe #(
    .Stages(FpStages)
  ) u_fp (
    .clk_i,
    .rst_ni,
    .valid_i (valid_i & is_fp),
    .result_i(fp_in),
    .ready_o (fp_ready),
    .valid_o (fp_valid),
    .result_o(fp_result),
    .ready_i (fp_taken),
    .idle_o  (fp_idle)
  );

  gpsimd_divider u_divider (
    .clk_i,
    .rst_ni,
    .valid_i (valid_i & is_divide),
    .fp_i    (unit_i == UnitFpu),
    .root_i  ((unit_i == UnitFpu) & (fp_i == FpSqrt)),
    .funct_i (funct3_i[1:0]),
    .rm_i,
    .dest_i,
    .a_i,
    .b_i,
    .ready_o (divide_ready),
    .valid_o (divide_valid),
    .result_o(divide_result),
    .ready_i (divide_taken)
  );

  assign divide_taken   = ~vector_valid_i;
  assign fp_taken       = ~vector_valid_i & ~divide_valid;
  assign multiply_taken = ~vector_valid_i & ~divide_valid & ~fp_valid;
  assign valid_o        = vector_valid_i | divide_valid | fp_valid | multiply_valid;
  assign result_o       = vector_valid_i ? vector_result_i : divide_valid ? divide_result
                        : fp_valid ? fp_result : multiply_result;
  assign idle_o         = multiply_idle & fp_idle & divide_ready;

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      UnitExists: assert (!valid_i || is_multiply || is_divide || is_fp);
      ValidKnown: assert (!$isunknown({valid_o, ready_o, idle_o}));
      ResultKnown: assert (!valid_o || !$isunknown(result_o));
    end
  end
  `endif

endmodule

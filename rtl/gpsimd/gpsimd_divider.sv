// Iterative divider of the scalar side: integer division, floating-point division and square root, one bit a
// cycle.
module gpsimd_divider
  import gpsimd_pkg::*;
  import gpsimd_alu_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,

  // An operation: a floating-point one, or div, divu, rem or remu, chosen by funct3.
  input  logic        valid_i,
  input  logic        fp_i,
  input  logic        root_i,
  input  logic [1:0]  funct_i,
  input  logic [2:0]  rm_i,
  input  register_t   dest_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic        ready_o,

  output logic        valid_o,
  output result_t     result_o,
  input  logic        ready_i
);

  typedef enum logic [1:0] {Idle, Step, Done} state_e;

  state_e      state_q;
  divider_t    divider_q;
  logic [5:0]  left_q;
  logic        fp_q, root_q;
  logic [1:0]  funct_q;
  logic [2:0]  rm_q;
  logic [31:0] a_q, b_q;
  result_t     result_q;

  // Most programs divide little, so the clock stops while there is nothing to divide.
  logic clk;
  clock_gate u_gate (
    .clk_i,
    .en_i (valid_i | (state_q != Idle)),
    .clk_o(clk)
  );

  always_ff @(posedge clk or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q   <= Idle;
      divider_q <= '0;
      left_q    <= '0;
      result_q  <= '0;
      {fp_q, root_q, funct_q, rm_q, a_q, b_q} <= '0;
    end else begin
      case (state_q)
        Idle: begin
          if (valid_i) begin
            state_q   <= Step;
            divider_q <= fp_i ? fp_start(root_i, a_i, b_i) : divide_start(~funct_i[0], 2'd2, a_i, b_i);
            left_q    <= fp_i ? FpSteps : 6'd32;
            {fp_q, root_q, funct_q, rm_q, a_q, b_q} <= {fp_i, root_i, funct_i, rm_i, a_i, b_i};
            result_q.dest <= dest_i;
          end
        end
        Step: begin
          if (left_q == '0) begin
            state_q <= Done;
            if (fp_q) begin
              {result_q.flags, result_q.value} <= fp_finish(divider_q, root_q, a_q, b_q, rm_q);
            end else begin
              {result_q.flags, result_q.value} <= {5'b0, divide_finish(divider_q, ~funct_q[0], funct_q[1], a_q, b_q)};
            end
          end else begin
            left_q    <= left_q - 6'd1;
            divider_q <= root_q ? root_step(divider_q) : divide_step(divider_q);
          end
        end
        default: if (ready_i) state_q <= Idle;
      endcase
    end
  end

  assign ready_o  = state_q == Idle;
  assign valid_o  = state_q == Done;
  assign result_o = result_q;

  `ifndef SYNTHESIS
  handshake_properties #(
    .Bits($bits(result_t))
  ) u_properties (
    .clk_i  (clk),
    .rst_ni,
    .valid_i(valid_o),
    .taken_i(ready_i),
    .data_i (result_o)
  );
  `endif

endmodule

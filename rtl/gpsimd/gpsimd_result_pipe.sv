// The pipeline stages of a unit that computes its operation in one cycle: they delay the result as the unit's
// pipeline would.
module gpsimd_result_pipe
  import gpsimd_pkg::*;
#(
  parameter int unsigned Stages = 2
) (
  input  logic    clk_i,
  input  logic    rst_ni,
  input  logic    valid_i,
  input  result_t result_i,
  output logic    ready_o,
  output logic    valid_o,
  output result_t result_o,
  input  logic    ready_i,
  output logic    idle_o
);

  logic [Stages-1:0]    valid_q;
  result_t [Stages-1:0] result_q;  // the last stage in the highest element

  // A stage moves when it or a later stage is empty, or the last result is taken.
  logic [Stages-1:0] moves;
  for (genvar k = 0; k < Stages; k++) begin : gen_moves
    assign moves[k] = ready_i | (valid_q[Stages-1:k] != '1);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q  <= '0;
      result_q <= '0;
    end else begin
      for (int unsigned k = 0; k < Stages; k++) begin
        if (moves[k]) begin
          valid_q[k]  <= (k == 0) ? valid_i : valid_q[(k + Stages - 1) % Stages];
          result_q[k] <= (k == 0) ? result_i : result_q[(k + Stages - 1) % Stages];
        end
      end
    end
  end

  assign ready_o  = moves[0];
  assign valid_o  = valid_q[Stages-1];
  assign result_o = result_q[Stages-1];
  assign idle_o   = valid_q == '0;

  `ifndef SYNTHESIS
  handshake_properties #(
    .Bits($bits(result_t))
  ) u_properties (
    .clk_i,
    .rst_ni,
    .valid_i(valid_o),
    .taken_i(ready_i),
    .data_i (result_o)
  );
  `endif

endmodule

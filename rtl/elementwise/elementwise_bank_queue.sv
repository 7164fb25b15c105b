// Operations wait here, in the order of their start, for a block that takes one at a time; it refers to them
// by bank.
module elementwise_bank_queue
  import elementwise_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,

  // An operation has started; banks are used in turn.
  input  logic start_i,

  // The block can take an operation. load_o: it does; next_o: the bank of that one; bank_o: the bank that it
  // took last.
  input  logic free_i,
  output logic load_o,
  output logic next_o,
  output logic bank_o
);

  logic       bank_q, next_q;
  logic [1:0] waiting_q;

  assign load_o = (waiting_q != '0) & free_i;
  assign next_o = next_q;
  assign bank_o = bank_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waiting_q <= '0;
      bank_q    <= 1'b0;
      next_q    <= 1'b0;
    end else begin
      waiting_q <= waiting_q + 2'(start_i) - 2'(load_o);
      if (load_o) begin
        bank_q <= next_q;
        next_q <= ~next_q;
      end
    end
  end

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      NeverMoreThanBanks: assert (waiting_q <= 2'(Banks));
      LoadKnown: assert (!$isunknown(load_o));
    end
  end
  `endif

endmodule

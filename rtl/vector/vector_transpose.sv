// Unit of transpose_block: transposes blocks of Quadrant rows in every quadrant. One block is filled element
// by element while the previous one goes out.
module vector_transpose
  import core_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,

  // Elements: one in every cycle with element_i, which waits for ready_o. first_i begins an operation; a
  // block ends after Quadrant elements or with last_i. It has as many results as the operand has partitions,
  // at most Quadrant.
  input  logic       element_i,
  input  logic       first_i,
  input  logic       last_i,
  input  logic [8:0] partitions_i,
  input  row_t       x_i,
  output logic       ready_o,

  // Results in order; take_i moves on to the next.
  output logic valid_o,
  output row_t result_o,
  input  logic take_i
);

  localparam int unsigned CountBits = $clog2(Quadrant + 1);
  typedef logic [CountBits-1:0] count_t;

  logic   filling_q;            // the block being filled
  count_t place_q, place;       // place of the element in it
  count_t left_q, result_q;     // results not taken yet; the number of the next one
  logic   ends;
  row_t   block_q [2*Quadrant];  // used by one process only
  row_t   row_q;                 // the next result

  assign place   = first_i ? '0 : place_q;
  assign ends    = last_i | (32'(place) == Quadrant - 1);
  // The block that goes out becomes free with its last result.
  assign ready_o = ~ends | (left_q == '0) | ((left_q == count_t'(1)) & take_i);
  assign valid_o = left_q != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      filling_q <= 1'b0;
      place_q   <= '0;
      left_q    <= '0;
      result_q  <= '0;
    end else begin
      if (take_i) begin
        left_q   <= left_q - count_t'(1);
        result_q <= result_q + count_t'(1);
      end
      if (element_i) begin
        place_q <= ends ? '0 : place + count_t'(1);
        if (ends) begin
          filling_q <= ~filling_q;
          left_q    <= (32'(partitions_i) < Quadrant) ? count_t'(partitions_i) : count_t'(Quadrant);
          result_q  <= '0;
        end
      end
    end
  end

  // Result j of a block has, in lane i of each quadrant, element i of the quadrant's lane j.
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    int unsigned block, j;
    row_t row;
    if (element_i) block_q[32'(filling_q)*Quadrant+32'(place)] = x_i;
    if (take_i || (element_i && ends)) begin
      block = (element_i && ends) ? 32'(filling_q) : 32'(!filling_q);
      j     = (element_i && ends) ? 0 : (32'(result_q) + 1) % Quadrant;
      for (int unsigned first = 0; first < cfg_pkg::Lanes; first += Quadrant) begin
        for (int unsigned i = 0; i < Quadrant; i++) row[first+i] = block_q[block*Quadrant+i][first+j];
      end
      row_q <= row;
    end
  end
  /* verilator lint_on BLKSEQ */

  assign result_o = row_q;

  `ifndef SYNTHESIS
  vector_unit_properties u_properties (
    .clk_i, .rst_ni, .element_i, .ready_i(ready_o), .valid_i(valid_o), .take_i
  );
  `endif

endmodule

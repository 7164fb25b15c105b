// Unit of load_shuffle_mask and stream_shuffle: the mask register, and moves of rows within their quadrant.
module vector_shuffle
  import core_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,

  // Elements: one in every cycle with element_i, which waits for ready_o. The element of load_shuffle_mask
  // carries the mask: for each row of a quadrant the row that it takes, or 255.
  input  logic                     element_i,
  input  logic                     load_i,
  input  logic [Quadrant-1:0][7:0] entries_i,
  input  row_t                     x_i,
  output logic                     ready_o,

  // One result for each element; that of a load is undefined. Lanes without a row keep the old content of
  // memory.
  output logic  valid_o,
  output row_t  result_o,
  output mask_t mask_o,
  input  logic  take_i
);

  localparam logic [7:0] KeepRow = 8'hff;

  logic                     valid_q;
  logic [Quadrant-1:0][7:0] entries_q;
  row_t                     result_q;
  logic [Quadrant-1:0]      written;

  // Row i of each quadrant takes row entries[i] of the quadrant.
  function automatic void shuffle_row(output row_t result, input row_t x, input logic [Quadrant-1:0][7:0] entries);
    for (int unsigned first = 0; first < cfg_pkg::Lanes; first += Quadrant) begin
      for (int unsigned i = 0; i < Quadrant; i++) result[first+i] = x[first+32'(entries[i])%Quadrant];
    end
  endfunction

  assign ready_o  = ~valid_q | take_i;
  assign valid_o  = valid_q;
  assign result_o = result_q;
  assign mask_o   = {4{written}};

  for (genvar i = 0; i < Quadrant; i++) begin : g_written
    assign written[i] = entries_q[i] != KeepRow;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q   <= 1'b0;
      entries_q <= {Quadrant{KeepRow}};
    end else begin
      valid_q <= element_i | (valid_q & ~take_i);
      if (element_i && load_i) entries_q <= entries_i;
    end
  end

  always_ff @(posedge clk_i) begin
    row_t row;
    if (element_i && !load_i) begin
      shuffle_row(row, x_i, entries_q);
      result_q <= row;
    end
  end

  `ifndef SYNTHESIS
  vector_unit_properties u_properties (
    .clk_i, .rst_ni, .element_i, .ready_i(ready_o), .valid_i(valid_o), .take_i
  );
  `endif

endmodule

// The write stage: a result waits for its memory's port and is written. If its pattern steps far, it takes
// the port for two cycles and is written in the second.
module elementwise_write
  import isa_pkg::*;
  import core_pkg::*;
  import elementwise_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,

  // The oldest result and its destination; no_dst_i: it has none.
  input  logic    valid_i,
  input  logic    psum_i,
  input  logic    far_i,
  input  dtype_e  dtype_i,
  input  offset_t offset_i,
  input  logic    no_dst_i,
  output logic    taken_o,  // it leaves in this cycle
  // The row and the partitions to write; nan_o: the row that was written in the previous cycle holds a NaN.
  input  row_t    row_i,
  input  mask_t   mask_i,
  output logic    nan_o,

  input  logic       sbuf_gnt_i,
  input  logic       psum_gnt_i,
  output row_write_t write_o
);

  logic granted, begun_q;

  assign granted = valid_i & ~no_dst_i & (psum_i ? psum_gnt_i : sbuf_gnt_i);
  assign taken_o = (granted & (~far_i | begun_q)) | (valid_i & no_dst_i);
  assign write_o = '{
    we:   taken_o & ~no_dst_i,
    psum: psum_i,
    row:  offset_i[OffsetBits-1:2],
    be:   row_pkg::element_enable(dtype_size(dtype_i), offset_i[1:0])
  };

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)      begun_q <= 1'b0;
    else if (granted) begun_q <= far_i & ~begun_q;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    logic found;
    if (!rst_ni) begin
      nan_o <= 1'b0;
    end else begin
      found = 1'b0;
      if (write_o.we) nan_lane_pkg::any_nan(found, row_i, mask_i, nan_lane_pkg::format_of(dtype_i));
      nan_o <= found;
    end
  end

endmodule

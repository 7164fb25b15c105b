// Streams one tensor operand: reads its rows, aligns them to the lanes and hands out one element per lane and step.
//
// Reads run up to Depth elements ahead of the consumer. A row is kept in a ring of Depth buffers as long as
// an element of it is in flight; each element uses the newest buffer or claims the next one, so Depth buffers
// are enough.
module elementwise_source
  import isa_pkg::*;
  import core_pkg::*;
  import elementwise_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,

  // The next operand. It is taken only while ready_o, which is also high with the issue of the last element
  // of the current one. Without reads_i it takes the same time and hands out undefined elements.
  input  logic     start_i,
  input  operand_t operand_i,
  input  count_t   count_i,
  input  logic     raw_i,
  input  logic     reads_i,
  input  logic     reuse_words_i,
  output logic     ready_o,

  // Row read: re_o asks, gnt_i says that the read happens in this cycle; the row is there in the next cycle.
  output logic       re_o,
  output logic       psum_o,
  output logic       far_o,  // the port takes two cycles for this read
  output row_index_t row_o,
  input  logic       gnt_i,
  input  row_t       sbuf_rdata_i,
  input  row_t       psum_rdata_i,

  // Elements: pop_i moves the oldest one to value_o, where it is from the next cycle on: fp32, or the
  // element's bits if raw.
  output logic valid_o,
  input  logic pop_i,
  output row_t value_o
);

  localparam int unsigned Depth = 4;
  typedef logic [$clog2(Depth)-1:0] index_t;

  // An element on its way: the buffer of its row, and how to read it there.
  typedef struct packed {
    index_t     buffer;
    logic [1:0] offset;
    dtype_e     dtype;
    logic       raw;
  } element_t;

  // ------------------------------------------------------------------------------------------------------ issue of reads
  logic       operand_psum_q;
  logic [1:0] operand_first_q;
  dtype_e     operand_dtype_q;
  logic       raw_q, reads_q, reuse_words_q, far_q;
  logic       row_known_q;  // row_q is the row of the previous element
  row_index_t row_q;
  index_t     buffer_d, buffer_q;
  logic [2:0] in_flight_d, in_flight_q;

  logic    walking, last;
  offset_t offset;
  logic    space, needs_read, issue, reading;

  assign row_o      = offset[OffsetBits-1:2];
  assign psum_o     = operand_psum_q;
  assign far_o      = far_q;
  assign space      = in_flight_q != 3'(Depth);
  assign needs_read = reads_q & ~(reuse_words_q & row_known_q & (row_o == row_q));
  assign re_o       = walking & space & needs_read;
  assign issue      = walking & space & (~needs_read | gnt_i);
  assign ready_o    = ~walking | (issue & last);

  ap_iterator #(
    .AddrBits(OffsetBits)
  ) u_iterator (
    .clk_i,
    .rst_ni,
    .load_i   (start_i),
    .count_i,
    .step_i   (operand_i.step),
    .size_i   (dtype_size(operand_i.dtype)),
    .start_i  (operand_i.offset),
    .valid_o  (walking),
    .addr_o   (offset),
    .last_o   (last),
    .advance_i(issue)
  );

  assign reading     = issue & needs_read;
  assign buffer_d    = buffer_q + index_t'(reading);
  assign in_flight_d = in_flight_q + 3'(issue) - 3'(pop_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      operand_psum_q  <= 1'b0;
      operand_first_q <= '0;
      operand_dtype_q <= DtypeFp32;
      raw_q         <= 1'b0;
      reads_q       <= 1'b0;
      reuse_words_q <= 1'b0;
      far_q         <= 1'b0;
      row_known_q   <= 1'b0;
      row_q         <= '0;
      buffer_q      <= '0;
      in_flight_q   <= '0;
    end else begin
      buffer_q    <= buffer_d;
      in_flight_q <= in_flight_d;
      if (start_i) begin
        operand_psum_q  <= operand_i.psum;
        operand_first_q <= operand_i.first;
        operand_dtype_q <= operand_i.dtype;
        raw_q         <= raw_i;
        reads_q       <= reads_i;
        reuse_words_q <= reuse_words_i;
        far_q         <= steps_far(operand_i, count_i);
        row_known_q   <= 1'b0;
      end else if (issue) begin
        row_known_q <= 1'b1;
        row_q       <= row_o;
      end
    end
  end

  // ------------------------------------------------------------------------------------------------- arrival and buffers
  logic       arriving_q, arriving_row_q, arriving_psum_q;
  logic [1:0] arriving_first_q;
  element_t   arriving_d, arriving_element_q;

  assign arriving_d = '{buffer: buffer_d, offset: offset[1:0], dtype: operand_dtype_q, raw: raw_q};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      arriving_q         <= 1'b0;
      arriving_row_q     <= 1'b0;
      arriving_psum_q    <= 1'b0;
      arriving_first_q   <= '0;
      arriving_element_q <= '0;
    end else begin
      arriving_q         <= issue;
      arriving_row_q     <= reading;
      arriving_psum_q    <= operand_psum_q;
      arriving_first_q   <= operand_first_q;
      arriving_element_q <= arriving_d;
    end
  end

  row_t buffer_rows_q [Depth];

  always_ff @(posedge clk_i) begin
    row_t arriving_lanes;
    if (arriving_row_q) begin
      if (arriving_psum_q) row_pkg::rotate_to_lanes(arriving_lanes, psum_rdata_i, arriving_first_q);
      else                 row_pkg::rotate_to_lanes(arriving_lanes, sbuf_rdata_i, arriving_first_q);
      buffer_rows_q[arriving_element_q.buffer] <= arriving_lanes;
    end
  end

  // ---------------------------------------------------------------------------------------------------- elements handed out
  element_t   queue_q [Depth];
  index_t     head_q, tail_q;
  logic [2:0] waiting_d, waiting_q;
  element_t   head;

  assign waiting_d = waiting_q + 3'(arriving_q) - 3'(pop_i);
  assign valid_o   = waiting_q != '0;
  assign head      = queue_q[head_q];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q    <= '0;
      tail_q    <= '0;
      waiting_q <= '0;
    end else begin
      head_q    <= head_q + index_t'(pop_i);
      tail_q    <= tail_q + index_t'(arriving_q);
      waiting_q <= waiting_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (arriving_q) queue_q[tail_q] <= arriving_element_q;
  end

  row_t value_q;

  always_ff @(posedge clk_i) begin
    row_t bits, value;
    if (pop_i) begin
      row_pkg::extract_row(bits, buffer_rows_q[head.buffer], dtype_size(head.dtype), head.offset);
      if (head.raw) value = bits;
      else          widen_lane_pkg::to_fp32_row(value, bits, head.dtype);
      value_q <= value;
    end
  end

  assign value_o = value_q;

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      StartOnlyWhenReady: assert (start_i -> ready_o);
      GrantOnlyWhenAsked: assert (gnt_i -> re_o);
      PopOnlyValid: assert (pop_i -> valid_o);
      NeverMoreThanDepth: assert (in_flight_q <= 3'(Depth));
      StatusKnown: assert (!$isunknown({ready_o, re_o, valid_o}));
      RowKnown: assert (re_o -> !$isunknown({psum_o, far_o, row_o}));
    end
  end
  `endif

endmodule

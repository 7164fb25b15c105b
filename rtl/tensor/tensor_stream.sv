// Streams the moving operand of a matmul: reads one element of every partition a cycle, or one in two cycles
// where its steps are wide, and at most TensorUtilisation elements in 1000 cycles; decodes it for the array and sends it off with the PSUM address of its result.
// The operand goes through once for each pair of parts, in the order low x low, low x high, high x low, high
// x high; the stationary operand's part is named first. Only fp32 operands have low parts. The next matmul
// may start in the cycle of this one's last element.
module tensor_stream
  import core_pkg::*;
  import isa_pkg::*;
  import tensor_pkg::*;
(
  input  logic      clk_i,
  input  logic      rst_ni,
  // Start of a matmul on weight bank bank_i
  input  logic      start_i,
  output logic      ready_o,
  input  command_t  command_i,
  input  logic      bank_i,
  input  number_t   number_i,
  // SBUF read port, shared by the streams of a row group; data comes in the cycle after re_o and stays until
  // the next read
  output logic      req_o,
  input  logic      gnt_i,
  output logic      re_o,
  output sbuf_row_t raddr_o,
  output row_count_t rows_o,  // rows of the matmul
  input  row_t      rdata_i,
  // To the array
  output element_t  element_o,
  output row_t      moving_o,
  output logic      busy_o
);

  localparam logic [1:0] LastPass = 2'b11;  // {stationary, moving}: high part

  command_t   command_q;
  logic       active_q, bank_q;
  number_t    number_q;
  logic [1:0] pass_q;
  logic [9:0] cycle_q;      // cycle of this pass, saturating at MinInterval

  logic        a_valid, a_last, due, take, pass_end, load, allowed;
  logic        second_q;     // second cycle of a read of wide steps
  logic [17:0] a_addr;
  logic [13:0] dst_addr;
  logic        unused_dst_valid, unused_dst_last;
  logic        held_q;       // an element of this pass has been taken
  /* verilator lint_off UNUSEDSIGNAL */  // only a part of the record is used
  command_t    pattern;
  /* verilator lint_on UNUSEDSIGNAL */

  assign due      = a_valid & (!command_q.wide | second_q) & allowed;
  assign take     = due & (!req_o | gnt_i);
  assign pass_end = active_q & ((a_last & take) | ~a_valid) &
                    (cycle_q >= 10'(MinInterval) - 10'd1 | cycle_q + 10'd1 >= 10'(command_q.columns));
  assign ready_o  = ~active_q | (pass_end & pass_q == LastPass);
  assign load     = start_i | (pass_end & ~ready_o);
  assign pattern  = start_i ? command_i : command_q;

  ap_iterator #(.AddrBits(18)) u_a (
    .clk_i, .rst_ni, .load_i(load), .count_i(pattern.count), .step_i(pattern.a_step),
    .size_i(dtype_size(pattern.dtype)), .start_i(pattern.a_offset),
    .valid_o(a_valid), .addr_o(a_addr), .last_o(a_last), .advance_i(take)
  );
  ap_iterator #(.AddrBits(14)) u_dst (
    .clk_i, .rst_ni, .load_i(load), .count_i(pattern.count), .step_i(pattern.dst_step),
    .size_i(2'd2), .start_i(pattern.dst_offset),
    .valid_o(unused_dst_valid), .addr_o(dst_addr), .last_o(unused_dst_last), .advance_i(take)
  );

  rate_limit #(.Num(cfg_pkg::TensorUtilisation), .Den(1000)) u_rate (
    .clk_i, .rst_ni, .enable_i(1'b1), .take_i(take), .first_i(~held_q), .ready_o(allowed)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      command_q <= '0;
      active_q  <= 1'b0;
      bank_q    <= 1'b0;
      number_q  <= '0;
      pass_q    <= '0;
      cycle_q   <= '0;
      second_q  <= 1'b0;
    end else begin
      second_q <= a_valid & !load & (!second_q | !take);
      if (start_i) begin
        command_q <= command_i;
        active_q  <= 1'b1;
        bank_q    <= bank_i;
        number_q  <= number_i;
        pass_q    <= {!command_i.other_low, !command_i.low};
      end else if (pass_end) begin
        active_q <= ~ready_o;
        pass_q   <= command_q.low ? pass_q + 2'd1 : pass_q + 2'd2;
      end
      if (load) cycle_q <= '0;
      else if (cycle_q != 10'(MinInterval)) cycle_q <= cycle_q + 10'd1;
    end
  end

  // Read stage: reads only when the element lies in another row than the previous one.
  sbuf_row_t row, held_row_q;
  assign row     = sbuf_row_t'(a_addr >> 2);
  assign req_o   = due & ~(held_q & held_row_q == row);
  assign re_o    = req_o & gnt_i;
  assign raddr_o = row;
  assign rows_o  = command_q.rows;

  // Decode stage
  element_t   element_q;
  dtype_e     dtype_q;
  logic [1:0] byte_q;
  logic       high_q;
  row_t       raw, decoded;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      held_q     <= 1'b0;
      held_row_q <= '0;
      element_q  <= '0;
      dtype_q    <= DtypeBf16;
      byte_q     <= '0;
      high_q     <= 1'b0;
      element_o  <= '0;
    end else begin
      held_q <= ~load & (held_q | take);
      if (take) held_row_q <= row;
      element_q.valid      <= take;
      element_q.row_tile    <= command_q.row_tile;
      element_q.column_tile <= command_q.column_tile;
      element_q.bank       <= bank_q;
      element_q.number     <= number_q;
      element_q.part       <= pass_q[1] ? PartHigh : PartLow;
      element_q.rows       <= command_q.rows;
      element_q.psum_row   <= psum_row_t'(dst_addr >> 2);
      element_q.accumulate <= command_q.accumulate | pass_q != {!command_q.other_low, !command_q.low};
      element_q.dst_lane   <= command_q.dst_lane;
      element_q.columns    <= command_q.columns;
      element_q.last       <= a_last & pass_q == LastPass;
      dtype_q <= command_q.dtype;
      byte_q  <= a_addr[1:0];
      high_q  <= pass_q[0];
      element_o <= element_q;
      if (element_q.valid) begin
        row_pkg::extract_row(raw, rdata_i, dtype_size(dtype_q), byte_q);
        tensor_lane_pkg::decode_row(decoded, raw, dtype_q, high_q);
        moving_o <= decoded;
      end
    end
  end

  assign busy_o = active_q | element_q.valid | element_o.valid;

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      StartWhenReady: assert (start_i -> ready_o);
      ElementKnown: assert (!$isunknown(element_o.valid));
    end
  end
  `endif

endmodule

// Immediates of the operations under way, as rows, by bank. Constants are filled in at the start of an
// operation. A [partitions,1] operand arrives a cycle after its read and is converted to fp32. The bits of an
// fp32 operand stay as they are, because raw instructions take them.
module elementwise_immediates
  import isa_pkg::*;
  import core_pkg::*;
  import elementwise_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,

  // Start of an operation in a bank, and the read of one of its immediates, at or before the start.
  input  logic             start_i,
  input  logic             bank_i,
  input  immediate_t [1:0] imm_i,
  input  logic             read_i,
  input  logic             index_i,
  input  row_t             sbuf_rdata_i,

  output row_t imm0_o [Banks],
  output row_t imm1_o [Banks]
);

  logic       arrives_q, index_q, bank_q;
  logic [1:0] first_q, offset_q;
  dtype_e     dtype_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) arrives_q <= 1'b0;
    else         arrives_q <= read_i;
  end

  always_ff @(posedge clk_i) begin
    if (read_i) begin
      index_q  <= index_i;
      bank_q   <= bank_i;
      first_q  <= imm_i[index_i].first;
      offset_q <= imm_i[index_i].offset;
      dtype_q  <= imm_i[index_i].dtype;
    end
  end

  logic fill_clk;
  clock_gate u_fill_clock (.clk_i, .en_i(start_i | arrives_q), .clk_o(fill_clk));

  always_ff @(posedge fill_clk) begin
    row_t lanes, bits;
    if (start_i) begin
      if (imm_i[0].used && !imm_i[0].is_vector) begin
        row_pkg::broadcast_row(lanes, imm_i[0].value);
        imm0_o[bank_i] <= lanes;
      end
      if (imm_i[1].used && !imm_i[1].is_vector) begin
        row_pkg::broadcast_row(lanes, imm_i[1].value);
        imm1_o[bank_i] <= lanes;
      end
    end
    if (arrives_q) begin
      row_pkg::rotate_to_lanes(lanes, sbuf_rdata_i, first_q);
      if (dtype_q != DtypeFp32) begin
        row_pkg::extract_row(bits, lanes, dtype_size(dtype_q), offset_q);
        widen_lane_pkg::to_fp32_row(lanes, bits, dtype_q);
      end
      if (index_q) imm1_o[bank_q] <= lanes;
      else         imm0_o[bank_q] <= lanes;
    end
  end

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      TypeValid: assert (!arrives_q || dtype_valid(dtype_q));
      ElementInWord: assert (!arrives_q || ((offset_q & ~(2'b11 << dtype_size(dtype_q))) == '0));
    end
  end
  `endif

endmodule

// Replaces rtl/tensor/pe_lower_border.sv in a simulated core: pe_lower is a model of its own. At each edge
// this module takes pe_lower's outputs of the previous edge and hands over the inputs of this one
// (lower_rows.hpp).
module pe_lower_border
  import cfg_pkg::*;
  import core_pkg::*;
  import tensor_pkg::*;
(
  input  logic       clk_i,
  input  logic       rst_ni,
  input  array_row_t slot_i,
  input  element_t   element_i [Streams],
  input  row_t [Streams-1:0] moving_i,
  input  load_t      load_i,
  input  row_t [Parts*LoadColumns-1:0] load_part_i,
  input  step_t [ColumnGroups-1:0] step_i,
  input  load_step_t load_step_i,
  input  tensor_lane_pkg::cols_t sum_i,
  output element_t   result_o [Streams],
  output row_t       data_o [Streams]
);

  typedef bit [$bits(row_t)-1:0] row_bits_t;
  typedef bit [$bits(tensor_lane_pkg::cols_t)-1:0] cols_bits_t;

  import "DPI-C" function void trnsim_lower_reset();
  // Streams with a result, one bit each, and the result of one
  import "DPI-C" function int unsigned trnsim_lower_results();
  import "DPI-C" function void trnsim_lower_result(input int unsigned stream, output longint unsigned element, output row_bits_t data);
  // The inputs, then the edge
  import "DPI-C" function void trnsim_lower_element(input int unsigned stream, input longint unsigned element, input row_bits_t moving);
  import "DPI-C" function void trnsim_lower_part(input int unsigned index, input row_bits_t part);
  import "DPI-C" function void trnsim_lower_step(input int unsigned column_group, input longint unsigned step);
  import "DPI-C" function void trnsim_lower_sum(input cols_bits_t sum);
  import "DPI-C" function void trnsim_lower_edge(input int unsigned slot, input longint unsigned load, input longint unsigned load_step);

  int unsigned     results;
  /* verilator lint_off UNUSEDSIGNAL */  // as wide as any configuration's
  longint unsigned element;
  /* verilator lint_on UNUSEDSIGNAL */
  row_bits_t       data;
  logic            any_step;

  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      trnsim_lower_reset();
      for (int unsigned s = 0; s < Streams; s++) result_o[s] <= '0;
    end else begin
      results = trnsim_lower_results();
      // Two loops, each short enough to be unrolled
      for (int unsigned c = 0; c < ColumnGroups; c++) begin
        for (int unsigned g = 0; g < RowGroups; g++) begin
          result_o[c*RowGroups+g].valid <= 1'b0;
          if (results[c*RowGroups+g]) begin
            trnsim_lower_result(c * RowGroups + g, element, data);
            result_o[c*RowGroups+g] <= element_t'(element);
            data_o[c*RowGroups+g]   <= row_t'(data);
          end
          if (element_i[c*RowGroups+g].valid) begin
            trnsim_lower_element(c * RowGroups + g, 64'(element_i[c*RowGroups+g]), moving_i[c*RowGroups+g]);
          end
        end
      end
      if (load_i.valid) begin
        for (int unsigned k = 0; k < Parts * LoadColumns; k++) begin
          if (k < LoadColumns | load_i.split) trnsim_lower_part(k, load_part_i[k]);
        end
      end
      any_step = 1'b0;
      for (int unsigned c = 0; c < ColumnGroups; c++) begin
        trnsim_lower_step(c, 64'(step_i[c]));
        any_step = any_step | step_i[c].valid;
      end
      if (any_step) trnsim_lower_sum(sum_i);
      trnsim_lower_edge(32'(slot_i), 64'(load_i), 64'(load_step_i));
    end
  end
  /* verilator lint_on BLKSEQ */

endmodule

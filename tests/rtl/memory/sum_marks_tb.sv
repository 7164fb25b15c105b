// The rules of PSUM for two streams of results, a row port and a beat port. The streams belong to two row
// groups, with errors or with counts, or to two column groups.
module sum_marks_tb
  import core_pkg::*;
  import memory_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [1:0]  sum_we_i,
  input  logic [8:0]  sum_row_0_i,
  input  logic [8:0]  sum_row_1_i,
  input  logic [1:0]  sum_add_i,
  input  mask_t       sum_mask_0_i,
  input  mask_t       sum_mask_1_i,
  input  logic        we_i,
  input  logic [8:0]  waddr_i,
  input  mask_t       wmask_i,
  input  logic        beat_we_i,
  input  logic [8:0]  beat_row_i,
  input  lane_t       beat_lane_i,
  input  strobe_t     beat_strobe_i,
  output logic [15:0] unfounded_o,
  output logic [15:0] counted_o,   // from the instance that is not strict
  output logic        counted_fault_o,
  output logic        fault_o,
  output logic [4:0]  fault_code_o,
  output logic [2:0]  fault_master_o,
  output logic [5:0]  fault_tag_o,
  output lane_t       fault_lane_o,
  output logic [8:0]  fault_row_o,
  output logic        columns_fault_o,  // from streams of two column groups
  output lane_t       columns_lane_o
);

  fault_t           fault [3];
  events_t          unfounded [3];
  bus_pkg::target_t target;
  assign target = '{region: bus_pkg::RegionPsum, lane: beat_lane_i, row: memory_row_t'(beat_row_i)};

  for (genvar k = 0; k < 3; k++) begin : g_marks
    sum_marks #(.RowGroups(k == 2 ? 1 : 2), .Sums(2), .Beats(1), .Strict(k != 0)) u_marks (
      .clk_i, .rst_ni, .sum_we_i, .sum_addr_i('{sum_row_0_i, sum_row_1_i}), .sum_add_i, .sum_mask_i({sum_mask_1_i, sum_mask_0_i}),
      .sum_tag_i('{6'd11, 6'd22}), .we_i, .waddr_i, .wmask_i, .beat_we_i, .beat_write_i('{target}), .beat_strobe_i,
      .unfounded_o(unfounded[k]), .fault_o(fault[k])
    );
  end

  assign counted_o       = unfounded[0];
  assign counted_fault_o = fault[0].valid;
  assign unfounded_o     = unfounded[1];
  assign fault_o         = fault[1].valid;
  assign fault_code_o    = fault[1].code;
  assign fault_master_o  = fault[1].master;
  assign fault_tag_o     = fault[1].tag;
  assign fault_lane_o    = fault[1].lane;
  assign fault_row_o     = 9'(fault[1].row);
  assign columns_fault_o = fault[2].valid;
  assign columns_lane_o  = fault[2].lane;

endmodule

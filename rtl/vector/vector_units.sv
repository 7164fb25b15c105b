// The units beside the lanes. The elements of an operation go to the unit that it names. The unit offers the
// operation's results in order, more or fewer than the elements, and in its own time.
module vector_units
  import isa_pkg::*;
  import core_pkg::*;
  import vector_pkg::*;
  import vector_special_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,

  // Elements that leave the first stage, also those of UnitLanes: the place in the group, and the operation's
  // control. They wait for ready_o.
  input  logic                     element_i,
  input  unit_e                    unit_i,
  input  special_e                 special_i,
  input  logic                     value_i,
  input  logic                     first_i,
  input  logic                     last_i,
  input  logic                     raw_i,
  input  dtype_e                   dtype_i,
  input  logic [8:0]               partitions_i,
  input  logic [Quadrant-1:0][7:0] entries_i,
  input  row_t                     immediate_i,
  input  row_t                     x_i,
  output logic                     ready_o,

  // Results of the operation that is next, and the lanes that have one; take_i moves on to the next.
  input  unit_e    result_unit_i,
  input  special_e result_special_i,
  output logic     valid_o,
  output row_t     result_o,
  output mask_t    mask_o,
  input  logic     take_i
);

  logic  stats_ready, stats_valid, aggr_ready, aggr_valid, special_ready, special_valid;
  row_t  stats_result, aggr_result, special_result;
  mask_t special_mask;

  vector_bn_stats u_bn_stats (
    .clk_i,
    .rst_ni,
    .element_i(element_i & (unit_i == UnitBnStats)),
    .first_i,
    .last_i,
    .x_i,
    .ready_o  (stats_ready),
    .valid_o  (stats_valid),
    .result_o (stats_result),
    .take_i   (take_i & (result_unit_i == UnitBnStats))
  );

  vector_bn_aggr u_bn_aggr (
    .clk_i,
    .rst_ni,
    .element_i(element_i & (unit_i == UnitBnAggr)),
    .first_i,
    .last_i,
    .x_i,
    .ready_o  (aggr_ready),
    .valid_o  (aggr_valid),
    .result_o (aggr_result),
    .take_i   (take_i & (result_unit_i == UnitBnAggr))
  );

  vector_special u_special (
    .clk_i,
    .rst_ni,
    .element_i       (element_i & (unit_i == UnitSpecial)),
    .special_i,
    .value_i,
    .first_i,
    .last_i,
    .raw_i,
    .dtype_i,
    .partitions_i,
    .entries_i,
    .immediate_i,
    .x_i,
    .ready_o         (special_ready),
    .result_special_i,
    .valid_o         (special_valid),
    .result_o        (special_result),
    .mask_o          (special_mask),
    .take_i          (take_i & (result_unit_i == UnitSpecial))
  );

  always_comb begin
    case (unit_i)
      UnitBnStats: ready_o = stats_ready | ~last_i;
      UnitBnAggr:  ready_o = aggr_ready;
      UnitSpecial: ready_o = special_ready;
      default:     ready_o = 1'b1;
    endcase
    case (result_unit_i)
      UnitBnStats: valid_o = stats_valid;
      UnitBnAggr:  valid_o = aggr_valid;
      UnitSpecial: valid_o = special_valid;
      default:     valid_o = 1'b0;
    endcase
    case (result_unit_i)
      UnitBnStats: result_o = stats_result;
      UnitBnAggr:  result_o = aggr_result;
      default:     result_o = special_result;
    endcase
  end

  assign mask_o = (result_unit_i == UnitSpecial) ? special_mask : '1;

  `ifndef SYNTHESIS
  vector_unit_properties u_properties (
    .clk_i, .rst_ni, .element_i, .ready_i(ready_o), .valid_i(valid_o), .take_i
  );
  `endif

endmodule

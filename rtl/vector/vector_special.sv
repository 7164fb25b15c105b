// The units with results that are not an operation on one element: random numbers, searches, moves between
// partitions. All take elements and hold their results in order; the results of an operation have been taken
// before those of the next one are due.
module vector_special
  import isa_pkg::*;
  import core_pkg::*;
  import vector_special_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,

  // Elements: one in every cycle with element_i, which waits for ready_o. value_i marks the elements that
  // find_index8 and match_replace8 take first. The first and last of an operation are marked. raw_i: x is the
  // element's bits, of type dtype_i. The rest are constants of the operation.
  input  logic                     element_i,
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

  // Results of the operation that is next, and the lanes that have one.
  input  special_e result_special_i,
  output logic     valid_o,
  output row_t     result_o,
  output mask_t    mask_o,
  input  logic     take_i
);

  typedef enum logic [2:0] {Random, Max8, Match8, Shuffle, Transpose, Units} unit_e;

  function automatic unit_e unit_of(special_e special);
    case (special)
      SpecialSeed, SpecialRng, SpecialDropout: return Random;
      SpecialMax8:                             return Max8;
      SpecialFind8, SpecialReplace8:           return Match8;
      SpecialLoadMask, SpecialShuffle:         return Shuffle;
      default:                                 return Transpose;
    endcase
  endfunction

  unit_e unit, result_unit;
  logic [32'(Units)-1:0] element, take, ready, valid;
  row_t  result [32'(Units)];
  mask_t shuffle_mask;

  assign unit        = unit_of(special_i);
  assign result_unit = unit_of(result_special_i);

  for (genvar u = 0; u < 32'(Units); u++) begin : g_unit
    assign element[u] = element_i & (32'(unit) == u);
    assign take[u]    = take_i & (32'(result_unit) == u);
  end

  assign ready_o  = ready[32'(unit)];
  assign valid_o  = valid[32'(result_unit)];
  assign mask_o   = (result_special_i == SpecialShuffle) ? shuffle_mask : '1;

  always_comb begin
    result_o = result[0];
    for (int unsigned u = 1; u < 32'(Units); u++) if (32'(result_unit) == u) result_o = result[u];
  end

  // The units keep their state except when elements or results are taken.
  logic work_clk;

  clock_gate u_work_clock (
    .clk_i,
    .en_i (element_i | take_i),
    .clk_o(work_clk)
  );

  vector_random u_random (
    .clk_i    (work_clk),
    .rst_ni,
    .element_i(element[Random]),
    .seed_i   (special_i == SpecialSeed),
    .drop_i   (special_i == SpecialDropout),
    .in_use_i (row_pkg::partition_mask(2'd0, partitions_i)),
    .x_i,
    .p_i      (immediate_i),
    .ready_o  (ready[Random]),
    .valid_o  (valid[Random]),
    .result_o (result[Random]),
    .take_i   (take[Random])
  );

  vector_max8 u_max8 (
    .clk_i    (work_clk),
    .rst_ni,
    .element_i(element[Max8]),
    .first_i,
    .last_i,
    .x_i,
    .ready_o  (ready[Max8]),
    .valid_o  (valid[Max8]),
    .result_o (result[Max8]),
    .take_i   (take[Max8])
  );

  vector_match8 u_match8 (
    .clk_i        (work_clk),
    .rst_ni,
    .element_i    (element[Match8]),
    .value_i,
    .first_i,
    .last_i,
    .replace_i    (special_i == SpecialReplace8),
    .raw_i,
    .dtype_i,
    .replacement_i(immediate_i),
    .x_i,
    .ready_o      (ready[Match8]),
    .valid_o      (valid[Match8]),
    .result_o     (result[Match8]),
    .take_i       (take[Match8])
  );

  vector_shuffle u_shuffle (
    .clk_i    (work_clk),
    .rst_ni,
    .element_i(element[Shuffle]),
    .load_i   (special_i == SpecialLoadMask),
    .entries_i,
    .x_i,
    .ready_o  (ready[Shuffle]),
    .valid_o  (valid[Shuffle]),
    .result_o (result[Shuffle]),
    .mask_o   (shuffle_mask),
    .take_i   (take[Shuffle])
  );

  vector_transpose u_transpose (
    .clk_i    (work_clk),
    .rst_ni,
    .element_i(element[Transpose]),
    .first_i,
    .last_i,
    .partitions_i,
    .x_i,
    .ready_o  (ready[Transpose]),
    .valid_o  (valid[Transpose]),
    .result_o (result[Transpose]),
    .take_i   (take[Transpose])
  );

  `ifndef SYNTHESIS
  vector_unit_properties u_properties (
    .clk_i, .rst_ni, .element_i, .ready_i(ready_o), .valid_i(valid_o), .take_i
  );
  `endif

endmodule

// The steps of a table function on all lanes; docs/activation-functions.md describes them. The tables have
// one bank for the expansion points, one for each coefficient and one for the segments, so that every stage
// of the pipeline reads its own bank. Functions that read the tables get them by reference, because the
// simulator lets functions that are not inlined see only their arguments.
package activation_lane_pkg;

  import cfg_pkg::Lanes;
  import core_pkg::*;
  import fp32_lane_pkg::*;
  import activation_table_pkg::RowBits;
  import scalar_table_pkg::*;

  // The use that a function makes of the exponent of its operand.
  typedef enum logic [2:0] {ModeDirect, ModeLog, ModeReciprocal, ModeSqrt, ModeRsqrt} mode_e;

  localparam logic [31:0] FractionMask = 32'h007f_ffff;
  localparam logic [31:0] Bias = 32'd127;
  // This is added to a scale on its way, so that it is positive.
  localparam logic [31:0] ScaleBias = 32'd256;

  // Returns all ones if the exponent of an operand is taken out: it is normal, and positive unless the
  // function is odd.
  function automatic logic [31:0] reducible(logic [31:0] z, logic [31:0] odd_function);
    logic [31:0] field;
    field = (z >> 23) & 32'hff;
    return {32{(field != 32'd0) & (field != 32'd255) & ((z < SignBit) | (odd_function != 32'd0))}};
  endfunction

  // Reduces the operand. `taken` is what was taken out: the power of two of the result, with ScaleBias added,
  // or for a logarithm the exponent with Bias added.
  function automatic void reduce_row(output row_t reduced, output row_t taken, input row_t z, input mode_e mode);
    /* verilator no_inline_task */
    logic [31:0] operand, field, odd, takes, up;
    case (mode)
      ModeLog:
        for (int unsigned k = 0; k < Lanes; ++k) begin
          operand = flush(z[k]);
          takes = reducible(operand, 32'd0);
          up = (operand >> 22) & 32'd1;
          reduced[k] = (((operand & FractionMask) | ((Bias - up) << 23)) & takes) | (operand & ~takes);
          taken[k] = ((((operand >> 23) & 32'hff) + up) & takes) | (Bias & ~takes);
        end
      ModeReciprocal:
        for (int unsigned k = 0; k < Lanes; ++k) begin
          operand = flush(z[k]);
          takes = reducible(operand, 32'd1);
          reduced[k] = (((operand & (SignBit | FractionMask)) | (Bias << 23)) & takes) | (operand & ~takes);
          taken[k] = ScaleBias + ((Bias - ((operand >> 23) & 32'hff)) & takes);
        end
      ModeSqrt:
        for (int unsigned k = 0; k < Lanes; ++k) begin
          operand = flush(z[k]);
          takes = reducible(operand, 32'd0);
          field = (operand >> 23) & 32'hff;
          odd = ~field & 32'd1;
          reduced[k] = (((operand & FractionMask) | ((Bias + odd) << 23)) & takes) | (operand & ~takes);
          taken[k] = ScaleBias + ((((field + 32'd1) >> 1) - 32'd64) & takes);
        end
      ModeRsqrt:
        for (int unsigned k = 0; k < Lanes; ++k) begin
          operand = flush(z[k]);
          takes = reducible(operand, 32'd0);
          field = (operand >> 23) & 32'hff;
          odd = ~field & 32'd1;
          reduced[k] = (((operand & FractionMask) | ((Bias + odd) << 23)) & takes) | (operand & ~takes);
          taken[k] = ScaleBias + ((32'd64 - ((field + 32'd1) >> 1)) & takes);
        end
      default:
        for (int unsigned k = 0; k < Lanes; ++k) begin
          reduced[k] = flush(z[k]);
          taken[k] = ScaleBias;
        end
    endcase
  endfunction

  // Finds the row of each reduced operand of a function; the segment's own scale is added to `taken`.
  function automatic void select_row(output row_t index, inout row_t taken, input row_t reduced, input logic [4:0] code,
                                     const ref logic [31:0] tables [TableWords]);
    /* verilator no_inline_task */
    logic [31:0] first, segment;
    first = (32'(SegmentBank) << RowBits) | (32'(code) << 9);
    for (int unsigned k = 0; k < Lanes; ++k) begin
      segment = tables[TableBits'(first | (reduced[k] >> 23))];
      index[k] = (segment & 32'hffff) + ((reduced[k] & FractionMask) >> ((segment >> 16) & 32'd31));
      taken[k] = taken[k] + (segment >> 24) - 32'd128;
    end
  endfunction

  // Reads the word of each lane's row in a bank.
  function automatic void read_row(output row_t word, input logic [2:0] bank, input row_t index,
                                   const ref logic [31:0] tables [TableWords]);
    /* verilator no_inline_task */
    logic [31:0] first;
    first = 32'(bank) << RowBits;
    for (int unsigned k = 0; k < Lanes; ++k) word[k] = tables[TableBits'(first | index[k])];
  endfunction

  // Returns the distance from the expansion point, or a zero of the operand's sign if the operand is
  // infinite.
  function automatic void distance_row(output row_t t, input row_t reduced, input row_t origin);
    /* verilator no_inline_task */
    logic [31:0] infinite;
    for (int unsigned k = 0; k < Lanes; ++k) begin
      infinite = {32{(reduced[k] & ~SignBit) == Infinity}};
      t[k] = (add_lane(reduced[k], origin[k] ^ SignBit) & ~infinite) | (reduced[k] & SignBit & infinite);
    end
  endfunction

  // Returns the upper or lower part of exponent * ln 2.
  function automatic void exponent_row(output row_t part, input logic upper, input row_t taken,
                                       const ref logic [31:0] exponents [ExponentWords]);
    /* verilator no_inline_task */
    logic [31:0] first;
    first = {23'd0, upper, 8'd0};
    for (int unsigned k = 0; k < Lanes; ++k) part[k] = exponents[ExponentBits'(first | taken[k])];
  endfunction

  // Returns value * 2^(taken - ScaleBias), exact except for overflow to infinity and the flush to zero.
  function automatic void scale_row(output row_t result, input row_t value, input row_t taken);
    /* verilator no_inline_task */
    logic [31:0] field, moved, normal, fits, scaled;
    for (int unsigned k = 0; k < Lanes; ++k) begin
      field = (value[k] >> 23) & 32'hff;
      normal = {32{(field != 32'd0) & (field != 32'd255)}};
      moved = field + taken[k];
      fits = {32{(moved > ScaleBias) & (moved < ScaleBias + 32'd255)}};
      scaled = (((moved - ScaleBias) << 23) | (value[k] & FractionMask)) & fits;
      scaled = scaled | (Infinity & {32{moved > ScaleBias + 32'd254}});
      result[k] = (scaled & normal) | (value[k] & ~normal & ~SignBit) | (value[k] & SignBit);
    end
  endfunction

endpackage

// Activation functions that need no table, on all lanes; operands are flushed, and NaN is canonical.
package direct_lane_pkg;
  import cfg_pkg::Lanes;
  import fp32_lane_pkg::*;

  function automatic void abs_row(output lanes_t result, input lanes_t value);
    /* verilator no_inline_task */
    for (int unsigned k = 0; k < Lanes; ++k) result[k] = value[k] & ~SignBit;
  endfunction

  // Returns -1, 1, or the value itself if it is a zero or NaN.
  function automatic void sign_row(output lanes_t result, input lanes_t value);
    /* verilator no_inline_task */
    logic [31:0] itself;
    for (int unsigned k = 0; k < Lanes; ++k) begin
      itself = {32{(value[k] << 1) == 32'd0}} | is_nan(value[k]);
      result[k] = (value[k] & (itself | SignBit)) | (One & ~itself);
    end
  endfunction

  // Multiplies negative values by alpha.
  function automatic void prelu_row(output lanes_t result, input lanes_t value, input logic [31:0] alpha);
    /* verilator no_inline_task */
    logic [31:0] negative;
    for (int unsigned k = 0; k < Lanes; ++k) begin
      negative = {32{value[k] > SignBit}};
      result[k] = (mul_lane(value[k], alpha) & negative) | (value[k] & ~negative);
    end
  endfunction
endpackage

// Tells whether there is a NaN among the elements of a row.
package nan_lane_pkg;
  import cfg_pkg::Lanes;
  import fp32_lane_pkg::lanes_t;
  import isa_pkg::*;

  // Elements of a format in the low bits of a word: the bits of the magnitude, and the magnitude of infinity;
  // NaNs are above it.
  typedef struct packed {
    logic [31:0] magnitude;
    logic [31:0] infinity;
  } format_t;

  // Returns a format without NaN for integers.
  function automatic format_t format_of(dtype_e dtype);
    case (dtype)
      DtypeFp32, DtypeTf32: return '{magnitude: 32'h7fff_ffff, infinity: 32'h7f80_0000};
      DtypeBf16:            return '{magnitude: 32'h7fff, infinity: 32'h7f80};
      DtypeFp16:            return '{magnitude: 32'h7fff, infinity: 32'h7c00};
      DtypeFp8E3m4:         return '{magnitude: 32'h7f, infinity: 32'h70};
      DtypeFp8E4m3:         return '{magnitude: 32'h7f, infinity: 32'h78};
      DtypeFp8E5m2:         return '{magnitude: 32'h7f, infinity: 32'h7c};
      default:              return '0;
    endcase
  endfunction

  // Tells whether a lane of the mask has a NaN. Few rows have a NaN anywhere, so the mask is only looked at
  // then.
  function automatic void any_nan(output logic found, input lanes_t row, input logic [Lanes-1:0] mask, input format_t format);
    /* verilator no_inline_task */
    logic [31:0] magnitude, infinity, anywhere, seen;
    magnitude = format.magnitude;
    infinity  = format.infinity;
    anywhere  = '0;
    seen      = '0;
    for (int unsigned k = 0; k < Lanes; ++k) anywhere = anywhere | {32{(row[k] & magnitude) > infinity}};
    if (anywhere != '0) begin
      for (int unsigned k = 0; k < Lanes; ++k) seen = seen | {32{((row[k] & magnitude) > infinity) & mask[k]}};
    end
    found = seen != '0;
  endfunction
endpackage

// Byte-enabled updates of memory words and rows.
package memory_pkg;

  import core_pkg::*;

  function automatic logic [31:0] byte_mask(logic [3:0] be);
    return {{8{be[3]}}, {8{be[2]}}, {8{be[1]}}, {8{be[0]}}};
  endfunction

  function automatic logic [31:0] merge_word(logic [31:0] old, logic [31:0] data, logic [3:0] be);
    return (old & ~byte_mask(be)) | (data & byte_mask(be));
  endfunction

  // The bytes `be` of every lane in `mask` from `data`, the rest from `old`.
  function automatic void merge_row(output row_t result, input row_t old, input row_t data, input logic [3:0] be,
                                    input mask_t mask);
    /* verilator no_inline_task */
    logic [31:0] bytes;
    bytes = byte_mask(be);
    for (int unsigned l = 0; l < cfg_pkg::Lanes; l++) begin
      result[l] = mask[l] ? (old[l] & ~bytes) | (data[l] & bytes) : old[l];
    end
  endfunction

endpackage

// Byte-enabled updates of memory words.
package memory_pkg;

  function automatic logic [31:0] byte_mask(logic [3:0] be);
    return {{8{be[3]}}, {8{be[2]}}, {8{be[1]}}, {8{be[0]}}};
  endfunction

  function automatic logic [31:0] merge_word(logic [31:0] old, logic [31:0] data, logic [3:0] be);
    return (old & ~byte_mask(be)) | (data & byte_mask(be));
  endfunction

endpackage

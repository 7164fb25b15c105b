// Operations on whole memory rows: partition moves, elements in and out of 32-bit words, masked writes.
//
// A lane view is the form in which an engine computes: lane i holds partition (first * Quadrant + i) mod
// Lanes, with the element in the low bits. A partition view is the form in which a memory stores.
//
// The result of a whole-row function is its first argument: the simulator cannot return more than 64 bits from a function
// that is not inlined.
package row_pkg;

  import cfg_pkg::*;
  import core_pkg::*;

  // Returns the lane view of a row with an operand that starts at quadrant `first`.
  function automatic void rotate_to_lanes(output row_t lanes, input row_t row, input logic [1:0] first);
    /* verilator no_inline_task */
    logic [31:0] from;
    if (first == 2'd0) begin
      lanes = row;
    end else begin
      from = (first == 2'd1) ? 32'(Quadrant) : (first == 2'd2) ? 32'(2 * Quadrant) : 32'(3 * Quadrant);
      for (int unsigned i = 0; i < Lanes; i++) begin
        lanes[i] = row[from];
        from = (from == Lanes - 1) ? 32'd0 : from + 32'd1;
      end
    end
  endfunction

  // Returns the partition view of lanes with an operand that starts at quadrant `first`.
  function automatic void rotate_to_partitions(output row_t row, input row_t lanes, input logic [1:0] first);
    rotate_to_lanes(row, lanes, 2'd0 - first);
  endfunction

  // Returns partitions first * Quadrant to first * Quadrant + count - 1.
  function automatic mask_t partition_mask(logic [1:0] first, logic [8:0] count);
    mask_t low;
    low = ~({Lanes{1'b1}} << count);
    return low << (int'(first) * Quadrant);
  endfunction

  // Returns the partition view of a set of lanes with an operand that starts at quadrant `first`.
  function automatic mask_t lanes_to_partitions(mask_t lanes, logic [1:0] first);
    return lanes << (int'(first) * Quadrant);
  endfunction

  // Returns the lowest bits of a word, as many as an element of 1 << size bytes fills.
  function automatic logic [31:0] element_mask(logic [1:0] size);
    return {{16{size[1]}}, {8{size != 2'd0}}, 8'hff};
  endfunction

  // Returns the byte enables of an element of 1 << size bytes at a byte offset within the word.
  function automatic logic [3:0] element_enable(logic [1:0] size, logic [1:0] offset);
    return {{2{size[1]}}, size != 2'd0, 1'b1} << offset;
  endfunction

  // Returns the elements at a byte offset of every word, zero-extended.
  function automatic void extract_row(output row_t lanes, input row_t row, input logic [1:0] size, input logic [1:0] offset);
    /* verilator no_inline_task */
    logic [31:0] mask;
    logic [4:0] shift;
    mask = element_mask(size);
    shift = {offset, 3'b0};
    for (int unsigned i = 0; i < Lanes; i++) lanes[i] = (row[i] >> shift) & mask;
  endfunction

  // Repeats each element at every place that it could have in its word, for a write with element_enable.
  function automatic void replicate_row(output row_t row, input row_t lanes, input logic [1:0] size);
    /* verilator no_inline_task */
    logic [31:0] mask;
    logic [31:0] places;
    mask = element_mask(size);
    places = 32'h1 | {15'b0, ~size[1], 16'b0} | {7'b0, size == 2'd0, 15'b0, size == 2'd0, 8'b0};
    for (int unsigned i = 0; i < Lanes; i++) row[i] = (lanes[i] & mask) * places;
  endfunction

  // Puts the same word into every lane.
  function automatic void broadcast_row(output row_t row, input logic [31:0] word);
    /* verilator no_inline_task */
    for (int unsigned i = 0; i < Lanes; i++) row[i] = word;
  endfunction

  // Returns `old` with the enabled bytes of the masked partitions taken from `data`.
  function automatic void merge_row(output row_t row, input row_t old, input row_t data, input logic [3:0] enable,
                                    input mask_t mask);
    /* verilator no_inline_task */
    logic [31:0] bytes;
    logic [31:0] taken;
    bytes = {{8{enable[3]}}, {8{enable[2]}}, {8{enable[1]}}, {8{enable[0]}}};
    if ((enable == '1) & (mask == '1)) begin
      row = data;
    end else begin
      for (int unsigned i = 0; i < Lanes; i++) begin
        taken = bytes & {32{mask[i]}};
        row[i] = (old[i] & ~taken) | (data[i] & taken);
      end
    end
  endfunction

endpackage

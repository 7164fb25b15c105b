// Checks whether a destination overlaps a source. The engines read ahead of their writes as far as their
// ports allow. If another element's result replaces bytes of a source element, the element may be read before
// or after that. So operands that share partitions must be apart, exactly in place, or interleaved:
// docs/instruction-semantics.md.
/* verilator lint_off UNUSEDSIGNAL */  // functions take whole places and look at some fields
package operand_overlap_pkg;

  import core_pkg::*;
  import isa_pkg::*;
  import operand_shape_pkg::*;

  // An operand that lies within partitions of one memory; steps are in elements of 1 << size bytes.
  typedef struct packed {
    logic        psum;
    logic [9:0]  partition;  // the first partition
    logic [31:0] offset;     // byte offset in a partition
    logic [1:0]  size;
    dimensions_t count;
    dimensions_t step;
  } place_t;

  // A distance within a partition, or the sum of two.
  typedef logic [18:0] distance_t;

  function automatic distance_t magnitude(logic [15:0] step);
    logic [15:0] negative;
    negative = 16'd0 - step;
    return {3'd0, step[15] ? negative : step};
  endfunction

  function automatic distance_t reach(logic [15:0] count, logic [15:0] step);
    logic [15:0] turns;
    turns = count - 16'd1;
    return 19'({3'd0, turns} * magnitude(step));
  endfunction

  function automatic distance_t lowest(place_t place);
    distance_t offset;
    offset = 19'(place.offset);
    for (int unsigned d = 0; d < 4; d++) offset -= place.step[d][15] ? reach(place.count[d], place.step[d]) << place.size : '0;
    return offset;
  endfunction

  function automatic distance_t beyond_highest(place_t place);
    distance_t offset;
    offset = 19'(place.offset) + (19'd1 << place.size);
    for (int unsigned d = 0; d < 4; d++) offset += place.step[d][15] ? '0 : reach(place.count[d], place.step[d]) << place.size;
    return offset;
  endfunction

  // Returns whether no two elements of the five dimensions are at the same place. The fifth dimension is the
  // distance of the two operands. Each step has to be larger than all dimensions of smaller steps reach
  // together.
  function automatic logic distinct(dimensions_t count, dimensions_t step, distance_t apart);
    logic [4:0] used;
    distance_t [4:0] by, reached;
    logic result;
    used    = {apart != '0, count[3] != 16'd1, count[2] != 16'd1, count[1] != 16'd1, count[0] != 16'd1};
    by      = {apart, magnitude(step[3]), magnitude(step[2]), magnitude(step[1]), magnitude(step[0])};
    reached = {apart, reach(count[3], step[3]), reach(count[2], step[2]), reach(count[1], step[1]), reach(count[0], step[0])};
    result = 1'b1;
    for (int unsigned d = 0; d < 5; d++) begin
      distance_t inner;
      inner = '0;
      for (int unsigned e = 0; e < 5; e++) inner += ((e != d) & used[e] & (by[e] <= by[d])) ? reached[e] : '0;
      result &= ~used[d] | (inner < by[d]);
    end
    return result;
  endfunction

  function automatic logic alike(place_t x, place_t y);
    logic result;
    result = (x.size == y.size) & (x.count == y.count);
    for (int unsigned d = 0; d < 4; d++) result &= (x.count[d] == 16'd1) | (x.step[d] == y.step[d]);
    return result;
  endfunction

  function automatic logic undefined(place_t dst, place_t source);
    /* verilator no_inline_task */
    distance_t apart;
    if ((dst.psum != source.psum) | (dst.partition != source.partition)) return 1'b0;
    if ((beyond_highest(dst) <= lowest(source)) | (beyond_highest(source) <= lowest(dst))) return 1'b0;
    if (!alike(dst, source)) return 1'b1;
    apart = 19'(dst.offset > source.offset ? dst.offset - source.offset : source.offset - dst.offset);
    return ~distinct(source.count, source.step, apart >> source.size);
  endfunction

endpackage

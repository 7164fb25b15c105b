// Shapes and partitions of operands that the shape of their instruction does not give directly.
package operand_shape_pkg;

  import isa_pkg::*;
  import core_pkg::*;

  // Counts of the four dimensions, innermost in element 0.
  typedef logic [3:0][15:0] dimensions_t;

  // Returns the elements in a partition, or `limit` (at most 2^16) if there are more.
  function automatic logic [31:0] elements_up_to(dimensions_t count, logic [31:0] limit);
    logic [31:0] product;
    product = 32'd1;
    for (int unsigned d = 0; d < 4; d++) begin
      product = product * 32'(count[d]);
      product = (product > limit) ? limit : product;
    end
    return product;
  endfunction

  // Returns whether a port reads the elements at half rate: the innermost dimension with several elements has
  // a step of more than 16 bytes.
  function automatic logic half_rate(dimensions_t count, dimensions_t step, logic [1:0] size);
    logic [31:0] bytes;
    bytes = '0;
    for (int d = 3; d >= 0; d--) begin
      if (count[d] != 16'd1) bytes = {{16{step[d][15]}}, step[d]} << size;
    end
    if (bytes[31]) bytes = -bytes;
    return bytes > 32'd16;
  endfunction

  // Returns whether transpose_block takes its operand as one block smaller than Quadrant x Quadrant, which
  // becomes [elements, partitions].
  function automatic logic one_block(opcode_e opcode, dimensions_t count, logic [8:0] partitions);
    logic [31:0] elements;
    elements = elements_up_to(count, Quadrant + 1);
    return (opcode == OpTransposeBlock) & (32'(partitions) <= Quadrant) & (elements <= Quadrant) & (elements != '0)
         & ~((32'(partitions) == Quadrant) & (elements == Quadrant));
  endfunction

  // Returns the counts of the destination. tensor_reduce writes one element for each position of the axes it
  // does not reduce.
  function automatic dimensions_t dst_count(opcode_e opcode, dimensions_t count, logic [2:0] reduce_axes,
                                            logic [8:0] partitions);
    dimensions_t result;
    result = count;
    if (dst_elements(opcode) != '0) result = {16'd1, 16'd1, 16'd1, dst_elements(opcode)};
    if (one_block(opcode, count, partitions)) result = {16'd1, 16'd1, 16'd1, 7'd0, partitions};
    for (int unsigned d = 0; d < 4; d++) begin
      if ((opcode == OpTensorReduce) & (d < 32'(reduce_axes))) result[d] = 16'd1;
    end
    return result;
  endfunction

  function automatic dimensions_t b_count(opcode_e opcode, dimensions_t count);
    return (b_elements(opcode) != '0) ? {16'd1, 16'd1, 16'd1, b_elements(opcode)} : count;
  endfunction

  function automatic logic [8:0] dst_partitions(opcode_e opcode, dimensions_t count, logic [8:0] partitions);
    return one_block(opcode, count, partitions) ? 9'(elements_up_to(count, Quadrant)) : partitions;
  endfunction

endpackage

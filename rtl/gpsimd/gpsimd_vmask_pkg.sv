// Operations on masks; the bits of a mask fill one register.
package gpsimd_vmask_pkg;

  import gpsimd_pkg::*;

  // Returns the bits from `from` to below `to`.
  function automatic vreg_t bits_between(vl_t from, vl_t to);
    return ({Vlen{1'b1}} << from) & ~({Vlen{1'b1}} << to);
  endfunction

  // Returns the same for the elements of a beat that begins with element `base`.
  function automatic vmask_t elements_between(vl_t from, vl_t to, vl_t base);
    vl_t low, high;
    low = (from > base) ? from - base : '0;
    high = (to > base) ? to - base : '0;
    low = (low > vl_t'(Vbytes)) ? vl_t'(Vbytes) : low;
    high = (high > vl_t'(Vbytes)) ? vl_t'(Vbytes) : high;
    return ({Vbytes{1'b1}} << low) & ~({Vbytes{1'b1}} << high);
  endfunction

  // Returns the logical operation that the lower bits of funct6 choose.
  function automatic vreg_t logic_row(logic [2:0] op, vreg_t x, vreg_t y);
    case (op)
      3'd0: return x & ~y;
      3'd1: return x & y;
      3'd2: return x | y;
      3'd3: return x ^ y;
      3'd4: return x | ~y;
      3'd5: return ~(x & y);
      3'd6: return ~(x | y);
      default: return ~(x ^ y);
    endcase
  endfunction

  // Returns vmsbf, vmsof or vmsif by the code in vs1: bits before, only, up to and including the first set
  // bit.
  function automatic vreg_t set_row(logic [1:0] op, vreg_t bits);
    vreg_t first;
    first = bits & -bits;
    case (op)
      2'd1: return first - 1'b1;
      2'd2: return first;
      default: return first | (first - 1'b1);
    endcase
  endfunction

  function automatic logic [31:0] count_ones(vreg_t bits);
    logic [31:0] count;
    count = '0;
    for (int unsigned k = 0; k < Vlen; k++) count = count + 32'(bits[k]);
    return count;
  endfunction

  // Returns the number of the first set bit, -1 without one.
  function automatic logic [31:0] first_one(vreg_t bits);
    logic [31:0] first;
    first = '1;
    for (int unsigned k = 0; k < Vlen; k++) begin
      if (bits[Vlen-1-k]) first = Vlen - 1 - k;
    end
    return first;
  endfunction

  // Counts for each element the set bits before it, from `start` on; `next` is the number for the first
  // element of the next beat.
  function automatic void iota_row(output vreg_t row, output logic [31:0] next, input logic [31:0] start, input vmask_t bits,
                                   input logic [1:0] width);
    logic [31:0] item;
    next = start;
    row = '0;
    for (int unsigned k = 0; k < (Vbytes >> width); k++) begin
      item = next & (32'hffff_ffff >> (6'd32 - (6'd8 << width)));
      row = row | (vreg_t'(item) << (k * (32'd8 << width)));
      next = next + 32'(bits[k]);
    end
  endfunction

endpackage

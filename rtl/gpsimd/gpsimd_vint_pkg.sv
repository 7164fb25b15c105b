// Integer operations on the elements of a register: one function, and a loop for each width.
package gpsimd_vint_pkg;

  import gpsimd_pkg::*;
  import gpsimd_vdecode_pkg::*;

  typedef logic [63:0] wide_t;

  // Control that all elements of a beat share.
  typedef struct packed {
    vop_e       op;
    logic       is_signed;   // results saturate to signed numbers
    logic [1:0] vxrm;
  } vcontrol_t;

  // A result, its bit in a mask, and whether it is saturated.
  typedef struct packed {
    logic  saturated;
    logic  truth;
    wide_t value;
  } velement_t;

  // Returns an element of a register by its number, sign-extended or not; `width` 0 to 2 for 8, 16, 32 bits.
  function automatic wide_t element(vreg_t row, logic [1:0] width, int unsigned k, logic is_signed);
    logic [31:0] word;
    case (width)
      2'd0: word = {{24{is_signed & row[8*(k%Vbytes)+7]}}, row[8*(k%Vbytes)+:8]};
      2'd1: word = {{16{is_signed & row[16*(k%(Vbytes/2))+15]}}, row[16*(k%(Vbytes/2))+:16]};
      default: word = row[32*(k%Words)+:32];
    endcase
    return {{32{is_signed & word[31]}}, word};
  endfunction

  // Shifts right with the rounding that vxrm chooses.
  function automatic wide_t round_shift(wide_t value, logic [5:0] shift, logic is_signed, logic [1:0] vxrm);
    wide_t shifted, below;
    logic  half, rest, up;
    shifted = is_signed ? unsigned'($signed(value) >>> shift) : value >> shift;
    below = value & ~({64{1'b1}} << shift);
    half = (shift != '0) & value[shift-6'd1];
    rest = (shift != '0) & ((below & ~({64{1'b1}} << (shift - 6'd1))) != '0);
    case (vxrm)
      2'd0: up = half;
      2'd1: up = half & (rest | shifted[0]);
      2'd2: up = 1'b0;
      default: up = ~shifted[0] & (half | rest);
    endcase
    return shifted + 64'(up);
  endfunction

  // Saturates a signed number to `bits` bits.
  function automatic velement_t saturate(wide_t value, logic is_signed, logic [5:0] bits);
    wide_t     low, high;
    velement_t result;
    high = is_signed ? (64'd1 << (bits - 6'd1)) - 64'd1 : (64'd1 << bits) - 64'd1;
    low = is_signed ? ~high : '0;
    result.truth = 1'b0;
    result.saturated = ($signed(value) > $signed(high)) | ($signed(value) < $signed(low));
    result.value = ($signed(value) > $signed(high)) ? high : ($signed(value) < $signed(low)) ? low : value;
    return result;
  endfunction

  // x comes from vs2, y from vs1 or the scalar, both extended; z from vd; `carry` from v0.
  function automatic velement_t operate(vcontrol_t control, logic [5:0] bits, wide_t x, wide_t y, wide_t z, logic carry);
    velement_t  r;
    wide_t      sum, difference;
    logic       less, equal;
    logic [5:0] shift;
    r = '0;
    sum = x + y;
    difference = x - y;
    less = $signed(x) < $signed(y);
    equal = x == y;
    shift = y[5:0] & (bits - 6'd1);
    case (control.op)
      VAdd: r.value = sum;
      VSub: r.value = difference;
      VRsub: r.value = -difference;
      VMin: r.value = less ? x : y;
      VMax: r.value = less ? y : x;
      VAnd: r.value = x & y;
      VOr: r.value = x | y;
      VXor: r.value = x ^ y;
      VSll: r.value = x << shift;
      VShr: r.value = unsigned'($signed(x) >>> shift);
      VAdc: r.value = sum + 64'(carry);
      VSbc: r.value = difference - 64'(carry);
      VMadc: begin
        sum = sum + 64'(carry);
        r.truth = sum[bits];
      end
      VMsbc: begin
        difference = difference - 64'(carry);
        r.truth = difference[63];
      end
      VMerge: r.value = carry ? y : x;
      VMseq: r.truth = equal;
      VMsne: r.truth = ~equal;
      VMslt: r.truth = less;
      VMsle: r.truth = less | equal;
      VMsgt: r.truth = ~(less | equal);
      VSadd: r = saturate(sum, control.is_signed, bits);
      VSsub: r = saturate(difference, control.is_signed, bits);
      VAadd: r.value = round_shift(sum, 6'd1, 1'b1, control.vxrm);
      VAsub: r.value = round_shift(difference, 6'd1, 1'b1, control.vxrm);
      VSmul: r = saturate(round_shift(x * y, bits - 6'd1, 1'b1, control.vxrm), 1'b1, bits);
      VSshr: r.value = round_shift(x, shift, 1'b1, control.vxrm);
      VNclip: r = saturate(round_shift(x, shift, 1'b1, control.vxrm), control.is_signed, bits >> 1);
      VMul: r.value = x * y;
      VMulh: r.value = (x * y) >> bits;
      VMacc: r.value = x * y + z;
      VNmsac: r.value = z - x * y;
      VMadd: r.value = z * y + x;
      VNmsub: r.value = x - z * y;
      default: r.value = x;
    endcase
    return r;
  endfunction

  // Returns the lowest element of a word.
  function automatic wide_t extend(logic [31:0] word, logic [1:0] width, logic is_signed);
    case (width)
      2'd0: return {{56{is_signed & word[7]}}, word[7:0]};
      2'd1: return {{48{is_signed & word[15]}}, word[15:0]};
      default: return {{32{is_signed & word[31]}}, word};
    endcase
  endfunction

  // The results are in `value`, or as bits of a mask from bit 0 on in `truth`. Only elements with a bit in
  // `active` set `saturated`.
  function automatic void operate_8(output vwords_t value, output vmask_t truth, output logic saturated,
                                    input vcontrol_t control, input logic signed_x, input logic signed_y, input vwords_t x,
                                    input vwords_t y, input vwords_t z, input vmask_t carry, input vmask_t active);
    /* verilator no_inline_task */
    velement_t   r;
    logic [31:0] word, word_x, word_y, word_z;
    word = '0;
    saturated = 1'b0;
    truth = '0;
    for (int unsigned k = 0; k < Words; k++) begin
      word_x = x[k];
      word_y = y[k];
      word_z = z[k];
      for (int unsigned e = 0; e < 4; e++) begin
        r = operate(control, 6'd8, extend(word_x >> (8 * e), 2'd0, signed_x), extend(word_y >> (8 * e), 2'd0, signed_y),
                    extend(word_z >> (8 * e), 2'd0, 1'b0), carry[4*k+e]);
        word[8*e+:8] = r.value[7:0];
        truth[4*k+e] = r.truth;
        saturated |= r.saturated & active[4*k+e];
      end
      value[k] = word;
    end
  endfunction

  function automatic void operate_16(output vwords_t value, output vmask_t truth, output logic saturated,
                                     input vcontrol_t control, input logic signed_x, input logic signed_y, input vwords_t x,
                                     input vwords_t y, input vwords_t z, input vmask_t carry, input vmask_t active);
    /* verilator no_inline_task */
    velement_t   r;
    logic [31:0] word, word_x, word_y, word_z;
    word = '0;
    saturated = 1'b0;
    truth = '0;
    for (int unsigned k = 0; k < Words; k++) begin
      word_x = x[k];
      word_y = y[k];
      word_z = z[k];
      for (int unsigned e = 0; e < 2; e++) begin
        r = operate(control, 6'd16, extend(word_x >> (16 * e), 2'd1, signed_x), extend(word_y >> (16 * e), 2'd1, signed_y),
                    extend(word_z >> (16 * e), 2'd1, 1'b0), carry[2*k+e]);
        word[16*e+:16] = r.value[15:0];
        truth[2*k+e] = r.truth;
        saturated |= r.saturated & active[2*k+e];
      end
      value[k] = word;
    end
  endfunction

  function automatic void operate_32(output vwords_t value, output vmask_t truth, output logic saturated,
                                     input vcontrol_t control, input logic signed_x, input logic signed_y, input vwords_t x,
                                     input vwords_t y, input vwords_t z, input vmask_t carry, input vmask_t active);
    /* verilator no_inline_task */
    velement_t   r;
    logic [31:0] word_x, word_y, word_z;
    saturated = 1'b0;
    truth = '0;
    for (int unsigned k = 0; k < Words; k++) begin
      word_x = x[k];
      word_y = y[k];
      word_z = z[k];
      r = operate(control, 6'd32, extend(word_x, 2'd2, signed_x), extend(word_y, 2'd2, signed_y), 64'(word_z), carry[k]);
      value[k] = r.value[31:0];
      truth[k] = r.truth;
      saturated |= r.saturated & active[k];
    end
  endfunction

  // Extends elements of 8 << from bits in the given part of the register to 8 << to bits.
  function automatic void widen(output vreg_t wide, input vreg_t row, input logic [1:0] from, input logic [1:0] to,
                                input logic [1:0] part, input logic is_signed);
    vreg_t shifted;
    wide_t value;
    shifted = row >> ((Vlen >> (to - from)) * 32'(part));
    wide = row;
    if ((from == 2'd0) & (to == 2'd1)) begin
      for (int unsigned k = 0; k < Vbytes / 2; k++) wide[16*k+:16] = {{8{is_signed & shifted[8*k+7]}}, shifted[8*k+:8]};
    end
    if (to == 2'd2) begin
      if (from != 2'd2) begin
        for (int unsigned k = 0; k < Words; k++) begin
          value = element(shifted, from, k, is_signed);
          wide[32*k+:32] = value[31:0];
        end
      end
    end
  endfunction

  // Returns the lower halves of elements of 16 << to bits, in both halves of a register.
  function automatic void narrow(output vreg_t half, input vreg_t row, input logic [1:0] to);
    half = row;
    if (to == 2'd0) begin
      for (int unsigned k = 0; k < Vbytes / 2; k++) half[8*k+:8] = row[16*k+:8];
    end else begin
      for (int unsigned k = 0; k < Words; k++) half[16*k+:16] = row[32*k+:16];
    end
    half[Vlen/2+:Vlen/2] = half[0+:Vlen/2];
  endfunction

  // Repeats an element in the whole register.
  function automatic vreg_t splat(logic [31:0] value, logic [1:0] width);
    case (width)
      2'd0: return {Vbytes{value[7:0]}};
      2'd1: return {(Vbytes / 2) {value[15:0]}};
      default: return {Words{value}};
    endcase
  endfunction

  // Returns the bytes of a register for elements of a width: the elements are the bits of `elements` from bit
  // 0 on.
  function automatic vmask_t bytes_of(vmask_t elements, logic [1:0] width);
    vmask_t bytes;
    case (width)
      2'd0: bytes = elements;
      2'd1: for (int unsigned k = 0; k < Vbytes / 2; k++) bytes[2*k+:2] = {2{elements[k]}};
      default: for (int unsigned k = 0; k < Words; k++) bytes[4*k+:4] = {4{elements[k]}};
    endcase
    return bytes;
  endfunction

  // Continues a reduction over a beat.
  function automatic logic [31:0] reduce(vop_e op, logic is_signed, logic [1:0] width, logic [31:0] start, vreg_t row,
                                         vmask_t active);
    /* verilator no_inline_task */
    wide_t     value, accumulator;
    velement_t r;
    vcontrol_t control;
    control = '{op: op, is_signed: is_signed, vxrm: '0};
    accumulator = element(vreg_t'(start), width, 0, is_signed);
    for (int unsigned k = 0; k < Vbytes; k++) begin
      if (active[k]) begin
        value = element(row, width, k, is_signed);
        r = operate(control, 6'd8 << width, accumulator, value, '0, 1'b0);
        accumulator = r.value;
      end
    end
    return accumulator[31:0];
  endfunction

endpackage

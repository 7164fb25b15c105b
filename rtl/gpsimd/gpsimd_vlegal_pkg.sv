// Tells which vector instructions are legal under a vtype: widths, alignment and overlap of register groups,
// masks, vstart.
package gpsimd_vlegal_pkg;


  import gpsimd_pkg::*;
  import gpsimd_vdecode_pkg::*;

  // LMUL as a biased logarithm: 4 is one register, 7 eight registers, 1 an eighth.
  typedef logic [3:0] lmul_t;
  localparam lmul_t One = 4'd4;

  // Element widths: 0 for a mask, 1 to 3 for 8 to 32 bits.
  typedef logic [2:0] width_t;

  // The registers that hold an operand.
  typedef struct packed {
    logic [4:0] first;
    lmul_t      lmul;
    width_t     width;
  } group_t;

  function automatic lmul_t biased(logic [2:0] lmul);
    return {1'b0, ~lmul[2], lmul[1:0]};
  endfunction

  function automatic logic [5:0] registers_of(lmul_t lmul);
    return (lmul <= One) ? 6'd1 : 6'd1 << (lmul - One);
  endfunction

  function automatic logic lmul_exists(lmul_t lmul);
    return (lmul >= 4'd1) & (lmul <= 4'd7);
  endfunction

  function automatic logic aligned(group_t group);
    return lmul_exists(group.lmul) & ((group.first & 5'(registers_of(group.lmul) - 6'd1)) == '0);
  endfunction

  function automatic logic disjoint(group_t a, group_t b);
    return ({1'b0, a.first} >= {1'b0, b.first} + registers_of(b.lmul))
         | ({1'b0, b.first} >= {1'b0, a.first} + registers_of(a.lmul));
  endfunction

  // A destination of wider elements may overlap the upper registers of a source, one of narrower elements the
  // lower registers.
  function automatic logic may_overlap(group_t dest, group_t source);
    if (dest.width == source.width) return 1'b1;
    if (dest.width < source.width) return (dest.first == source.first) | disjoint(dest, source);
    return disjoint(dest, source)
         | ((source.lmul >= One) & (source.first > dest.first)
            & ({1'b0, source.first} + registers_of(source.lmul) >= {1'b0, dest.first} + registers_of(dest.lmul)));
  endfunction

  function automatic logic elementwise_legal(logic [31:0] insn, vrow_t row, logic vector_y, group_t d, group_t x, group_t y);
    logic legal;
    legal = aligned(d) & aligned(x) & may_overlap(d, x);
    if (vector_y) legal &= aligned(y) & may_overlap(d, y);
    legal &= insn[25] | (insn[11:7] != '0) | row.mask_d;
    legal &= (d.width <= 3'd3) & (x.width <= 3'd3) & (x.width != '0);
    // If v0 is an operand, vm says so, or says that a merge is a copy.
    if ((row.op == VAdc) | (row.op == VSbc)) legal &= (row.kind != VInt) | ~insn[25];
    if ((row.kind == VInt) & (row.op == VMerge)) legal &= ~insn[25] | (insn[24:20] == '0);
    return legal;
  endfunction

  function automatic logic arithmetic_legal(logic [31:0] insn, vrow_t row, vstate_t vstate);
    group_t d, x, y;
    logic   legal, vm, float, vector_y, mask_free;
    lmul_t  lmul;
    width_t width;
    lmul = biased(vstate.vtype.lmul);
    width = vstate.vtype.sew + 3'd1;
    vm = insn[25];
    float = (insn[14:12] == 3'd1) | (insn[14:12] == 3'd5);
    mask_free = vm | (insn[11:7] != '0);
    d = '{first: insn[11:7], lmul: lmul + 4'(row.wide_d), width: width + 3'(row.wide_d)};
    if (row.mask_d) d = '{first: insn[11:7], lmul: One, width: '0};
    x = '{first: insn[24:20], lmul: lmul + 4'(row.wide_x) - 4'(row.part), width: width + 3'(row.wide_x) - 3'(row.part)};
    y = '{first: insn[19:15], lmul: lmul, width: width};
    vector_y = (insn[14:12] <= 3'd2) & (row.part == '0) & ~(float & (insn[31:27] == 5'h09));  // unary: vs1 is a code
    case (row.kind)
      VInt, VFp, VDivide, VFpDivide: legal = elementwise_legal(insn, row, vector_y, d, x, y);
      VReduce, VFpReduce: begin
        x.lmul = lmul;
        legal = aligned(x) & (d.width <= 3'd3);
      end
      VMaskLogic, VToX, VFromX: legal = vm;
      VMaskSet: legal = mask_free & (insn[11:7] != insn[24:20]);
      VIota: begin
        x.lmul = One;
        legal = mask_free & aligned(d) & disjoint(d, x);
      end
      VId: legal = mask_free & aligned(d) & (insn[24:20] == '0);
      VCount: legal = 1'b1;
      VSlideUp, VSlide1Up, VGatherX: legal = mask_free & aligned(d) & aligned(x) & (d.first != x.first);
      VSlideDown, VSlide1Down: legal = mask_free & aligned(d) & aligned(x);
      VGather: begin
        if (insn[31:26] == 6'h0e) y.lmul = lmul + 4'd2 - 4'(width);  // indices of 16 bits
        legal = mask_free & aligned(d) & aligned(x) & aligned(y) & (d.first != x.first) & disjoint(d, y);
      end
      VCompress: begin
        y.lmul = One;
        legal = vm & aligned(d) & aligned(x) & (d.first != x.first) & disjoint(d, y);
      end
      VMoveRegister: begin
        d.lmul = (insn[17] ? 4'd7 : insn[16] ? 4'd6 : insn[15] ? 4'd5 : One);
        x.lmul = d.lmul;
        legal = vm & aligned(d) & aligned(x) & ((insn[19:15] == 5'd0) | (insn[19:15] == 5'd1) | (insn[19:15] == 5'd3)
                                                | (insn[19:15] == 5'd7));
      end
      default: legal = 1'b0;
    endcase
    // Floats have 32 bits, and every operation on them needs a valid rounding mode.
    if (float) legal &= (vstate.frm < 3'd5) & (width + {2'b0, row.wide_d | row.wide_x} == 3'd3);
    // Only loads and stores can stop in the middle, so nothing else resumes there.
    return legal & ~vstate.vtype.vill & (vstate.vstart == '0);
  endfunction

  // Decoded loads and stores.
  typedef struct packed {
    logic       legal;
    logic       strided;
    logic       indexed;
    logic       segments;      // the access goes element by element, as strided and indexed ones do
    logic       fault_first;
    logic       whole;
    logic       mask;          // vlm, vsm
    logic [1:0] width;         // an element in memory has 8 << width bits
    logic [1:0] index_width;
    logic [2:0] fields;        // fields of a segment, less one
    logic [3:0] registers;     // registers of a field
    vl_t        length;        // elements of a field
  } vmem_t;

  function automatic vmem_t vmem_decode(logic [31:0] insn, vstate_t vstate);
    vmem_t       v;
    group_t      d, x;
    logic        store, sizes_fit;
    logic [6:0]  registers;
    logic [1:0]  width;
    store = insn[5];
    width = (insn[14:12] == 3'd0) ? 2'd0 : (insn[13:12] == 2'd1) ? 2'd1 : 2'd2;
    v = '0;
    v.strided = insn[27:26] == 2'd2;
    v.indexed = insn[26];
    v.whole = (insn[27:26] == 2'd0) & (insn[24:20] == 5'd8);
    v.mask = (insn[27:26] == 2'd0) & (insn[24:20] == 5'd11);
    v.fault_first = (insn[27:26] == 2'd0) & (insn[24:20] == 5'd16);
    v.fields = v.whole ? '0 : insn[31:29];
    v.segments = v.fields != '0;
    v.width = v.indexed ? vstate.vtype.sew[1:0] : width;
    v.index_width = width;
    d = '{first: insn[11:7], lmul: biased(vstate.vtype.lmul), width: 3'(v.width) + 3'd1};
    x = d;
    x.first = insn[24:20];
    x.width = 3'(width) + 3'd1;
    x.lmul = biased(vstate.vtype.lmul) + 4'(width) - 4'(vstate.vtype.sew);
    if (~v.indexed) d.lmul = x.lmul;
    if (v.mask) d.lmul = One;
    if (v.whole) d.lmul = (insn[31:29] == 3'd0) ? One : (insn[31:29] == 3'd1) ? 4'd5 : (insn[31:29] == 3'd3) ? 4'd6 : 4'd7;
    v.registers = 4'(registers_of(d.lmul));
    v.length = vstate.vl;
    if (v.mask) v.length = (vstate.vl + vl_t'(7)) >> 3;
    if (v.whole) v.length = vl_t'(32'(v.registers) * (Vbytes >> v.width));
    registers = (7'(v.fields) + 7'd1) * 7'(registers_of(d.lmul));
    sizes_fit = (registers <= 7'd8) & (7'(d.first) + registers <= 7'd32);
    v.legal = ~insn[28] & aligned(d) & sizes_fit & (store | insn[25] | (insn[11:7] != '0));
    if (~v.whole) v.legal &= ~vstate.vtype.vill;
    if (insn[27:26] == 2'd0) begin
      case (insn[24:20])
        5'd0: ;
        5'd8: v.legal &= insn[25] & (~store | (insn[14:12] == 3'd0))
                       & ((insn[31:29] == 3'd0) | (insn[31:29] == 3'd1) | (insn[31:29] == 3'd3) | (insn[31:29] == 3'd7));
        5'd11: v.legal &= insn[25] & (width == 2'd0) & (insn[31:29] == '0);
        5'd16: v.legal &= ~store;
        default: v.legal = 1'b0;
      endcase
    end
    if (v.indexed) begin
      v.legal &= aligned(x);
      if (~store & ~v.segments) v.legal &= may_overlap(d, x);
      if (~store & v.segments) begin
        v.legal &= (7'(x.first) >= 7'(d.first) + registers) | (7'(d.first) >= 7'(x.first) + 7'(registers_of(x.lmul)));
      end
    end
    return v;
  endfunction

  // Returns the address of the last byte of a unit-stride access from `address` on.
  function automatic logic [31:0] last_byte(vmem_t v, logic [31:0] address);
    return address + (32'(v.length) << v.width) - 32'd1;
  endfunction

  // Returns whether a legal load or store is a stream: unit-stride accesses that cannot trap.
  function automatic logic streams(logic [31:0] insn, vmem_t v, vstate_t vstate, logic [31:0] address);
    logic [31:0] last;
    last = last_byte(v, address);
    return ~v.strided & ~v.indexed & ~v.segments & ~v.fault_first & (insn[5] | insn[25]) & (vstate.vstart == '0)
         & (v.length != '0) & ((address & ~(32'hffff_ffff << v.width)) == '0)
         & ((in_tcm(address) & in_tcm(last)) | (in_slice(address) & in_slice(last)));
  endfunction

  // Returns whether loads and stores run beside an operation of this kind: its beats read and write the
  // registers of its groups one after the other.
  function automatic logic chains(vkind_e kind);
    return kind inside {VInt, VFp, VDivide, VFpDivide, VId, VMoveRegister, VMaskLogic, VMaskSet, VFromX};
  endfunction

endpackage

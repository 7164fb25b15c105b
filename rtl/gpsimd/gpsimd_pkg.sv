// Types, codes and the address map of a GpSimd core.
package gpsimd_pkg;

  localparam int unsigned Vlen = gpsimd_cfg_pkg::Vlen;
  localparam int unsigned TcmBytes = gpsimd_cfg_pkg::TcmBytes;
  localparam int unsigned SliceBytes = gpsimd_cfg_pkg::SliceBytes;

  // A beat: the unit that a memory reads or writes in a cycle.
  localparam int unsigned BeatBytes = 64;
  typedef logic [8*BeatBytes-1:0] beat_t;
  typedef logic [BeatBytes-1:0] strobe_t;

  // Takes the bytes of `data` that the strobe names, and all others from `old`.
  typedef logic [BeatBytes/4-1:0][31:0] beat_words_t;
  function automatic void merge(output beat_words_t merged, input beat_words_t old, input beat_words_t data, input strobe_t strobe);
    /* verilator no_inline_task */
    logic [31:0] bytes, mask;
    for (int unsigned k = 0; k < BeatBytes / 4; ++k) begin
      bytes = 32'(strobe >> (4 * k));
      bytes = (bytes & 32'h1) | ((bytes & 32'h2) << 7) | ((bytes & 32'h4) << 14) | ((bytes & 32'h8) << 21);
      mask = (bytes << 8) - bytes;
      merged[k] = (old[k] & ~mask) | (data[k] & mask);
    end
  endfunction

  // Address map. Everything else is an access fault.
  localparam logic [31:0] TcmBase = 32'h8000_0000;
  localparam logic [31:0] SliceBase = 32'h9000_0000;
  localparam int unsigned TcmBeatBits = $clog2(TcmBytes / BeatBytes);
  localparam int unsigned SliceBeatBits = $clog2(SliceBytes / BeatBytes);
  typedef logic [TcmBeatBits-1:0] tcm_beat_t;
  typedef logic [SliceBeatBits-1:0] slice_beat_t;

  function automatic logic in_tcm(logic [31:0] address);
    return (address - TcmBase) < TcmBytes;
  endfunction

  function automatic logic in_slice(logic [31:0] address);
    return (address - SliceBase) < SliceBytes;
  endfunction

  // The unit that executes an instruction.
  typedef enum logic [3:0] {
    UnitIllegal, UnitAlu, UnitBranch, UnitJump, UnitLoad, UnitStore, UnitMul, UnitDiv, UnitFpu, UnitCsr, UnitSystem,
    UnitFence, UnitVset, UnitVector, UnitVmem
  } unit_e;

  typedef enum logic [3:0] {
    AluAdd, AluSub, AluSll, AluSlt, AluSltu, AluXor, AluSrl, AluSra, AluOr, AluAnd, AluCopy
  } alu_op_e;

  // The format of the immediate, which is the second operand of the ALU or an offset.
  typedef enum logic [2:0] {ImmNone, ImmI, ImmS, ImmB, ImmU, ImmJ, ImmZ} imm_e;

  typedef enum logic [5:0] {
    FpAdd, FpSub, FpRsub, FpMul, FpMadd, FpMsub, FpNmsub, FpNmadd, FpDiv, FpRdiv, FpSqrt, FpSgnj, FpSgnjn, FpSgnjx, FpMin,
    FpMax, FpToInt, FpToUint, FpFromInt, FpFromUint, FpMove, FpClass, FpEq, FpLt, FpLe, FpNe, FpGt, FpGe, FpRsqrt7, FpRec7
  } fp_op_e;

  // A decoded scalar instruction; for a vector instruction, the part that the scalar side needs.
  typedef struct packed {
    unit_e   unit;
    alu_op_e alu;
    imm_e    imm;
    fp_op_e  fp;
    logic    use_pc;       // first operand of the ALU
    logic    use_imm;      // second operand of the ALU
    logic    reads_x1;     // integer rs1
    logic    reads_x2;
    logic    reads_f1;     // floating-point rs1
    logic    reads_f2;
    logic    reads_f3;
    logic    writes_x;
    logic    writes_f;
    logic    needs_fs;     // illegal while mstatus.FS is off
    logic    rounds;       // illegal with a reserved rounding mode
  } decoded_t;

  // Causes of traps.
  typedef enum logic [3:0] {
    CauseInsnMisaligned = 4'd0, CauseInsnFault = 4'd1, CauseIllegal = 4'd2, CauseBreakpoint = 4'd3, CauseLoadMisaligned = 4'd4,
    CauseLoadFault = 4'd5, CauseStoreMisaligned = 4'd6, CauseStoreFault = 4'd7, CauseEcall = 4'd11
  } cause_e;

  typedef struct packed {
    logic        is_interrupt;
    cause_e      cause;
    logic [31:0] value;   // value of mtval
  } trap_t;

  // Flags of floating-point exceptions: invalid, division by zero, overflow, underflow, inexact.
  typedef logic [4:0] fflags_t;

  // A result and its flags.
  typedef struct packed {
    fflags_t     flags;
    logic [31:0] value;
  } fp_result_t;

  // Register numbers of results: 0 to 31 are the integer registers, 32 to 63 the floating-point registers.
  typedef logic [5:0] register_t;

  typedef struct packed {
    register_t   dest;
    logic [31:0] value;
    fflags_t     flags;
  } result_t;

  typedef enum logic [2:0] {RoundNearest, RoundZero, RoundDown, RoundUp, RoundMax} rounding_e;

  // Vector registers.
  localparam int unsigned Vbytes = Vlen / 8;
  localparam int unsigned Words = Vlen / 32;
  localparam int unsigned VlBits = $clog2(Vlen) + 1;  // vl is at most 8 * Vlen / 8
  typedef logic [Vlen-1:0] vreg_t;
  typedef logic [Words-1:0][31:0] vwords_t;            // the same, as words
  typedef logic [Vbytes-1:0] vmask_t;                 // one bit for each byte or element of a register
  typedef logic [VlBits-1:0] vl_t;
  typedef logic [$clog2(Vbytes)-1:0] vbyte_t;

  typedef struct packed {
    logic       vill;
    logic       vma;
    logic       vta;
    logic [2:0] sew;    // 0: 8, 1: 16, 2: 32 bits
    logic [2:0] lmul;   // signed logarithm
  } vtype_t;

  // Vector state that an instruction uses.
  typedef struct packed {
    vtype_t     vtype;
    vl_t        vl;
    vl_t        vstart;
    logic [1:0] vxrm;
    logic [2:0] frm;
  } vstate_t;

  // Returns the number of registers in a group, at least one.
  function automatic logic [3:0] group_size(logic [2:0] lmul);
    return lmul[2] ? 4'd1 : 4'd1 << lmul[1:0];
  endfunction

  // Returns the number of elements that a register group holds.
  function automatic vl_t vlmax(vtype_t vtype);
    return vtype.lmul[2] ? vl_t'(Vbytes >> vtype.sew[1:0]) >> (3'd0 - vtype.lmul)
                         : vl_t'(Vbytes >> vtype.sew[1:0]) << vtype.lmul[1:0];
  endfunction

  // Returns a bit for each register from `first` to `last`.
  function automatic logic [31:0] registers_between(logic [4:0] first, logic [4:0] last);
    return (32'hffff_ffff << first) & ~(32'hffff_fffe << last);
  endfunction

  // Returns whether the bytes from `a_first` to `a_last` and those from `b_first` to `b_last` have one in
  // common.
  function automatic logic overlap(logic [31:0] a_first, logic [31:0] a_last, logic [31:0] b_first, logic [31:0] b_last);
    return (a_first <= b_last) & (b_first <= a_last);
  endfunction

  // A load within one beat. It writes back a scalar register or bytes of a vector register.
  typedef struct packed {
    logic        to_vector;
    register_t   dest;
    logic [5:0]  from;    // first byte in the beat
    logic [2:0]  size;    // funct3 of a scalar load
    vbyte_t      to;      // first byte in the vector register
    vmask_t      enable;  // enabled bytes of the vector register
    logic        closes;  // the last access of a stream to its vector register
    logic        ends;    // the last access of a stream
  } access_t;

endpackage

// Types shared by the blocks of the core.
package core_pkg;

  import cfg_pkg::*;

  // A memory row: the same 32-bit word of every partition. Element e of an operand lies in row e*size/4, byte e*size%4.
  typedef logic [Lanes-1:0][31:0] row_t;
  typedef logic [Lanes-1:0] mask_t;
  typedef logic [$clog2(Lanes)-1:0] lane_t;

  localparam int unsigned SbufRows = SbufBytes / 4;
  localparam int unsigned PsumRows = PsumBytes / 4;
  localparam int unsigned SbufRowBits = $clog2(SbufRows);
  localparam int unsigned PsumRowBits = $clog2(PsumRows);
  typedef logic [SbufRowBits-1:0] sbuf_row_t;
  typedef logic [PsumRowBits-1:0] psum_row_t;
  // A row of either memory, or a word of the memory of a GpSimd core. Any of the three may have the most.
  localparam int unsigned TcmWordBits = $clog2(isa_pkg::WindowGpsimdTcmStride / 4);
  localparam int unsigned SramRowBits = SbufRowBits > PsumRowBits ? SbufRowBits : PsumRowBits;
  localparam int unsigned MemoryRowBits = SramRowBits > TcmWordBits ? SramRowBits : TcmWordBits;
  typedef logic [MemoryRowBits-1:0] memory_row_t;

  // SBUF partition p starts at p << SbufStrideBits in the core window, PSUM partition p at WindowPsumBase + (p << 14).
  localparam int unsigned SbufStrideBits = Lanes > 128 ? 17 : 18;
  localparam int unsigned PsumStrideBits = 14;

  // A GpSimd core works on 16 neighbouring partitions, the last core on the rest. Its part of a row has 16
  // words.
  localparam int unsigned SliceWords = 16;
  localparam int unsigned MaxGpsimdCores = 8;
  localparam int unsigned GpsimdCores = Lanes > (MaxGpsimdCores - 1) * SliceWords ? MaxGpsimdCores : (Lanes + SliceWords - 1) / SliceWords;
  typedef logic [SliceWords-1:0][31:0] slice_row_t;
  typedef logic [4*SliceWords-1:0] slice_strobe_t;

  // Number of an instruction, in the order in which its engine gets them, modulo the number that can be under
  // way.
  typedef logic [5:0] number_t;

  // Neighbouring partitions.
  typedef struct packed {
    lane_t      first;
    logic [8:0] count;
  } partitions_t;

  function automatic mask_t mask_of(partitions_t partitions);
    return ~({Lanes{1'b1}} << partitions.count) << partitions.first;
  endfunction

  // Partition groups: engines may start at a multiple of a quarter of the partitions.
  localparam int unsigned Quadrant = Lanes / 4;

  localparam int unsigned BeatBytes = AxiDataWidth / 8;
  localparam int unsigned BeatWords = AxiDataWidth / 32;
  typedef logic [BeatWords-1:0][31:0] beat_t;
  typedef logic [BeatBytes-1:0] strobe_t;

  // Element size of a data type, as a power of two.
  function automatic logic [1:0] dtype_size(isa_pkg::dtype_e dtype);
    case (dtype)
      isa_pkg::DtypeI8, isa_pkg::DtypeU8, isa_pkg::DtypeFp8E3m4, isa_pkg::DtypeFp8E4m3, isa_pkg::DtypeFp8E5m2: return 2'd0;
      isa_pkg::DtypeI16, isa_pkg::DtypeU16, isa_pkg::DtypeBf16, isa_pkg::DtypeFp16: return 2'd1;
      default: return 2'd2;
    endcase
  endfunction

  // The counters, in cycles of an engine's clock: cycles with work, by engine (isa_pkg::engine_e), then
  // activities of the Tensor engine.
  localparam int unsigned Counters = 8;
  typedef enum logic [2:0] {
    CounterTensor, CounterVector, CounterScalar, CounterGpsimd, CounterSync,
    CounterMatmul,                     // a moving element enters the array
    CounterFastLoad, CounterNormalLoad // four columns of a stationary operand enter; fewer than four enter
  } counter_e;

  function automatic logic dtype_valid(isa_pkg::dtype_e dtype);
    return (4'(dtype) >= 4'd2) & (4'(dtype) != 4'd12);
  endfunction

  // Returns the type of a [partitions,1] operand. Code 0 stands for fp32; its usual code is invalid here.
  function automatic isa_pkg::dtype_e immediate_type(isa_pkg::immediate_dtype_e code);
    return (code == isa_pkg::ImmediateDtypeFp32) ? isa_pkg::DtypeFp32 : isa_pkg::dtype_e'(4'(code));
  endfunction

  function automatic logic immediate_type_valid(isa_pkg::immediate_dtype_e code);
    return dtype_valid(immediate_type(code)) & (4'(code) != 4'(isa_pkg::DtypeFp32));
  endfunction

endpackage

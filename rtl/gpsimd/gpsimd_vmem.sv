// Vector loads, or vector stores, as a sequence of accesses within a beat.
//
// Unit-stride accesses take the bytes up to the next boundary of a memory beat or of a vector register; that
// is a beat a cycle if the boundaries coincide. Other accesses, and segments, go element by element, all
// fields of a segment in turn. An access is checked before it is made, so at a trap every element before
// vstart is done. A stream (gpsimd_vlegal_pkg) has been checked as a whole and ends with its last access.
module gpsimd_vmem
  import gpsimd_pkg::*;
  import gpsimd_vlegal_pkg::vmem_t;
#(
  parameter bit Store = 1'b0
) (
  input  logic            clk_i,
  input  logic            rst_ni,

  // An instruction.
  input  logic            start_i,
  output logic            ready_o,
  output logic            idle_o,
  input  logic [31:0]     insn_i,
  input  vmem_t           vmem_i,
  input  vl_t             vstart_i,
  input  logic [31:0]     base_i,
  input  logic [31:0]     stride_i,
  input  logic            streams_i,

  // The registers of the next access, and of all that are still to come; the latter are those of a stream.
  input  logic            blocked_i,
  output logic [4:0]      index_register_o,
  output logic [4:0]      data_register_o,
  output logic            indexed_o,
  output logic            masked_o,
  output logic            opens_o,      // the first access of a stream to its register
  output logic [31:0]     registers_o,
  input  vreg_t           index_i,
  input  vreg_t           data_i,
  input  vreg_t           mask_i,

  // An access; of a stream also the last byte of the access and of the stream.
  output logic            valid_o,
  output access_t         access_o,
  output logic [31:0]     address_o,
  output logic [31:0]     access_end_o,
  output logic [31:0]     end_o,
  output beat_t           wdata_o,
  output strobe_t         strobe_o,
  input  logic            ready_i,
  input  logic            drained_i,  // no load is under way

  // The end of an instruction that is no stream, high for a cycle.
  output logic            done_o,
  output logic            trap_o,
  output trap_t           trap_info_o,
  output vl_t             vstart_o,   // valid with a trap
  output logic            vl_write_o, // a fault-only-first load ends early
  output vl_t             vl_o
);

  localparam int unsigned ByteBits = $clog2(Vbytes);
  typedef logic [VlBits-1:0] position_t;  // a byte of a register group

  typedef enum logic [1:0] {Idle, Run, Drain} state_e;

  state_e      state_q;
  logic [31:0] insn_q, base_q, stride_q, end_q;
  vmem_t       vmem_q;
  logic        streams_q;
  vl_t         element_q;
  logic [2:0]  field_q;
  logic        cut_q;     // vl is to be written at the end
  logic        trap_q;
  trap_t       trap_info_q;

  logic beats;
  vl_t  length;
  logic [1:0] width;
  assign beats = ~vmem_q.strided & ~vmem_q.indexed & ~vmem_q.segments;
  assign width = vmem_q.width;
  assign length = vmem_q.length;

  // Places of element and field in the registers.
  position_t position, index_position, end_position;
  assign position = position_t'(32'(element_q) << width);
  assign index_position = position_t'(32'(element_q) << vmem_q.index_width);
  assign end_position = position_t'((32'(length) << width) - 32'd1);
  assign index_register_o = insn_q[24:20] + 5'(index_position >> ByteBits);
  assign data_register_o = insn_q[11:7] + 5'(field_q) * 5'(vmem_q.registers) + 5'(position >> ByteBits);
  assign indexed_o = vmem_q.indexed;
  assign masked_o = ~insn_q[25];
  assign opens_o = streams_q & (vbyte_t'(position) == '0);
  always_comb begin
    registers_o = '0;
    if (state_q == Run && streams_q) begin
      registers_o = registers_between(data_register_o, insn_q[11:7] + 5'(end_position >> ByteBits));
      if (Store && !insn_q[25]) registers_o[0] = 1'b1;
    end
  end

  // The elements of the access, from element_q on.
  logic [31:0] address, offset, index;
  logic [6:0]  bytes, count, in_memory, in_register;
  vbyte_t      to;
  vmask_t      active;
  logic        any, last;
  assign to = vbyte_t'(position);
  always_comb begin
    gpsimd_vint_pkg::wide_t value;
    vl_t left;
    left = length - element_q;
    value = '0;
    if (state_q == Run && vmem_q.indexed) begin
      value = gpsimd_vint_pkg::element(index_i >> (8 * 32'(vbyte_t'(index_position))), vmem_q.index_width, 0, 1'b0);
    end
    index = value[31:0];
    offset = vmem_q.indexed ? index : 32'(element_q) * stride_q;
    if (!vmem_q.indexed && !vmem_q.strided) begin
      offset = (32'(element_q) * (32'(vmem_q.fields) + 32'd1)) << width;
    end
    address = base_q + offset + (32'(field_q) << width);
    in_memory = 7'd64 - 7'(address[5:0]);
    in_register = 7'(Vbytes - 32'(to));
    bytes = 7'd1 << width;
    if (beats) begin
      bytes = (in_memory < in_register) ? in_memory : in_register;
      if (32'(bytes) > (32'(left) << width)) bytes = 7'(left) << width;
      if ((bytes >> width) == '0) bytes = 7'd1 << width;  // a misaligned element, which traps
    end
    count = bytes >> width;
    active = '1;
    if (state_q == Run && !insn_q[25]) active = vmask_t'(mask_i >> element_q);
    active = active & ~({Vbytes{1'b1}} << count);
    any = active != '0;
    last = (element_q + vl_t'(count) >= length) & (field_q == vmem_q.fields);
  end

  logic misaligned, fault, run;
  assign misaligned = (address & ~(32'hffff_ffff << width)) != '0;
  assign fault = misaligned | ~(in_tcm(address) | in_slice(address));
  assign run = (state_q == Run) & ~blocked_i & (element_q < length);

  // The first active element, which only a faulting access needs.
  logic [5:0] first;
  always_comb begin
    first = '0;
    if (run && fault) begin
      for (int unsigned k = 0; k < Vbytes; k++) begin
        if (active[Vbytes-1-k]) first = 6'(Vbytes - 1 - k);
      end
    end
  end

  // Bytes of the access from its first byte on, and data of a store at its place in the beat.
  vmask_t bytes_active;
  beat_t  wdata;
  logic   closes;
  assign closes = streams_q & (last | (32'(to) + 32'(bytes) == Vbytes));
  always_comb begin
    bytes_active = '0;
    wdata = '0;
    if (run) begin
      bytes_active = gpsimd_vint_pkg::bytes_of(active, width);
      if (Store) wdata = (beat_t'(data_i) >> {to, 3'b0}) << {address[5:0], 3'b0};
    end
  end

  assign valid_o      = run & any & ~fault;
  assign access_o     = '{to_vector: 1'b1, dest: {1'b0, data_register_o}, from: address[5:0], size: '0, to: to,
                          enable: bytes_active << to, closes: closes, ends: streams_q & last};
  assign address_o    = address;
  assign access_end_o = address + 32'(bytes) - 32'd1;
  assign end_o        = end_q;
  assign wdata_o      = wdata;
  assign strobe_o     = strobe_t'(bytes_active) << address[5:0];

  logic advance, finishes;
  assign advance  = run & ~(any & fault) & (~any | ready_i);
  assign finishes = streams_q & advance & last;
  assign ready_o  = (state_q == Idle) | finishes;
  assign idle_o   = state_q == Idle;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q     <= Idle;
      {insn_q, base_q, stride_q, end_q, streams_q, element_q, field_q, cut_q, trap_q} <= '0;
      vmem_q      <= '0;
      trap_info_q <= '0;
    end else begin
      case (state_q)
        Run: begin
          if (!blocked_i && element_q >= length) begin
            state_q <= Drain;
          end else if (run && any && fault) begin
            state_q <= Drain;
            element_q <= element_q + vl_t'(first);
            if (vmem_q.fault_first && (element_q != '0 || first != '0)) begin
              cut_q <= 1'b1;
            end else begin
              trap_q <= 1'b1;
              trap_info_q.is_interrupt <= 1'b0;
              trap_info_q.cause <= misaligned ? (Store ? CauseStoreMisaligned : CauseLoadMisaligned)
                                              : (Store ? CauseStoreFault : CauseLoadFault);
              trap_info_q.value <= address + (32'(first) << width);
            end
          end else if (advance) begin
            if (last) state_q <= streams_q ? Idle : Drain;
            if (any && field_q != vmem_q.fields) begin
              field_q <= field_q + 3'd1;
            end else begin
              field_q   <= '0;
              element_q <= element_q + vl_t'(count);
            end
          end
        end
        Drain: if (drained_i) state_q <= Idle;
        default: ;
      endcase
      if (start_i) begin
        state_q   <= Run;
        insn_q    <= insn_i;
        vmem_q    <= vmem_i;
        base_q    <= base_i;
        stride_q  <= stride_i;
        streams_q <= streams_i;
        end_q     <= gpsimd_vlegal_pkg::last_byte(vmem_i, base_i);
        element_q <= vstart_i;
        field_q   <= '0;
        cut_q     <= 1'b0;
        trap_q    <= 1'b0;
      end
    end
  end

  assign done_o      = (state_q == Drain) & drained_i;
  assign trap_o      = trap_q;
  assign trap_info_o = trap_info_q;
  assign vstart_o    = element_q;
  assign vl_write_o  = cut_q;
  assign vl_o        = element_q;

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      StartsWhenReady: assert (!start_i || ready_o);
      StreamsDoNotTrap: assert (!(run && streams_q) || !(any && fault));
      MaskedLoadIsNoStream: assert (Store || !(start_i && streams_i) || insn_i[25]);
      WithinBeat: assert (!valid_o || 7'(address[5:0]) + bytes <= 7'd64);
      WithinRegister: assert (!valid_o || 32'(to) + 32'(bytes) <= Vbytes);
      OutputsKnown: assert (!$isunknown({valid_o, done_o}));
    end
  end
  `endif

endmodule

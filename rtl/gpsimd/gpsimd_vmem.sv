// Vector loads and stores as a sequence of accesses within a beat.
//
// Unit-stride accesses take the bytes up to the next boundary of a memory beat or of a vector register; that
// is a beat a cycle if the boundaries coincide. Other accesses, and segments, go element by element, all
// fields of a segment in turn. An access is checked before it is made, so at a trap every element before
// vstart is done.
module gpsimd_vmem
  import gpsimd_pkg::*;
  import gpsimd_vlegal_pkg::vmem_t;
(
  input  logic            clk_i,
  input  logic            rst_ni,

  // The instruction, held until done_o.
  input  logic            start_i,
  input  logic [31:0]     insn_i,
  input  vmem_t           vmem_i,
  input  vstate_t         vstate_i,
  input  logic [31:0]     base_i,
  input  logic [31:0]     stride_i,
  input  logic            blocked_i,  // results for registers that are read are under way

  // Registers: index and data.
  output logic [4:0]      index_register_o,
  output logic [4:0]      data_register_o,
  input  vreg_t           index_i,
  input  vreg_t           data_i,
  input  vreg_t           mask_i,

  // Accesses.
  output logic            valid_o,
  output access_t         access_o,
  output logic [31:0]     address_o,
  output beat_t           wdata_o,
  output strobe_t         strobe_o,
  input  logic            ready_i,
  input  logic            idle_i,     // no load is under way

  // The end of the instruction, high for a cycle.
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

  state_e     state_q;
  vl_t        element_q;
  logic [2:0] field_q;
  logic       cut_q;     // vl is to be written at the end
  logic       trap_q;
  trap_t      trap_info_q;

  logic store, beats;
  vl_t  length;
  logic [1:0] width;
  assign store = insn_i[5];
  assign beats = ~vmem_i.strided & ~vmem_i.indexed & ~vmem_i.segments;
  assign width = vmem_i.width;
  always_comb begin
    length = vstate_i.vl;
    if (vmem_i.mask) length = (vstate_i.vl + vl_t'(7)) >> 3;
    if (vmem_i.whole) length = vl_t'(32'(vmem_i.registers) * (Vbytes >> width));
  end

  // Places of element and field in the registers.
  position_t position, index_position;
  assign position = position_t'(32'(element_q) << width);
  assign index_position = position_t'(32'(element_q) << vmem_i.index_width);
  assign index_register_o = insn_i[24:20] + 5'(index_position >> ByteBits);
  assign data_register_o = insn_i[11:7] + 5'(field_q) * 5'(vmem_i.registers) + 5'(position >> ByteBits);

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
    if (state_q == Run && vmem_i.indexed) begin
      value = gpsimd_vint_pkg::element(index_i >> (8 * 32'(vbyte_t'(index_position))), vmem_i.index_width, 0, 1'b0);
    end
    index = value[31:0];
    offset = vmem_i.indexed ? index : 32'(element_q) * stride_i;
    if (!vmem_i.indexed && !vmem_i.strided) begin
      offset = (32'(element_q) * (32'(vmem_i.fields) + 32'd1)) << width;
    end
    address = base_i + offset + (32'(field_q) << width);
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
    if (state_q == Run && !insn_i[25]) active = vmask_t'(mask_i >> element_q);
    active = active & ~({Vbytes{1'b1}} << count);
    any = active != '0;
    last = (element_q + vl_t'(count) >= length) & (field_q == vmem_i.fields);
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
  always_comb begin
    bytes_active = '0;
    wdata = '0;
    if (run) begin
      bytes_active = gpsimd_vint_pkg::bytes_of(active, width);
      if (store) wdata = (beat_t'(data_i) >> {to, 3'b0}) << {address[5:0], 3'b0};
    end
  end

  assign valid_o   = run & any & ~fault;
  assign access_o  = '{kind: store ? AccessStore : AccessLoadVector, dest: {1'b0, data_register_o}, from: address[5:0],
                       size: '0, to: to, enable: bytes_active << to};
  assign address_o = address;
  assign wdata_o   = wdata;
  assign strobe_o  = strobe_t'(bytes_active) << address[5:0];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q     <= Idle;
      element_q   <= '0;
      field_q     <= '0;
      cut_q       <= 1'b0;
      trap_q      <= 1'b0;
      trap_info_q <= '0;
    end else begin
      case (state_q)
        Idle: begin
          element_q <= vstate_i.vstart;
          field_q   <= '0;
          cut_q     <= 1'b0;
          trap_q    <= 1'b0;
          if (start_i) state_q <= Run;
        end
        Run: begin
          if (!blocked_i) begin
            if (element_q >= length) begin
              state_q <= Drain;
            end else if (any && fault) begin
              state_q <= Drain;
              element_q <= element_q + vl_t'(first);
              if (vmem_i.fault_first && (element_q != '0 || first != '0)) begin
                cut_q <= 1'b1;
              end else begin
                trap_q <= 1'b1;
                trap_info_q.is_interrupt <= 1'b0;
                trap_info_q.cause <= misaligned ? (store ? CauseStoreMisaligned : CauseLoadMisaligned)
                                                : (store ? CauseStoreFault : CauseLoadFault);
                trap_info_q.value <= address + (32'(first) << width);
              end
            end else if (!any || ready_i) begin
              if (last) state_q <= Drain;
              if (any && field_q != vmem_i.fields) begin
                field_q <= field_q + 3'd1;
              end else begin
                field_q   <= '0;
                element_q <= element_q + vl_t'(count);
              end
            end
          end
        end
        default: if (idle_i) state_q <= Idle;
      endcase
    end
  end

  assign done_o      = (state_q == Drain) & idle_i;
  assign trap_o      = trap_q;
  assign trap_info_o = trap_info_q;
  assign vstart_o    = element_q;
  assign vl_write_o  = cut_q;
  assign vl_o        = element_q;

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      InstructionStays: assert ((state_q == Idle) || start_i);
      WithinBeat: assert (!valid_o || 7'(address[5:0]) + bytes <= 7'd64);
      WithinRegister: assert (!valid_o || 32'(to) + 32'(bytes) <= Vbytes);
      OutputsKnown: assert (!$isunknown({valid_o, done_o}));
    end
  end
  `endif

endmodule

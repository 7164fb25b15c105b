// Control and status registers and the trap unit of machine mode.
module gpsimd_csr
  import gpsimd_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [31:0] hart_id_i,

  // An access: read data and legality come at once; the write happens at the end of the cycle with commit_i.
  input  logic [31:0] insn_i,
  input  logic [31:0] operand_i,
  output logic [31:0] rdata_o,
  output logic        legal_o,
  input  logic        commit_i,

  // A trap, or the return from one.
  input  logic        trap_i,
  input  trap_t       trap_info_i,
  input  logic [31:0] trap_pc_i,
  input  logic        return_i,
  output logic [31:0] trap_vector_o,
  output logic [31:0] return_pc_o,

  // External interrupt.
  input  logic        irq_i,
  output logic        irq_pending_o,  // wakes wfi
  output logic        irq_taken_o,    // the interrupt is to be taken

  // State changes by instructions.
  input  logic        retire_i,
  input  fflags_t     fflags_i,
  input  fflags_t     vector_fflags_i,
  input  logic        vxsat_i,
  input  logic        vset_i,        // writes vl and vtype
  input  logic        vl_write_i,    // writes only vl: a fault-only-first load
  input  vl_t         vl_i,
  input  vtype_t      vtype_i,
  input  logic        vstart_write_i,
  input  vl_t         vstart_i,

  // State that instructions use.
  output logic        fs_on_o,
  output logic        vs_on_o,
  output vstate_t     vstate_o
);

  logic        mie_q, mpie_q, meie_q;
  logic        fs_q, vs_q;
  logic [31:0] mtvec_q, mscratch_q, mepc_q, mtval_q;
  logic [31:0] mcause_q;
  logic [63:0] mcycle_q, minstret_q;
  logic [2:0]  frm_q;
  fflags_t     fflags_q;
  logic [1:0]  vxrm_q;
  logic        vxsat_q;
  vl_t         vl_q, vstart_q;
  vtype_t      vtype_q;

  // Reads a register.
  logic [11:0] address;
  logic        needs_fs, needs_vs, exists;
  assign address = insn_i[31:20];

  // Event counters 3 to 31, their upper halves and their event selectors: they exist and are always zero.
  logic event_counter;
  assign event_counter = ((address[11:5] == 7'h58) | (address[11:5] == 7'h5c) | (address[11:5] == 7'h19)) & (address[4:0] >= 5'd3);

  always_comb begin
    exists = 1'b1;
    needs_fs = 1'b0;
    needs_vs = 1'b0;
    rdata_o = '0;
    case (address)
      12'h001: {needs_fs, rdata_o} = {1'b1, 27'b0, fflags_q};
      12'h002: {needs_fs, rdata_o} = {1'b1, 29'b0, frm_q};
      12'h003: {needs_fs, rdata_o} = {1'b1, 24'b0, frm_q, fflags_q};
      12'h008: {needs_vs, rdata_o} = {1'b1, 32'(vstart_q)};
      12'h009: {needs_vs, rdata_o} = {1'b1, 31'b0, vxsat_q};
      12'h00a: {needs_vs, rdata_o} = {1'b1, 30'b0, vxrm_q};
      12'h00f: {needs_vs, rdata_o} = {1'b1, 29'b0, vxrm_q, vxsat_q};
      12'hc20: {needs_vs, rdata_o} = {1'b1, 32'(vl_q)};
      12'hc21: {needs_vs, rdata_o} = {1'b1, vtype_q.vill, 23'b0, vtype_q.vma, vtype_q.vta, vtype_q.sew, vtype_q.lmul};
      12'hc22: {needs_vs, rdata_o} = {1'b1, 32'(Vbytes)};
      12'h300: rdata_o = {fs_q | vs_q, 16'b0, {2{fs_q}}, 2'b11, {2{vs_q}}, 1'b0, mpie_q, 3'b0, mie_q, 3'b0};
      12'h301: rdata_o = 32'h4000_1120;  // RV32IMF; V would promise larger VLEN and ELEN
      12'h304: rdata_o = {20'b0, meie_q, 11'b0};
      12'h305: rdata_o = mtvec_q;
      12'h310: rdata_o = '0;
      12'h340: rdata_o = mscratch_q;
      12'h341: rdata_o = mepc_q;
      12'h342: rdata_o = mcause_q;
      12'h343: rdata_o = mtval_q;
      12'h344: rdata_o = {20'b0, irq_i, 11'b0};
      12'hb00: rdata_o = mcycle_q[31:0];
      12'hb80: rdata_o = mcycle_q[63:32];
      12'hb02: rdata_o = minstret_q[31:0];
      12'hb82: rdata_o = minstret_q[63:32];
      12'hf11, 12'hf12, 12'hf13, 12'hf15: rdata_o = '0;
      12'hf14: rdata_o = hart_id_i;
      default: exists = event_counter;
    endcase
  end

  // csrrs and csrrc with a zero operand do not write.
  logic        write;
  logic [31:0] wdata;
  assign write = (insn_i[13:12] == 2'd1) | (insn_i[19:15] != '0);
  assign wdata = (insn_i[13:12] == 2'd1) ? operand_i
               : (insn_i[13:12] == 2'd2) ? rdata_o | operand_i : rdata_o & ~operand_i;
  assign legal_o = exists & ~(write & (address[11:10] == 2'b11)) & (fs_q | ~needs_fs) & (vs_q | ~needs_vs);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {mie_q, mpie_q, meie_q, fs_q, vs_q} <= '0;
      {mtvec_q, mscratch_q, mepc_q, mtval_q, mcause_q} <= '0;
      {mcycle_q, minstret_q} <= '0;
      {frm_q, fflags_q, vxrm_q, vxsat_q} <= '0;
      {vl_q, vstart_q} <= '0;
      vtype_q <= '{vill: 1'b1, default: '0};
    end else begin
      mcycle_q <= mcycle_q + 64'd1;
      if (retire_i) minstret_q <= minstret_q + 64'd1;
      fflags_q <= fflags_q | fflags_i | vector_fflags_i;
      vxsat_q  <= vxsat_q | vxsat_i;
      if (vset_i) vtype_q <= vtype_i;
      if (vset_i || vl_write_i) vl_q <= vl_i;
      if (vstart_write_i) vstart_q <= vstart_i;

      if (commit_i && write) begin
        case (address)
          12'h001: fflags_q <= wdata[4:0];
          12'h002: frm_q <= wdata[2:0];
          12'h003: {frm_q, fflags_q} <= wdata[7:0];
          12'h008: vstart_q <= vl_t'(wdata[$clog2(Vlen)-1:0]);
          12'h009: vxsat_q <= wdata[0];
          12'h00a: vxrm_q <= wdata[1:0];
          12'h00f: {vxrm_q, vxsat_q} <= wdata[2:0];
          12'h300: begin
            {mpie_q, mie_q} <= {wdata[7], wdata[3]};
            {fs_q, vs_q} <= {wdata[14:13] != '0, wdata[10:9] != '0};  // dirty or off
          end
          12'h304: meie_q <= wdata[11];
          12'h305: mtvec_q <= {wdata[31:2], 1'b0, wdata[0]};
          12'h340: mscratch_q <= wdata;
          12'h341: mepc_q <= {wdata[31:2], 2'b0};
          12'h342: mcause_q <= wdata;
          12'h343: mtval_q <= wdata;
          12'hb00: mcycle_q <= {mcycle_q[63:32], wdata};
          12'hb80: mcycle_q[63:32] <= wdata;
          // The written value replaces the count of the writing instruction.
          12'hb02: minstret_q <= {minstret_q[63:32], wdata};
          12'hb82: minstret_q <= {wdata, minstret_q[31:0]};
          default: ;
        endcase
      end
      if (trap_i) begin
        mcause_q <= {trap_info_i.is_interrupt, 27'b0, trap_info_i.cause};
        mtval_q  <= trap_info_i.value;
        mepc_q   <= trap_pc_i;
        {mpie_q, mie_q} <= {mie_q, 1'b0};
      end else if (return_i) begin
        {mpie_q, mie_q} <= {1'b1, mpie_q};
      end
    end
  end

  assign trap_vector_o = {mtvec_q[31:2], 2'b0} + ((mtvec_q[0] & trap_info_i.is_interrupt) ? 32'(trap_info_i.cause) << 2 : '0);
  assign return_pc_o   = mepc_q;
  assign irq_pending_o = irq_i & meie_q;
  assign irq_taken_o   = irq_pending_o & mie_q;
  assign fs_on_o       = fs_q;
  assign vs_on_o       = vs_q;
  assign vstate_o      = '{vtype: vtype_q, vl: vl_q, vstart: vstart_q, vxrm: vxrm_q, frm: frm_q};

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      OneReason: assert (32'(commit_i) + 32'(trap_i) + 32'(return_i) <= 32'd1);
      LegalAccess: assert (!commit_i || legal_o);
      LengthFits: assert (vtype_q.vill || vl_q <= vlmax(vtype_q));
      StateKnown: assert (!$isunknown(vstate_o));
    end
  end
  `endif

endmodule

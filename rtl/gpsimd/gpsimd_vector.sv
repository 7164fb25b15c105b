// Vector unit: takes instructions in order, one at a time, and works on a beat of a register group a cycle.
//
// An instruction's beats follow those of the previous one without a gap. A beat waits for registers with
// results that are still in the pipeline (in_flight_q); operations that go element by element or bit by bit
// hold it as long as they take.
module gpsimd_vector
  import gpsimd_pkg::*;
  import gpsimd_vdecode_pkg::*;
  import gpsimd_vlegal_pkg::vmem_t;
#(
  parameter int unsigned IntStages = 3,  // cycles until a result can be read
  parameter int unsigned FpStages = 5
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  // A legal instruction, with its operands.
  input  logic        valid_i,
  input  logic        memory_i,
  input  logic [31:0] insn_i,
  input  vrow_t       row_i,
  input  vmem_t       vmem_i,
  input  vstate_t     vstate_i,
  input  logic [31:0] scalar_i,  // rs1, f1 or the immediate; or the address
  input  logic [31:0] stride_i,
  output logic        ready_o,
  output logic        idle_o,

  // Its results: a scalar result, flags.
  output logic        result_valid_o,
  output result_t     result_o,
  output fflags_t     flags_o,
  output logic        saturated_o,
  output logic        done_o,

  // The end of a load or store.
  output logic        memory_done_o,
  output logic        trap_o,
  output trap_t       trap_info_o,
  output vl_t         vstart_o,
  output logic        vl_write_o,
  output vl_t         vl_o,

  // Load/store unit.
  output logic        lsu_valid_o,
  output access_t     lsu_access_o,
  output logic [31:0] lsu_address_o,
  output beat_t       lsu_wdata_o,
  output strobe_t     lsu_strobe_o,
  input  logic        lsu_ready_i,
  input  logic        lsu_idle_i,
  input  logic        load_valid_i,
  input  access_t     load_access_i,
  input  beat_t       load_data_i
);

  import gpsimd_vint_pkg::*;

  localparam int unsigned ByteBits = $clog2(Vbytes);

  typedef enum logic [1:0] {VectorIdle, VectorRun, VectorMemory} state_e;

  // The instruction.
  state_e      state_q;
  logic [31:0] insn_q, scalar_q, stride_q;
  vrow_t       row_q;
  vmem_t       vmem_q;
  vstate_t     vstate_q;
  vl_t         beat_q;      // or the element, if elements go one by one
  logic        first_q;
  logic [31:0] carried_q;
  logic [2:0]  wait_q;      // cycles that a recurrence waits

  logic [FpStages-1:0][31:0] in_flight_q;  // registers under way, indexed by the cycles left, less one
  logic [31:0]               own_q;        // registers that this instruction has written

  // The kind of operation.
  logic [1:0] sew, width;
  logic       one_by_one, is_vv, is_float;
  assign sew = vstate_q.vtype.sew[1:0];
  assign width = sew + {1'b0, row_q.wide_d | row_q.wide_x};
  assign one_by_one = (row_q.kind == VGather) | (row_q.kind == VCompress) | (row_q.kind == VFpReduce);
  assign is_vv = insn_q[14:12] <= 3'd2;
  assign is_float = (row_q.kind == VFp) | (row_q.kind == VFpDivide) | (row_q.kind == VFpReduce);

  // Number of elements in a beat, and the beat's first element.
  logic [2:0] beat_shift;  // log2 of the number of elements in a beat, ByteBits less the width
  vl_t base, last_beat;
  vmask_t active, range;
  assign base = one_by_one ? beat_q : vl_t'(32'(beat_q) << (ByteBits - 32'(width)));
  assign last_beat = one_by_one ? vstate_q.vl - vl_t'(1) : (vstate_q.vl - vl_t'(1)) >> (ByteBits - 32'(width));
  assign beat_shift = 3'(ByteBits - 32'(width));

  // Registers that are read.
  logic [4:0]  x_register, y_register, z_register, direct_x, direct_z, memory_index_register, memory_data_register;
  vreg_t       x_data, y_data, z_data, mask;
  logic        x_exists, y_exists;
  logic [31:0] index;
  gpsimd_voperands u_operands (
    .insn_i    (insn_q),
    .row_i     (row_q),
    .vtype_i   (vstate_q.vtype),
    .width_i   (width),
    .beat_i    (beat_q),
    .scalar_i  (scalar_q),
    .y_data_i  (y_data),
    .x_o       (direct_x),
    .y_o       (y_register),
    .z_o       (direct_z),
    .x_exists_o(x_exists),
    .y_exists_o(y_exists),
    .index_o   (index)
  );
  assign x_register = (state_q == VectorMemory) ? memory_index_register : direct_x;
  assign z_register = (state_q == VectorMemory) ? memory_data_register : direct_z;

  // An operand, or an older result for the destination, is still in the pipeline. The instruction never reads
  // registers that it has written itself.
  logic [31:0] in_flight;
  logic        slides, blocked;
  always_comb begin
    in_flight = '0;
    for (int unsigned k = 0; k < FpStages; k++) in_flight |= in_flight_q[k];
    in_flight &= ~own_q;
  end
  assign slides = (row_q.kind == VSlideUp) | (row_q.kind == VSlideDown) | (row_q.kind == VSlide1Up) | (row_q.kind == VSlide1Down);
  assign blocked = in_flight[x_register] | (in_flight[y_register] & (is_vv | slides)) | in_flight[z_register]
                 | (in_flight[0] & ~insn_q[25]);

  // The beat.
  vreg_t   x, y, beat_value, divided, value;
  vmask_t  beat_enable, enable;
  fflags_t beat_flags, divided_flags, flags;
  logic    beat_saturated, divider_done, divides, run, advance, last;
  logic [31:0] beat_carried, carried;
  vl_t     vlmax_bytes;
  assign vlmax_bytes = vlmax(vstate_q.vtype) << sew;
  always_comb begin
    x = x_exists ? x_data : '0;
    y = y_exists ? y_data : '0;
    // A fraction of a register has no elements beyond its length.
    if (((row_q.kind == VSlideDown) || (row_q.kind == VSlide1Down)) && vstate_q.vtype.lmul[2]) begin
      x = x & ~({Vlen{1'b1}} << {vlmax_bytes, 3'b0});
    end
  end

  assign range = gpsimd_vmask_pkg::elements_between('0, vstate_q.vl, base);
  always_comb begin
    vreg_t shifted;
    shifted = '0;
    active = range & ~({Vbytes{1'b1}} << (vl_t'(1) << beat_shift));
    if (state_q == VectorRun && !insn_q[25] && !row_q.carry) begin
      shifted = mask >> base;
      active = active & shifted[Vbytes-1:0];
    end
  end

  // Sequence. Instructions without an element to work on end at once, except those with a scalar result.
  logic nothing, scalar_result;
  assign scalar_result = (row_q.kind == VToX) | (row_q.kind == VCount);
  assign nothing = (vstate_q.vl == '0) & ~scalar_result;
  assign last = (beat_q >= last_beat) | nothing | scalar_result | (row_q.kind == VMaskLogic) | (row_q.kind == VMaskSet)
              | (row_q.kind == VFromX);
  assign run = (state_q == VectorRun) & ~blocked;
  assign divides = (row_q.kind == VDivide) | (row_q.kind == VFpDivide);
  assign advance = run & (~divides | divider_done | nothing) & (wait_q == '0);
  assign ready_o = (state_q == VectorIdle) | (advance & last);

  gpsimd_vbeat u_beat (
    .valid_i        (run & ~one_by_one),
    .row_i          (row_q),
    .insn_i         (insn_q),
    .vstate_i       (vstate_q),
    .scalar_i       (scalar_q),
    .first_i        (first_q),
    .base_i         (base),
    .beat_i         (beat_q),
    .width_i        (width),
    .x_i            (x),
    .y_i            (y),
    .z_i            (z_data),
    .mask_i         (mask),
    .active_i       (active),
    .carried_i      (carried_q),
    .divided_i      (divided),
    .divided_flags_i(divided_flags),
    .value_o        (beat_value),
    .enable_o       (beat_enable),
    .flags_o        (beat_flags),
    .saturated_o    (beat_saturated),
    .carried_o      (beat_carried)
  );

  vreg_t divider_y;
  always_comb begin
    divider_y = '0;
    if (divides) divider_y = is_vv ? y_data : splat(scalar_q, sew);
  end

  gpsimd_vdivider u_divider (
    .clk_i,
    .rst_ni,
    .start_i    (run & divides & ~nothing),
    .fp_i       (row_q.kind == VFpDivide),
    .root_i     (row_q.fp == FpSqrt),
    .swap_i     (row_q.fp == FpRdiv),
    .signed_i   (row_q.signed_x),
    .remainder_i(row_q.op == VSub),
    .width_i    (sew),
    .rm_i       (vstate_q.frm),
    .x_i        (x_data),
    .y_i        (divider_y),
    .active_i   (active),
    .done_o     (divider_done),
    .value_o    (divided),
    .flags_o    (divided_flags)
  );

  // Operations that go element by element.
  vreg_t       one_value;
  vmask_t      one_enable;
  fflags_t     one_flags;
  logic [31:0] one_carried;
  logic [4:0]  one_register;
  gpsimd_velement u_element (
    .valid_i   (run & one_by_one),
    .row_i     (row_q),
    .insn_i    (insn_q),
    .vstate_i  (vstate_q),
    .first_i   (first_q),
    .last_i    (last),
    .element_i (beat_q),
    .active_i  (active[0]),
    .index_i   (index),
    .x_i       (x),
    .y_i       (y_data),
    .carried_i (carried_q),
    .value_o   (one_value),
    .enable_o  (one_enable),
    .flags_o   (one_flags),
    .carried_o (one_carried),
    .register_o(one_register)
  );

  // The register that is written.
  logic [4:0] write_register;
  always_comb begin
    value = beat_value;
    enable = beat_enable;
    flags = beat_flags;
    carried = beat_carried;
    write_register = z_register;
    if (run && one_by_one) begin
      value = one_value;
      enable = one_enable;
      flags = one_flags;
      carried = one_carried;
      write_register = one_register;
    end
    if (row_q.kind == VReduce && run) begin
      write_register = insn_q[11:7];
      if (!last) enable = '0;
    end
    if (nothing | ~advance) enable = '0;
    if (load_valid_i && load_access_i.kind == AccessLoadVector) begin
      value = vreg_t'((load_data_i >> {load_access_i.from, 3'b0}) << {load_access_i.to, 3'b0});
      enable = load_access_i.enable;
      write_register = load_access_i.dest[4:0];
    end
  end

  gpsimd_vrf u_registers (
    .clk_i,
    .x_register_i(x_register),
    .y_register_i(y_register),
    .z_register_i(z_register),
    .x_o       (x_data),
    .y_o       (y_data),
    .z_o       (z_data),
    .mask_o    (mask),
    .write_i   (enable != '0),
    .register_i(write_register),
    .data_i    (value),
    .enable_i  (enable)
  );

  gpsimd_vmem u_memory (
    .clk_i,
    .rst_ni,
    .start_i         (state_q == VectorMemory),
    .insn_i          (insn_q),
    .vmem_i          (vmem_q),
    .vstate_i        (vstate_q),
    .base_i          (scalar_q),
    .stride_i        (stride_q),
    .blocked_i       (blocked),
    .index_register_o(memory_index_register),
    .data_register_o (memory_data_register),
    .index_i         (x_data),
    .data_i          (z_data),
    .mask_i          (mask),
    .valid_o         (lsu_valid_o),
    .access_o        (lsu_access_o),
    .address_o       (lsu_address_o),
    .wdata_o         (lsu_wdata_o),
    .strobe_o        (lsu_strobe_o),
    .ready_i         (lsu_ready_i),
    .idle_i          (lsu_idle_i),
    .done_o          (memory_done_o),
    .trap_o,
    .trap_info_o,
    .vstart_o,
    .vl_write_o,
    .vl_o
  );

  vstate_t start_state;
  always_comb begin
    start_state = vstate_i;
    if (row_i.kind == VMoveRegister && !memory_i) begin
      start_state.vl = vl_t'((32'(insn_i[17:15]) + 32'd1) * (Vbytes >> vstate_i.vtype.sew[1:0]));
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q     <= VectorIdle;
      {insn_q, scalar_q, stride_q, beat_q, first_q, carried_q, wait_q} <= '0;
      row_q       <= '0;
      vmem_q      <= '0;
      vstate_q    <= '0;
      in_flight_q <= '0;
      own_q       <= '0;
    end else begin
      for (int unsigned k = 0; k < FpStages; k++) in_flight_q[k] <= (k + 1 < FpStages) ? in_flight_q[(k+1)%FpStages] : '0;
      if (advance && enable != '0) begin
        in_flight_q[(is_float?FpStages:IntStages)-1][write_register] <= 1'b1;
        own_q[write_register] <= 1'b1;
      end

      if (run) begin
        if (wait_q != '0) wait_q <= wait_q - 3'd1;
        if (advance) begin
          beat_q    <= beat_q + vl_t'(1);
          first_q   <= 1'b0;
          carried_q <= carried;
          wait_q    <= (row_q.kind == VFpReduce) ? 3'(FpStages - 1) : '0;
          if (last) state_q <= VectorIdle;
        end
      end
      if (state_q == VectorMemory && memory_done_o) state_q <= VectorIdle;

      if (valid_i && ready_o) begin
        state_q   <= memory_i ? VectorMemory : VectorRun;
        insn_q    <= insn_i;
        row_q     <= memory_i ? '0 : row_i;
        vmem_q    <= vmem_i;
        vstate_q  <= start_state;
        scalar_q  <= scalar_i;
        stride_q  <= stride_i;
        beat_q    <= '0;
        first_q   <= 1'b1;
        wait_q    <= '0;
        carried_q <= '0;
        own_q     <= '0;
      end
    end
  end

  assign idle_o         = state_q == VectorIdle;
  assign done_o         = (advance & last) | memory_done_o;
  assign result_valid_o = advance & scalar_result;
  assign result_o       = '{dest: {insn_q[14:12] == 3'd1, insn_q[11:7]}, value: beat_carried, flags: '0};
  assign flags_o        = (advance && !nothing) ? flags : '0;
  assign saturated_o    = advance & ~nothing & beat_saturated;

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      LegalInstruction: assert (!(valid_i && ready_o) || memory_i || row_i.kind != VIllegal);
      LoadsBelongHere: assert (!(load_valid_i && load_access_i.kind == AccessLoadVector) || state_q == VectorMemory);
      OutputsKnown: assert (!$isunknown({ready_o, done_o, result_valid_o, flags_o, saturated_o}));
    end
  end
  `endif

endmodule

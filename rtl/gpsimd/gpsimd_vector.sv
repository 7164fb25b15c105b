// Vector unit: takes instructions in order, and works on an operation, a load and a store at the same time, a
// beat of a register group of each in a cycle.
//
// An instruction's beats follow those of the previous one of its kind without a gap. A beat waits for
//   - registers with results in the pipeline (in_flight_q) and with data that has been asked for (arriving_q),
//   - registers that older instructions have still to write, or to read before it writes them,
//   - bytes that older loads have still to read, or older stores to write.
// Only streams (gpsimd_vlegal_pkg) and operations whose beats go through their registers one after the other
// work beside each other. Other loads and stores wait until nothing else is under way, and operations that go
// element by element or bit by bit until no load or store is.
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
  input  logic        streams_i,
  input  logic [31:0] insn_i,
  input  vrow_t       row_i,
  input  vmem_t       vmem_i,
  input  vstate_t     vstate_i,
  input  logic [31:0] scalar_i,  // rs1, f1 or the immediate; or the address
  input  logic [31:0] stride_i,
  output logic        ready_o,
  output logic        idle_o,

  // Results of an operation: a scalar result, flags.
  output logic        result_valid_o,
  output result_t     result_o,
  output fflags_t     flags_o,
  output logic        saturated_o,
  output logic        done_o,

  // The end of a load or store that is no stream.
  output logic        memory_done_o,
  output logic        trap_o,
  output trap_t       trap_info_o,
  output vl_t         vstart_o,
  output logic        vl_write_o,
  output vl_t         vl_o,

  // Accesses that are still to be made, by memory.
  output logic        loading_o,
  output logic        loading_tcm_o,
  output logic        storing_o,
  output logic        storing_tcm_o,

  // Load/store unit.
  output logic        load_valid_o,
  output access_t     load_access_o,
  output logic [31:0] load_address_o,
  input  logic        load_ready_i,
  output logic        store_valid_o,
  output logic [31:0] store_address_o,
  output beat_t       store_wdata_o,
  output strobe_t     store_strobe_o,
  input  logic        store_ready_i,
  input  logic        loads_idle_i,
  input  logic        data_valid_i,
  input  access_t     data_access_i,
  input  beat_t       data_i
);

  import gpsimd_vint_pkg::*;

  localparam int unsigned ByteBits = $clog2(Vbytes);

  typedef enum logic {VectorIdle, VectorRun} state_e;

  // The operation.
  state_e      state_q;
  logic [31:0] insn_q, scalar_q;
  vrow_t       row_q;
  vstate_t     vstate_q;
  vl_t         beat_q;      // or the element, if elements go one by one
  logic        first_q;
  logic [31:0] carried_q;
  logic [2:0]  wait_q;      // cycles that a recurrence waits

  logic [FpStages-1:0][31:0] in_flight_q;   // registers under way, indexed by the cycles left, less one
  logic [31:0]               own_q;         // registers that this operation has written
  logic [31:0]               arriving_q;    // registers that a load has asked data for

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

  // The load and the store.
  logic        load_start, load_ready, load_idle, load_indexed, load_masked, load_opens, load_blocked, load_done, load_trap, load_cut;
  logic        store_start, store_ready, store_idle, store_indexed, store_masked, store_blocked, store_done, store_trap;
  logic [4:0]  load_index_register, load_register, store_index_register, store_register;
  logic [31:0] load_registers, load_access_end, load_end, store_registers, store_access_end, store_end;
  trap_t       load_trap_info, store_trap_info;
  vl_t         load_vstart, store_vstart;

  // The order of what is under way: operation, load, store.
  logic op_stays, load_stays, store_stays;
  logic op_after_load_q, op_after_store_q, load_after_op_q, load_after_store_q, store_after_op_q, store_after_load_q;
  assign load_stays = ~load_ready;
  assign store_stays = ~store_ready;

  // Registers that are read.
  logic [4:0]  x_register, y_register, z_register, direct_x;
  vreg_t       x_data, y_data, z_data, store_data, mask;
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
    .z_o       (z_register),
    .x_exists_o(x_exists),
    .y_exists_o(y_exists),
    .index_o   (index)
  );
  always_comb begin
    x_register = direct_x;
    if (!load_idle && load_indexed) x_register = load_index_register;
    if (!store_idle && store_indexed) x_register = store_index_register;
  end

  // Returns the last register of a group that an operation uses; the group's elements are 1 << narrower times as
  // narrow as those of the operation.
  function automatic logic [4:0] last_register(logic [4:0] first, vl_t beat, logic [1:0] narrower);
    return first + 5'(beat >> narrower);
  endfunction

  // Registers that the operation has still to read or write, if it chains.
  logic [31:0] op_writes, op_uses;
  logic [1:0]  narrower_x;
  vl_t         final_beat;
  logic        chains_q, slides;
  assign slides = (row_q.kind == VSlideUp) | (row_q.kind == VSlideDown) | (row_q.kind == VSlide1Up) | (row_q.kind == VSlide1Down);
  assign narrower_x = row_q.wide_x ? 2'd0 : row_q.part + 2'(row_q.wide_d);
  assign final_beat = (row_q.kind inside {VMaskLogic, VMaskSet, VFromX}) ? beat_q : last_beat;
  always_comb begin
    op_writes = '0;
    op_uses = '0;
    if (state_q == VectorRun && vstate_q.vl != '0) begin
      op_writes = registers_between(z_register, last_register(insn_q[11:7], final_beat, {1'b0, row_q.wide_x & ~row_q.wide_d}));
      if (row_q.mask_d) op_writes = 32'd1 << z_register;
      op_uses = op_writes | registers_between(x_register, last_register(insn_q[24:20], final_beat, narrower_x));
      if (is_vv) op_uses |= registers_between(y_register, last_register(insn_q[19:15], final_beat, width - sew));
      if (!insn_q[25]) op_uses[0] = 1'b1;
    end
  end

  // An operand, or an older result for the destination, is still on its way, or an older store has still to
  // read the destination. The operation never reads registers that it has written itself.
  logic [31:0] in_flight, op_hazards, load_hazards, store_hazards;
  logic        blocked;
  always_comb begin
    in_flight = '0;
    for (int unsigned k = 0; k < FpStages; k++) in_flight |= in_flight_q[k];
    op_hazards = (in_flight & ~own_q) | arriving_q;
    if (op_after_load_q) op_hazards |= load_registers;
    load_hazards = in_flight;
    if (load_after_op_q) load_hazards |= op_uses;
    if (load_after_store_q) load_hazards |= store_registers;
    store_hazards = in_flight | arriving_q;
    if (store_after_op_q) store_hazards |= op_writes;
    if (store_after_load_q) store_hazards |= load_registers;
  end
  assign blocked = op_hazards[x_register] | (op_hazards[y_register] & (is_vv | slides)) | op_hazards[z_register]
                 | (op_hazards[0] & ~insn_q[25]) | (op_after_store_q & store_registers[z_register]);
  assign load_blocked = load_hazards[load_register] | (load_opens & arriving_q[load_register])
                      | (load_indexed & load_hazards[load_index_register]) | (load_masked & load_hazards[0])
                      | (load_after_store_q & overlap(load_address_o, load_access_end, store_address_o, store_end));
  assign store_blocked = store_hazards[store_register] | (store_indexed & store_hazards[store_index_register])
                       | (store_masked & store_hazards[0])
                       | (store_after_load_q & overlap(store_address_o, store_access_end, load_address_o, load_end));

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
  assign op_stays = (state_q == VectorRun) & ~(advance & last);

  // An instruction starts when these are satisfied.
  logic memory_idle, takes;
  assign memory_idle = load_idle & store_idle & (arriving_q == '0);
  always_comb begin
    if (!memory_i) ready_o = ~op_stays & (gpsimd_vlegal_pkg::chains(row_i.kind) | memory_idle);
    else if (!streams_i) ready_o = (state_q == VectorIdle) & memory_idle;
    else ready_o = (insn_i[5] ? store_ready : load_ready) & (chains_q | ~op_stays);
  end
  assign takes = valid_i & ready_o;
  assign load_start = takes & memory_i & ~insn_i[5];
  assign store_start = takes & memory_i & insn_i[5];

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
  end

  // Data of a load.
  logic   arrives;
  vreg_t  loaded;
  assign arrives = data_valid_i & data_access_i.to_vector;
  always_comb begin
    loaded = '0;
    if (arrives) loaded = vreg_t'((data_i >> {data_access_i.from, 3'b0}) << {data_access_i.to, 3'b0});
  end

  gpsimd_vrf u_registers (
    .clk_i,
    .x_register_i    (x_register),
    .y_register_i    (y_register),
    .z_register_i    (z_register),
    .store_register_i(store_register),
    .x_o             (x_data),
    .y_o             (y_data),
    .z_o             (z_data),
    .store_o         (store_data),
    .mask_o          (mask),
    .write_i         (enable != '0),
    .register_i      (write_register),
    .data_i          (value),
    .enable_i        (enable),
    .load_i          (arrives),
    .load_register_i (data_access_i.dest[4:0]),
    .load_data_i     (loaded),
    .load_enable_i   (data_access_i.enable)
  );

  // Loads and stores.
  /* verilator lint_off PINCONNECTEMPTY */  // loads have no data, stores cut no vl
  gpsimd_vmem #(
    .Store(1'b0)
  ) u_load (
    .clk_i,
    .rst_ni,
    .start_i         (load_start),
    .ready_o         (load_ready),
    .idle_o          (load_idle),
    .insn_i,
    .vmem_i,
    .vstart_i        (vstate_i.vstart),
    .base_i          (scalar_i),
    .stride_i,
    .streams_i,
    .blocked_i       (load_blocked),
    .index_register_o(load_index_register),
    .data_register_o (load_register),
    .indexed_o       (load_indexed),
    .masked_o        (load_masked),
    .opens_o         (load_opens),
    .registers_o     (load_registers),
    .index_i         (x_data),
    .data_i          ('0),
    .mask_i          (mask),
    .valid_o         (load_valid_o),
    .access_o        (load_access_o),
    .address_o       (load_address_o),
    .access_end_o    (load_access_end),
    .end_o           (load_end),
    .wdata_o         (),
    .strobe_o        (),
    .ready_i         (load_ready_i),
    .drained_i       (loads_idle_i),
    .done_o          (load_done),
    .trap_o          (load_trap),
    .trap_info_o     (load_trap_info),
    .vstart_o        (load_vstart),
    .vl_write_o      (load_cut),
    .vl_o
  );

  gpsimd_vmem #(
    .Store(1'b1)
  ) u_store (
    .clk_i,
    .rst_ni,
    .start_i         (store_start),
    .ready_o         (store_ready),
    .idle_o          (store_idle),
    .insn_i,
    .vmem_i,
    .vstart_i        (vstate_i.vstart),
    .base_i          (scalar_i),
    .stride_i,
    .streams_i,
    .blocked_i       (store_blocked),
    .index_register_o(store_index_register),
    .data_register_o (store_register),
    .indexed_o       (store_indexed),
    .masked_o        (store_masked),
    .opens_o         (),
    .registers_o     (store_registers),
    .index_i         (x_data),
    .data_i          (store_data),
    .mask_i          (mask),
    .valid_o         (store_valid_o),
    .access_o        (),
    .address_o       (store_address_o),
    .access_end_o    (store_access_end),
    .end_o           (store_end),
    .wdata_o         (store_wdata_o),
    .strobe_o        (store_strobe_o),
    .ready_i         (store_ready_i),
    .drained_i       (loads_idle_i),
    .done_o          (store_done),
    .trap_o          (store_trap),
    .trap_info_o     (store_trap_info),
    .vstart_o        (store_vstart),
    .vl_write_o      (),
    .vl_o            ()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  assign memory_done_o = load_done | store_done;
  assign trap_o        = load_done ? load_trap : store_trap;
  assign trap_info_o   = load_done ? load_trap_info : store_trap_info;
  assign vstart_o      = load_done ? load_vstart : store_vstart;
  assign vl_write_o    = load_done & load_cut;
  assign loading_o     = ~load_idle;
  assign loading_tcm_o = in_tcm(load_address_o);
  assign storing_o     = ~store_idle;
  assign storing_tcm_o = in_tcm(store_address_o);

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
      {insn_q, scalar_q, beat_q, first_q, carried_q, wait_q, chains_q} <= '0;
      row_q       <= '0;
      vstate_q    <= '0;
      in_flight_q <= '0;
      own_q       <= '0;
      arriving_q  <= '0;
      {op_after_load_q, op_after_store_q, load_after_op_q, load_after_store_q, store_after_op_q, store_after_load_q} <= '0;
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
      if (takes && !memory_i) begin
        state_q   <= VectorRun;
        insn_q    <= insn_i;
        row_q     <= row_i;
        chains_q  <= gpsimd_vlegal_pkg::chains(row_i.kind);
        vstate_q  <= start_state;
        scalar_q  <= scalar_i;
        beat_q    <= '0;
        first_q   <= 1'b1;
        wait_q    <= '0;
        carried_q <= '0;
        own_q     <= '0;
      end

      if (arrives && data_access_i.closes) arriving_q[data_access_i.dest[4:0]] <= 1'b0;
      if (load_valid_o && load_ready_i && load_opens) arriving_q[load_register] <= 1'b1;

      // The later of two instructions stays so until the earlier one is done.
      op_after_load_q    <= ((takes & ~memory_i) | op_after_load_q) & load_stays;
      op_after_store_q   <= ((takes & ~memory_i) | op_after_store_q) & store_stays;
      load_after_op_q    <= (load_start | load_after_op_q) & op_stays;
      load_after_store_q <= (load_start | load_after_store_q) & store_stays;
      store_after_op_q   <= (store_start | store_after_op_q) & op_stays;
      store_after_load_q <= (store_start | store_after_load_q) & load_stays;
    end
  end

  assign idle_o         = (state_q == VectorIdle) & memory_idle;
  assign done_o         = advance & last;
  assign result_valid_o = advance & scalar_result;
  assign result_o       = '{dest: {insn_q[14:12] == 3'd1, insn_q[11:7]}, value: beat_carried, flags: '0};
  assign flags_o        = (advance && !nothing) ? flags : '0;
  assign saturated_o    = advance & ~nothing & beat_saturated;

  `ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      LegalInstruction: assert (!(valid_i && ready_o) || memory_i || row_i.kind != VIllegal);
      StreamWasUnderWay: assert (!(arrives && data_access_i.closes) || arriving_q[data_access_i.dest[4:0]]);
      NothingBesideOtherAccesses: assert (!memory_done_o || (state_q == VectorIdle && arriving_q == '0 && (load_idle || store_idle)));
      NothingBesideOtherOperations: assert (state_q == VectorIdle || chains_q || memory_idle);
      OneIsOlder: assert (!(op_after_load_q && load_after_op_q) && !(op_after_store_q && store_after_op_q)
                          && !(load_after_store_q && store_after_load_q));
      ChainsWriteTheirDestination: assert (!advance || enable == '0 || !chains_q || write_register == z_register);
      OutputsKnown: assert (!$isunknown({ready_o, done_o, result_valid_o, flags_o, saturated_o}));
    end
  end
  `endif

endmodule

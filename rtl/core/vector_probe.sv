// Wave scope of the Vector engine: its sequencer, setup of instructions, reads, elements in the lanes (the first four of
// them), and writes.
/* verilator lint_off UNUSEDSIGNAL */  // a viewer uses them
`define VECTOR u_engines.g_slot[EngineVector].g_vector.u_vector
module vector_probe
  import isa_pkg::*;
  import vector_pkg::*;
(
);

  sequencer_probe #(.Engine(32'(EngineVector))) sequencer ();

  // Instructions in setup and in execution.
  logic       start, done;
  logic [3:0] in_setup;
  logic [1:0] banks_busy;

  assign start      = `VECTOR.u_front.u_issue.start_o & u_engines.g_slot[EngineVector].fire;
  assign done       = u_engines.g_slot[EngineVector].finished & u_engines.g_slot[EngineVector].fire;
  assign in_setup   = 4'(`VECTOR.u_front.u_issue.fill_q);
  assign banks_busy = `VECTOR.u_front.u_issue.bank_busy_q;

  // Row reads of both operands and immediates.
  logic        sbuf_read, psum_read;
  logic [15:0] sbuf_read_row, psum_read_row;

  assign sbuf_read     = `VECTOR.sbuf_req_o.re & u_engines.g_slot[EngineVector].fire;
  assign psum_read     = `VECTOR.psum_req_o.re & u_engines.g_slot[EngineVector].fire;
  assign sbuf_read_row = 16'(`VECTOR.sbuf_req_o.raddr);
  assign psum_read_row = 16'(`VECTOR.psum_req_o.raddr);

  // The instruction with elements leaving the sources: elements left in each dimension, innermost first.
  logic        pop;
  logic [15:0] left_0, left_1, left_2, left_3;

  assign pop    = `VECTOR.u_execute.pop & u_engines.g_slot[EngineVector].fire;
  assign left_0 = `VECTOR.u_execute.u_sequence.left_q[0];
  assign left_1 = `VECTOR.u_execute.u_sequence.left_q[1];
  assign left_2 = `VECTOR.u_execute.u_sequence.left_q[2];
  assign left_3 = `VECTOR.u_execute.u_sequence.left_q[3];

  // The element in the first ALU stage: fp32, except for elements that are copied unchanged.
  logic       operate;
  logic [5:0] op0, op1;

  assign operate = `VECTOR.u_execute.element_q.valid & `VECTOR.u_execute.ready & u_engines.g_slot[EngineVector].fire;
  assign op0     = `VECTOR.u_execute.op_q[`VECTOR.u_execute.element_q.bank].control.first_stage.alu.op;
  assign op1     = `VECTOR.u_execute.op_q[`VECTOR.u_execute.element_q.bank].control.second_stage.alu.op;

  lanes_probe a (
    .word_0_i(`VECTOR.a_value[0]), .word_1_i(`VECTOR.a_value[1]),
    .word_2_i(`VECTOR.a_value[2]), .word_3_i(`VECTOR.a_value[3]),
    .offset_i('0),
    .dtype_i(`VECTOR.u_execute.op_q[`VECTOR.u_execute.element_q.bank].operands.raw_a
             ? `VECTOR.u_execute.op_q[`VECTOR.u_execute.element_q.bank].operands.a.dtype : DtypeFp32)
  );
  lanes_probe b (
    .word_0_i(`VECTOR.b_value[0]), .word_1_i(`VECTOR.b_value[1]),
    .word_2_i(`VECTOR.b_value[2]), .word_3_i(`VECTOR.b_value[3]),
    .offset_i('0), .dtype_i(DtypeFp32)
  );

  // The unit for the element that leaves the first stage, numbered as in unit_e and from UnitSpecial on as in
  // special_e. An element enters the unit; an element waits for it; a result is taken from it; and the
  // results.
  logic [3:0] unit, result_unit;
  logic       unit_element, unit_waits, unit_result;

  assign unit         = (`VECTOR.u_execute.u_units.unit_i == UnitSpecial)
                      ? 4'(UnitSpecial) + `VECTOR.u_execute.u_units.special_i : 4'(`VECTOR.u_execute.u_units.unit_i);
  assign unit_element = `VECTOR.u_execute.u_units.element_i & (`VECTOR.u_execute.u_units.unit_i != UnitLanes)
                      & u_engines.g_slot[EngineVector].fire;
  assign unit_waits   = `VECTOR.u_execute.first.valid & ~`VECTOR.u_execute.u_units.ready_o;
  assign result_unit  = (`VECTOR.u_execute.u_units.result_unit_i == UnitSpecial)
                      ? 4'(UnitSpecial) + `VECTOR.u_execute.u_units.result_special_i
                      : 4'(`VECTOR.u_execute.u_units.result_unit_i);
  assign unit_result  = `VECTOR.u_execute.u_units.take_i & u_engines.g_slot[EngineVector].fire;

  lanes_probe unit_results (
    .word_0_i(`VECTOR.u_execute.u_units.result_o[0]), .word_1_i(`VECTOR.u_execute.u_units.result_o[1]),
    .word_2_i(`VECTOR.u_execute.u_units.result_o[2]), .word_3_i(`VECTOR.u_execute.u_units.result_o[3]),
    .offset_i('0), .dtype_i(`VECTOR.u_execute.op_q[`VECTOR.u_execute.result_bank].control.raw
             ? `VECTOR.u_execute.op_q[`VECTOR.u_execute.result_bank].operands.dst.dtype : DtypeFp32)
  );

  // The element after both ALU stages, before it is narrowed to the destination's type.
  logic       through;
  logic [3:0] dst_dtype;

  assign through   = `VECTOR.u_execute.through & u_engines.g_slot[EngineVector].fire;
  assign dst_dtype = `VECTOR.u_execute.op_q[`VECTOR.u_execute.second.bank].operands.dst.dtype;

  lanes_probe result (
    .word_0_i(`VECTOR.u_execute.u_lanes.y_q[0][0]), .word_1_i(`VECTOR.u_execute.u_lanes.y_q[0][1]),
    .word_2_i(`VECTOR.u_execute.u_lanes.y_q[0][2]), .word_3_i(`VECTOR.u_execute.u_lanes.y_q[0][3]),
    .offset_i('0), .dtype_i(`VECTOR.u_execute.op_q[`VECTOR.u_execute.second.bank].control.raw
             ? `VECTOR.u_execute.op_q[`VECTOR.u_execute.second.bank].operands.dst.dtype : DtypeFp32)
  );

  // The accumulator registers, and the operation into them when an element goes there.
  logic       accumulates;
  logic [5:0] accumulate_op;

  assign accumulates   = `VECTOR.u_execute.through & `VECTOR.u_execute.u_lanes.accumulate_i.enable
                       & u_engines.g_slot[EngineVector].fire;
  assign accumulate_op = `VECTOR.u_execute.u_lanes.accumulate_i.op;

  lanes_probe accumulator (
    .word_0_i(`VECTOR.u_execute.u_lanes.acc_q[0][0]), .word_1_i(`VECTOR.u_execute.u_lanes.acc_q[0][1]),
    .word_2_i(`VECTOR.u_execute.u_lanes.acc_q[0][2]), .word_3_i(`VECTOR.u_execute.u_lanes.acc_q[0][3]),
    .offset_i('0), .dtype_i(DtypeFp32)
  );

  // Row writes, and one that waits for its memory port.
  logic        sbuf_write, psum_write, write_waits;
  logic [15:0] write_row;

  assign sbuf_write  = `VECTOR.sbuf_req_o.we & u_engines.g_slot[EngineVector].fire;
  assign psum_write  = `VECTOR.psum_req_o.we & u_engines.g_slot[EngineVector].fire;
  assign write_waits = `VECTOR.u_execute.write_q.valid & ~`VECTOR.u_execute.taken;
  assign write_row   = 16'(`VECTOR.write.row);

endmodule
`undef VECTOR

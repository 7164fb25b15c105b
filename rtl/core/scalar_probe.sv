// Wave scope of the Scalar engine: its sequencer, table set, setup of instructions, reads, elements in the lanes (the first four of
// them), and writes.
/* verilator lint_off UNUSEDSIGNAL */  // a viewer uses them
`define SCALAR u_engines.g_slot[EngineScalar].g_scalar.u_scalar
module scalar_probe
  import isa_pkg::*;
  import scalar_pkg::*;
(
);

  sequencer_probe #(.Engine(32'(EngineScalar))) sequencer ();

  // The loaded tables; instructions in setup and in execution.
  logic       loading, start, done;
  logic [7:0] table_set;
  logic [3:0] in_setup;
  logic [1:0] banks_busy;

  assign loading    = `SCALAR.loading_q;
  assign table_set  = `SCALAR.set_q;
  assign start      = `SCALAR.u_front.u_issue.start_o & u_engines.g_slot[EngineScalar].fire;
  assign done       = u_engines.g_slot[EngineScalar].finished & u_engines.g_slot[EngineScalar].fire;
  assign in_setup   = 4'(`SCALAR.u_front.u_issue.fill_q);
  assign banks_busy = `SCALAR.u_front.u_issue.bank_busy_q;

  // Row reads of the operand and of immediates.
  logic        sbuf_read, psum_read;
  logic [15:0] sbuf_read_row, psum_read_row;

  assign sbuf_read     = `SCALAR.sbuf_req_o.re & u_engines.g_slot[EngineScalar].fire;
  assign psum_read     = `SCALAR.psum_req_o.re & u_engines.g_slot[EngineScalar].fire;
  assign sbuf_read_row = 16'(`SCALAR.sbuf_req_o.raddr);
  assign psum_read_row = 16'(`SCALAR.psum_req_o.raddr);

  // The element that enters, in fp32.
  logic       enter;
  logic [5:0] code;
  logic [2:0] degree;

  assign enter  = `SCALAR.u_execute.element_q[StageEnter].valid & `SCALAR.u_execute.advance & u_engines.g_slot[EngineScalar].fire;
  assign code   = `SCALAR.u_execute.op_q[`SCALAR.u_execute.element_q[StageEnter].bank].code;
  assign degree = `SCALAR.u_execute.op_q[`SCALAR.u_execute.element_q[StageEnter].bank].degree;

  lanes_probe a (
    .word_0_i(`SCALAR.a_value[0]), .word_1_i(`SCALAR.a_value[1]),
    .word_2_i(`SCALAR.a_value[2]), .word_3_i(`SCALAR.a_value[3]),
    .offset_i('0), .dtype_i(DtypeFp32)
  );

  // The element after scale and bias, before the table lookup.
  logic look_up;

  assign look_up = `SCALAR.u_execute.element_q[StageLookUp].valid & `SCALAR.u_execute.advance & u_engines.g_slot[EngineScalar].fire;

  lanes_probe z (
    .word_0_i(`SCALAR.u_execute.u_lanes.z_q[0]), .word_1_i(`SCALAR.u_execute.u_lanes.z_q[1]),
    .word_2_i(`SCALAR.u_execute.u_lanes.z_q[2]), .word_3_i(`SCALAR.u_execute.u_lanes.z_q[3]),
    .offset_i('0), .dtype_i(DtypeFp32)
  );

  // The result before it is narrowed to the destination's type, and the accumulator registers.
  logic       through;
  logic [3:0] dst_dtype;

  assign through   = `SCALAR.u_execute.element_q[StageNarrow].valid & `SCALAR.u_execute.advance & u_engines.g_slot[EngineScalar].fire;
  assign dst_dtype = `SCALAR.u_execute.dst_q[`SCALAR.u_execute.element_q[StageNarrow].bank].dtype;

  lanes_probe result (
    .word_0_i(`SCALAR.u_execute.u_lanes.y_q[0]), .word_1_i(`SCALAR.u_execute.u_lanes.y_q[1]),
    .word_2_i(`SCALAR.u_execute.u_lanes.y_q[2]), .word_3_i(`SCALAR.u_execute.u_lanes.y_q[3]),
    .offset_i('0), .dtype_i(DtypeFp32)
  );
  lanes_probe accumulator (
    .word_0_i(`SCALAR.u_execute.u_lanes.accumulator_q[0]), .word_1_i(`SCALAR.u_execute.u_lanes.accumulator_q[1]),
    .word_2_i(`SCALAR.u_execute.u_lanes.accumulator_q[2]), .word_3_i(`SCALAR.u_execute.u_lanes.accumulator_q[3]),
    .offset_i('0), .dtype_i(DtypeFp32)
  );

  // An element goes to the accumulator registers.
  logic accumulates;

  assign accumulates = `SCALAR.u_execute.element_q[StageAccumulate].valid & `SCALAR.u_execute.advance & u_engines.g_slot[EngineScalar].fire
                     & `SCALAR.u_execute.op_q[`SCALAR.u_execute.element_q[StageAccumulate].bank].accumulate;

  // Row writes; all stages stand still while a write waits for its memory port.
  logic        sbuf_write, psum_write, write_waits;
  logic [15:0] write_row;

  assign sbuf_write  = `SCALAR.sbuf_req_o.we & u_engines.g_slot[EngineScalar].fire;
  assign psum_write  = `SCALAR.psum_req_o.we & u_engines.g_slot[EngineScalar].fire;
  assign write_waits = `SCALAR.u_execute.element_q[StageWrite].valid & ~`SCALAR.u_execute.advance;
  assign write_row   = 16'(`SCALAR.write.row);

endmodule
`undef SCALAR

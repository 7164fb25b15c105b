// The lanes of the Scalar engine: table lookup, polynomial, accumulator registers, rounding. Control comes from
// scalar_execute; a register changes only when its stage takes an element.
module scalar_lanes
  import isa_pkg::*;
  import core_pkg::*;
  import elementwise_pkg::*;
  import scalar_pkg::*;
  import scalar_table_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,

  // Elements in the stages; all move on with advance_i. Operations, lanes in use and immediates by bank.
  input  logic                          advance_i,
  input  element_t        [Stages-1:0]  element_i,
  input  scalar_op_t                    op_i [Banks],
  input  mask_t                         lanes_i [Banks],
  input  operand_t                      dst_i [Banks],
  input  row_t                          value_i,
  input  row_t                          imm0_i [Banks],
  input  row_t                          imm1_i [Banks],

  // Tables: words to write, on a clock of their own, while no element is under way.
  input  logic        table_clk_i,
  input  logic        table_we_i,
  input  table_beat_t table_beat_i,

  // Seeds the generators of stochastic rounding.
  input  logic        seed_valid_i,
  input  logic [31:0] seed_i,

  // The word to write in every partition, in the last stage.
  output row_t row_o
);

  import activation_lane_pkg::*;
  import activation_table_pkg::RowBits;

  logic [Stages-1:0] takes;
  scalar_op_t        op [Stages];
  for (genvar k = 0; k < Stages; k++) begin : g_stage
    assign takes[k] = advance_i & element_i[k].valid;
    assign op[k]    = op_i[element_i[k].bank];
  end

  // ---------------------------------------------------------------------------------------------------------------- tables
  logic [31:0] table_q [TableWords];
  logic [31:0] exponent_q [ExponentWords];

  // One process owns the memories, so its writes are immediate; see docs/rtl-style.md.
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge table_clk_i) begin
    if (table_we_i) begin
      for (int unsigned k = 0; k < TableBeatWords; k++) begin
        if (k < 32'(table_beat_i.header.count)) begin
          if (32'(table_beat_i.header.bank) == TableBanks) begin
            exponent_q[ExponentBits'(table_beat_i.header.row) + ExponentBits'(k)] = table_beat_i.words[k];
          end else begin
            table_q[{table_beat_i.header.bank[TableBankBits-1:0], table_beat_i.header.row + RowBits'(k)}] = table_beat_i.words[k];
          end
        end
      end
    end
  end
  /* verilator lint_on BLKSEQ */

  // ----------------------------------------------------------------------------------------------- operand and table lookup
  row_t z_q, reduced_q;
  row_t index_q [Slots];  // row of the tables
  row_t taken_q [Slots];  // exponent taken out of the operand
  row_t t_q [Slots];      // distance from the expansion point; without a table the operand

  always_ff @(posedge clk_i) begin
    row_t z;
    if (takes[StageEnter]) begin
      case (op[StageEnter].enter)
        EnterFma:
          fma32_lane_pkg::fma_row(z, value_i, imm0_i[element_i[StageEnter].bank], imm1_i[element_i[StageEnter].bank]);
        EnterAdd:       vector_lane_pkg::add_row(z, value_i, imm0_i[element_i[StageEnter].bank]);
        EnterMultiply:  vector_lane_pkg::mul_row(z, value_i, imm0_i[element_i[StageEnter].bank]);
        EnterImmediate: z = imm0_i[element_i[StageEnter].bank];
        default:        z = value_i;
      endcase
      z_q <= z;
    end
  end

  always_ff @(posedge clk_i) begin
    row_t reduced, taken, index;
    if (takes[StageLookUp]) begin
      if (op[StageLookUp].degree != '0) begin
        reduce_row(reduced, taken, z_q, op[StageLookUp].mode);
        select_row(index, taken, reduced, op[StageLookUp].code[4:0], table_q);
        reduced_q <= reduced;
        index_q[element_i[StageLookUp].slot] <= index;
        taken_q[element_i[StageLookUp].slot] <= taken;
      end else begin
        reduced_q <= z_q;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    row_t t, origin;
    if (takes[StageOrigin]) begin
      t = reduced_q;
      if (op[StageOrigin].degree != '0) begin
        read_row(origin, 3'd0, index_q[element_i[StageOrigin].slot], table_q);
        distance_row(t, reduced_q, origin);
      end
      t_q[element_i[StageOrigin].slot] <= t;
    end
  end

  // ------------------------------------------------------------------------------------------------------------ polynomial
  // Step k multiplies by t and adds coefficient k, which is in bank k + 1; the step below the highest coefficient starts
  // with that one.
  row_t sum_q [HornerSteps];

  for (genvar k = 0; k < HornerSteps; k++) begin : g_horner
    localparam int unsigned Stage = StageLeave - 1 - k;
    row_t from_above;
    if (k == HornerSteps - 1) begin : g_first
      assign from_above = '0;
    end else begin : g_next
      assign from_above = sum_q[k+1];
    end
    always_ff @(posedge clk_i) begin
      row_t upper, coefficient, sum;
      if (takes[Stage] && int'(op[Stage].degree) > k) begin
        upper = from_above;
        if (int'(op[Stage].degree) == k + 1) read_row(upper, 3'(k + 2), index_q[element_i[Stage].slot], table_q);
        read_row(coefficient, 3'(k + 1), index_q[element_i[Stage].slot], table_q);
        fma32_lane_pkg::fma_row(sum, upper, t_q[element_i[Stage].slot], coefficient);
        sum_q[k] <= sum;
      end
    end
  end

  // ---------------------------------------------------------------------------------------------------------------- result
  row_t leave_q, y_q, accumulator_q;

  always_ff @(posedge clk_i) begin
    row_t y, part, t;
    if (takes[StageLeave]) begin
      t = t_q[element_i[StageLeave].slot];
      case (op[StageLeave].leave)
        LeaveScaled: scale_row(y, sum_q[0], taken_q[element_i[StageLeave].slot]);
        LeaveLog: begin
          exponent_row(part, 1'b0, taken_q[element_i[StageLeave].slot], exponent_q);
          vector_lane_pkg::add_row(y, sum_q[0], part);
        end
        LeaveSquare:    vector_lane_pkg::mul_row(y, t, t);
        LeaveRelu:      vector_lane_pkg::max_row(y, t, '0);
        LeaveAbs:       direct_lane_pkg::abs_row(y, t);
        LeaveSign:      direct_lane_pkg::sign_row(y, t);
        LeavePrelu:     direct_lane_pkg::prelu_row(y, t, op[StageLeave].alpha);
        LeaveAdd:       vector_lane_pkg::add_row(y, t, imm1_i[element_i[StageLeave].bank]);
        LeaveMultiply:  vector_lane_pkg::mul_row(y, t, imm1_i[element_i[StageLeave].bank]);
        LeaveImmediate: y = imm1_i[element_i[StageLeave].bank];
        default:        y = t;
      endcase
      leave_q <= y;
    end
  end

  // Accumulator registers: lanes that an instruction does not use keep theirs.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    row_t y, part, total;
    if (!rst_ni) begin
      accumulator_q <= '0;
    end else if (takes[StageAccumulate]) begin
      if (op[StageAccumulate].leave == LeaveLog) begin
        exponent_row(part, 1'b1, taken_q[element_i[StageAccumulate].slot], exponent_q);
        vector_lane_pkg::add_row(y, leave_q, part);
      end else if (op[StageAccumulate].leave == LeaveAccumulator) begin
        y = accumulator_q;
      end else begin
        y = leave_q;
      end
      y_q <= y;
      if (op[StageAccumulate].accumulate | (op[StageAccumulate].clear & element_i[StageAccumulate].first)) begin
        if (op[StageAccumulate].clear)                                               total = '0;
        else if (op[StageAccumulate].anew & element_i[StageAccumulate].first) total = y;
        else                                                  vector_lane_pkg::add_row(total, accumulator_q, y);
        row_pkg::merge_row(total, accumulator_q, total, 4'hf, lanes_i[element_i[StageAccumulate].bank]);
        accumulator_q <= total;
      end
    end
  end

  rounding_unit #(
    .Stream(16'(EngineScalar))
  ) u_rounding (
    .clk_i,
    .rst_ni,
    .seed_valid_i,
    .seed_i,
    .valid_i     (takes[StageNarrow]),
    .raw_i       (1'b0),
    .stochastic_i(op[StageNarrow].stochastic),
    .dtype_i     (dst_i[element_i[StageNarrow].bank].dtype),
    .in_use_i    (lanes_i[element_i[StageNarrow].bank]),
    .value_i     (y_q),
    .first_i     (dst_i[element_i[StageNarrow].bank].first),
    .row_o
  );

endmodule

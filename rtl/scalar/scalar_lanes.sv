// The lanes of the Scalar engine: table lookup, polynomial, accumulator registers, rounding. scalar_execute
// controls them; a register changes only when its stage takes an element.
module scalar_lanes
  import isa_pkg::*;
  import core_pkg::*;
  import elementwise_pkg::*;
  import scalar_pkg::*;
  import scalar_table_pkg::*;
(
  input  logic clk_i,
  input  logic rst_ni,

  // Elements in the stages; all move on with advance_i. Operations, lanes in use and immediates are indexed
  // by bank.
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

  // The word to write in every partition; valid in the last stage.
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

  // ------------------------------------------------------------------------------------------- table lookup and polynomial
  row_t z_q, reduced_q;
  row_t index_q [Slots];      // row of the tables
  row_t taken_q [Slots];      // exponent taken out of the operand
  row_t t_q [Slots];          // distance from the expansion point; the operand if there is no table
  row_t sum_q [HornerSteps];
  row_t leave_q, y_q, accumulator_q;

  // One process owns these registers, except those that others read. It goes from the last stage to the
  // first, so that each stage sees the values from before the edge. See docs/rtl-style.md.
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    row_t y, part, upper, coefficient, origin, taken;
    element_slot_t slot;

    slot = element_i[StageLeave].slot;
    if (takes[StageLeave]) begin
      case (op[StageLeave].leave)
        LeaveScaled: scale_row(y, sum_q[0], taken_q[slot]);
        LeaveLog: begin
          exponent_row(part, 1'b0, taken_q[slot], exponent_q);
          vector_lane_pkg::add_row(y, sum_q[0], part);
        end
        LeaveSquare:    vector_lane_pkg::mul_row(y, t_q[slot], t_q[slot]);
        LeaveRelu:      vector_lane_pkg::max_row(y, t_q[slot], '0);
        LeaveAbs:       direct_lane_pkg::abs_row(y, t_q[slot]);
        LeaveSign:      direct_lane_pkg::sign_row(y, t_q[slot]);
        LeavePrelu:     direct_lane_pkg::prelu_row(y, t_q[slot], op[StageLeave].alpha);
        LeaveAdd:       vector_lane_pkg::add_row(y, t_q[slot], imm1_i[element_i[StageLeave].bank]);
        LeaveMultiply:  vector_lane_pkg::mul_row(y, t_q[slot], imm1_i[element_i[StageLeave].bank]);
        LeaveImmediate: y = imm1_i[element_i[StageLeave].bank];
        default:        y = t_q[slot];
      endcase
      leave_q <= y;
    end

    // Step k multiplies by t and adds coefficient k, which is in bank k + 1; the step below the highest
    // coefficient starts with that coefficient.
    for (int unsigned k = 0; k < HornerSteps; k++) begin
      slot = element_i[StageLeave-1-k].slot;
      if (takes[StageLeave-1-k] && 32'(op[StageLeave-1-k].degree) > k) begin
        read_row(coefficient, 3'(k + 1), index_q[slot], table_q);
        if (32'(op[StageLeave-1-k].degree) == k + 1) begin
          read_row(upper, 3'(k + 2), index_q[slot], table_q);
          fma32_lane_pkg::fma_row(sum_q[k], upper, t_q[slot], coefficient);
        end else if (k < HornerSteps - 1) begin
          fma32_lane_pkg::fma_row(sum_q[k], sum_q[k+1], t_q[slot], coefficient);
        end
      end
    end

    slot = element_i[StageOrigin].slot;
    if (takes[StageOrigin]) begin
      if (op[StageOrigin].degree != '0) begin
        read_row(origin, 3'd0, index_q[slot], table_q);
        distance_row(t_q[slot], reduced_q, origin);
      end else begin
        t_q[slot] = reduced_q;
      end
    end

    slot = element_i[StageLookUp].slot;
    if (takes[StageLookUp]) begin
      if (op[StageLookUp].degree != '0) begin
        reduce_row(reduced_q, taken, z_q, op[StageLookUp].mode);
        select_row(index_q[slot], taken, reduced_q, op[StageLookUp].code[4:0], table_q);
        taken_q[slot] <= taken;
      end else begin
        reduced_q = z_q;
      end
    end

    if (takes[StageEnter]) begin
      case (op[StageEnter].enter)
        EnterFma:
          fma32_lane_pkg::fma_row(z_q, value_i, imm0_i[element_i[StageEnter].bank], imm1_i[element_i[StageEnter].bank]);
        EnterAdd:       vector_lane_pkg::add_row(z_q, value_i, imm0_i[element_i[StageEnter].bank]);
        EnterMultiply:  vector_lane_pkg::mul_row(z_q, value_i, imm0_i[element_i[StageEnter].bank]);
        EnterImmediate: z_q = imm0_i[element_i[StageEnter].bank];
        default:        z_q = value_i;
      endcase
    end
  end
  /* verilator lint_on BLKSEQ */

  // ---------------------------------------------------------------------------------------------------------------- result
  // Accumulator registers: lanes that an instruction does not use keep their values.
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

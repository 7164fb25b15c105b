// Decoded instructions of the Vector engine.
package vector_pkg;

  import isa_pkg::*;
  import core_pkg::*;
  import elementwise_pkg::*;
  import vector_special_pkg::*;

  // The second operand of an operation: its immediate, the tensor b, or the result of the previous element.
  typedef enum logic [1:0] {SecondImmediate, SecondTensor, SecondResult} second_e;

  // One of the two operations of the lanes; `reverse` swaps its operands.
  typedef struct packed {
    alu_op_e op;
    logic    reverse;
    second_e second;
  } alu_t;

  // The kinds of results that the second stage of the lanes makes: an operation; x where b is not 0, else
  // imm1; the accumulator registers; both bf16 elements of x reduced.
  typedef enum logic [1:0] {MakeOperation, MakeSelection, MakeAccumulator, MakePairReduction} make_e;

  // The start of a reduction into the accumulator registers: it continues from them, starts from imm1, or
  // starts anew.
  typedef enum logic [1:0] {StartContinue, StartImmediate, StartAnew} acc_start_e;

  typedef struct packed {
    logic       enable;
    alu_op_e    op;
    acc_start_e start;
  } accumulate_t;

  // Control of the stages of the lanes.
  typedef struct packed {
    alu_t alu;
    logic keep_b;       // the second stage needs b
    logic limited;      // the rate of reciprocals is limited
  } first_stage_t;

  typedef struct packed {
    make_e       make;
    alu_t        alu;
    logic        negate;     // the result of a group changes its sign
    logic        predicate;  // results are written where x is not 0
    logic        invert;     // the predicate is inverted
    accumulate_t acc;        // operation of the third stage
  } second_stage_t;

  // The unit that makes the results: the lanes, one for each element they are told to write, or a unit with
  // its own number of results.
  typedef enum logic [1:0] {UnitLanes, UnitBnStats, UnitBnAggr, UnitSpecial} unit_e;

  // An element on its way through the lanes. A group is the set of elements of one reduction or one
  // recurrence.
  typedef struct packed {
    logic valid;
    logic bank;
    logic first;  // first of its group
    logic last;   // last of its group
    logic write;  // the lanes' result is written
    logic value;  // an element of b that comes before those of a
  } slot_t;

  // Control of the engine for the elements of the operands.
  typedef struct packed {
    logic                     raw;           // bits of results pass unchanged
    logic [2:0]               group_axes;    // innermost dimensions that make a group
    logic                     write_groups;  // one result a group, else one an element
    unit_e                    unit;
    special_e                 special;
    logic                     values_first;  // all of b comes before the elements of a
    logic                     stochastic;    // rounding to narrower float types
    logic [Quadrant-1:0][7:0] entries;       // entries of a shuffle mask
    first_stage_t             first_stage;
    second_stage_t            second_stage;
  } vector_control_t;

  typedef struct packed {
    operands_t       operands;
    vector_control_t control;
  } vector_op_t;

endpackage

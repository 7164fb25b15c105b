// Types and constants shared by the blocks of control.
/* verilator lint_off UNUSEDPARAM */
package control_pkg;

  import isa_pkg::*;

  // The most instructions of one engine that were handed over and wait for their semaphore update.
  localparam int unsigned Outstanding = 64;

  localparam int unsigned Semaphores = 256;
  localparam int unsigned Events = 256;

  typedef logic [2:0] engine_id_t;
  typedef logic [InstructionBits-1:0] instruction_t;

  // Engine number in the error registers when an access through the core window caused the fault.
  localparam engine_id_t EngineSystem = 3'd7;

  // An update of a semaphore. Instructions carry 16-bit values, accesses through the core window 32-bit ones.
  typedef struct packed {
    update_mode_e mode;
    logic [7:0]   sem;
    logic [31:0]  value;
  } update_t;

  // Address of the first instruction in 64-byte units, and the number of instructions (0: unknown).
  typedef struct packed {
    logic [57:0] base;
    logic [31:0] length;
  } program_t;

  // The semaphore update that is left to do for an instruction that was handed over, or that the sequencer
  // executed.
  typedef struct packed {
    update_mode_e mode;
    logic [7:0]   sem;
    logic [15:0]  value;
  } completion_t;

  // The place in the program that an instruction came from, for the error registers.
  typedef struct packed {
    logic [31:0] pc;
    opcode_e     opcode;
  } origin_t;

  // The outcome of the checks on one instruction. The address is 0 where none applies.
  typedef struct packed {
    error_e      code;
    logic [31:0] address;
  } verdict_t;

  // A write of one beat on the manager port. Narrow data is repeated at every place of the beat.
  typedef struct packed {
    logic [2:0]   id;    // number of the engine, or NotificationId
    logic [2:0]   size;  // encoded like AxSIZE
    logic [63:0]  address;
    logic [127:0] data;
  } bus_write_t;
  localparam logic [2:0] NotificationId = 3'd5;

  // An event for the notification queue.
  typedef struct packed {
    notification_e kind;
    logic          lost;  // events before this one were dropped
    error_e        code;
    engine_id_t    engine;
    origin_t       origin;
    logic [63:0]   at;
  } event_t;

  // The content of the error registers.
  typedef struct packed {
    error_e      code;
    engine_id_t  engine;
    logic [31:0] pc;
    logic [31:0] address;
    opcode_e     opcode;
  } fault_t;

  // Returns the core-window address that stands for a semaphore in the error registers.
  function automatic logic [31:0] semaphore_address(logic [7:0] sem);
    return 32'(WindowSemRead) + {22'd0, sem, 2'b00};
  endfunction

  // Returns whether the sequencer executes an instruction itself; all others go to the engine.
  function automatic logic is_control(opcode_e opcode);
    return 8'(opcode) < 8'h10;
  endfunction

  // Returns whether a control instruction touches only the sequencer, so that it need not wait for the
  // engine.
  function automatic logic is_scalar(opcode_e opcode);
    return (opcode == OpBranch) | (opcode == OpRegisterAlu);
  endfunction

  function automatic logic uses_bus(opcode_e opcode);
    return (opcode == OpWrite) | (opcode == OpDmaTrigger);
  endfunction

  function automatic logic uses_window(opcode_e opcode);
    return (opcode == OpRegisterLoad) | (opcode == OpRegisterStore);
  endfunction

endpackage

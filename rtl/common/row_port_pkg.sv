// Row ports, through which an elementwise engine reads and writes rows of SBUF and PSUM.
//
// An engine claims a port for whole instructions. While the port is granted, a read or write that it requests
// happens at the end of the same cycle, and read data is there in the next. Rows (write data, the mask of
// written partitions, read data) are wires beside these records, because a record is copied whole when one of
// its fields changes. Both memories get the same write data and mask.
package row_port_pkg;

  import core_pkg::*;

  // Engines that have a row port of each memory.
  localparam int unsigned RowEngines = 2;
  localparam int unsigned VectorRows = 0;
  localparam int unsigned ScalarRows = 1;

  // `needs`: an instruction that is about to start or is under way needs the port; `uses`: one under way
  // does.
  typedef struct packed {
    logic needs;
    logic uses;
  } row_claim_t;

  // `granted`: the engine has the port. `hold`: it must not start another instruction that needs the port,
  // because the next turn is another engine's.
  typedef struct packed {
    logic granted;
    logic hold;
  } row_grant_t;

  // A read of a row, with the partitions that are wanted, and a write of the enabled bytes of a row's words.
  // A memory with fewer rows takes the low bits of the addresses.
  typedef struct packed {
    partitions_t rparts;
    logic        re;
    memory_row_t raddr;
    logic        we;
    memory_row_t waddr;
    logic [3:0]  be;
  } row_req_t;

  // An access of a GpSimd core to its words of a row: a read, which gives zeros where the row does not exist,
  // and a write.
  typedef struct packed {
    logic        re;
    logic        exists;
    memory_row_t raddr;
    logic        we;
    memory_row_t waddr;
  } slice_req_t;

endpackage

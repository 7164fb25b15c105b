// Row ports: how an elementwise engine reads and writes rows of SBUF and PSUM.
//
// An engine claims a port for whole instructions and is granted it; while it is, the reads and writes it asks for happen at the
// end of the same cycle, read data is there in the next. Rows (write data, the mask of written partitions, read data) are wires
// beside these records: a record is copied whole when one of its fields changes. Both memories get the same write data and mask.
package row_port_pkg;

  import core_pkg::*;

  // Engines with a row port of each memory.
  localparam int unsigned RowEngines = 2;
  localparam int unsigned VectorRows = 0;
  localparam int unsigned ScalarRows = 1;

  // The port is needed for an instruction about to start or under way; one under way uses it.
  typedef struct packed {
    logic needs;
    logic uses;
  } row_claim_t;

  // The engine has the port. Hold: no further instruction that needs it is to start, the next turn is another engine's.
  typedef struct packed {
    logic granted;
    logic hold;
  } row_grant_t;

  // A read of a row, of which some partitions are wanted; a write of the enabled bytes of a row's words. A memory with fewer rows takes the low bits of the addresses.
  typedef struct packed {
    partitions_t rparts;
    logic        re;
    memory_row_t raddr;
    logic        we;
    memory_row_t waddr;
    logic [3:0]  be;
  } row_req_t;

  // Of a GpSimd core, for its words of a row: a read, of zeros where the row does not exist; a write.
  typedef struct packed {
    logic        re;
    logic        exists;
    memory_row_t raddr;
    logic        we;
    memory_row_t waddr;
  } slice_req_t;

endpackage

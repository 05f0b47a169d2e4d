/*
 * Waveglass: AMD GPU machine code on any CPU, as C calls it.
 *
 * A context holds a target and the memory that programs may touch, at its host addresses: a pointer
 * that a program uses is a pointer of this process. Kernels of a code object are launched by name
 * (waveglass_module_load, waveglass_kernel_launch), or machine code is started from the values of a
 * command processor's registers (waveglass_dispatch_init, waveglass_dispatch_run).
 *
 * Every call gives a status; waveglass_last_error says in words what went wrong in the calling thread.
 * A program that touches other memory than it may does not take the process down: the access reads
 * zero or is dropped, the run goes on, and its status is WAVEGLASS_STATUS_MEMORY_VIOLATION.
 *
 * Threads: different contexts may be used at once from different threads. Calls on one context wait
 * for each other. A module may be used by any thread.
 *
 * Versions: structures that the caller fills in begin with their size, and those that are filled in
 * for the caller are passed with it, so that programs compiled against an older header keep working
 * with a newer library. WAVEGLASS_ABI_VERSION changes where that does not hold.
 *
 * examples/launch.c and examples/client.c show both ways in.
 */


#ifndef WAVEGLASS_H
#define WAVEGLASS_H

/* Written by cbindgen from crates/waveglass-capi/src; tests/header.rs keeps it current. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * The version of this interface. It changes when programs compiled against an older header would not
 * work any more.
 */
#define WAVEGLASS_ABI_VERSION 1

/**
 * For waveglass_context_register: programs may read the memory.
 */
#define WAVEGLASS_READ_ONLY 0

/**
 * For waveglass_context_register: programs may read and write the memory.
 */
#define WAVEGLASS_READ_WRITE 1

/**
 * What came of a call.
 */
typedef enum waveglass_status {
  /**
   * It is done.
   */
  WAVEGLASS_STATUS_OK = 0,
  /**
   * An argument is null, misaligned, out of range, or does not fit the others.
   */
  WAVEGLASS_STATUS_BAD_ARGUMENT = 1,
  /**
   * The bytes are no code object that Waveglass reads, or have no code for the target.
   */
  WAVEGLASS_STATUS_BAD_OBJECT = 2,
  /**
   * The name is no target of Waveglass.
   */
  WAVEGLASS_STATUS_UNKNOWN_TARGET = 3,
  /**
   * The host has not enough memory.
   */
  WAVEGLASS_STATUS_OUT_OF_MEMORY = 4,
  /**
   * The program ran, and touched memory that it may not touch: see waveglass_context_fault.
   */
  WAVEGLASS_STATUS_MEMORY_VIOLATION = 5,
  /**
   * The program came to an instruction that Waveglass does not implement.
   */
  WAVEGLASS_STATUS_REFUSED = 6,
  /**
   * The program came to bytes that are no instruction.
   */
  WAVEGLASS_STATUS_INVALID_INSTRUCTION = 7,
  /**
   * The program jumped to where it has no code.
   */
  WAVEGLASS_STATUS_BAD_JUMP = 8,
  /**
   * The program trapped.
   */
  WAVEGLASS_STATUS_TRAP = 9,
  /**
   * All waves of a workgroup wait for each other.
   */
  WAVEGLASS_STATUS_DEADLOCK = 10,
  /**
   * The limit on instructions is reached.
   */
  WAVEGLASS_STATUS_INSTRUCTION_LIMIT = 11,
  /**
   * The limit on time is reached.
   */
  WAVEGLASS_STATUS_TIME_LIMIT = 12,
  /**
   * A mistake in Waveglass itself. The context is still usable; please report it.
   */
  WAVEGLASS_STATUS_INTERNAL = 13,
} waveglass_status;

/**
 * What was wrong with an access.
 */
typedef enum waveglass_fault_kind {
  /**
   * No memory is registered at the address.
   */
  WAVEGLASS_FAULT_KIND_UNMAPPED = 0,
  /**
   * The address is in the hole of the flat address space.
   */
  WAVEGLASS_FAULT_KIND_HOLE = 1,
  /**
   * A store or atomic to memory that is registered read-only.
   */
  WAVEGLASS_FAULT_KIND_READ_ONLY = 2,
  /**
   * The address is misaligned.
   */
  WAVEGLASS_FAULT_KIND_MISALIGNED = 3,
  /**
   * The address is outside the workgroup's LDS.
   */
  WAVEGLASS_FAULT_KIND_LDS_RANGE = 4,
  /**
   * The offset is outside the lane's scratch.
   */
  WAVEGLASS_FAULT_KIND_SCRATCH_RANGE = 5,
  /**
   * A global access to the LDS aperture.
   */
  WAVEGLASS_FAULT_KIND_LDS_APERTURE = 6,
  /**
   * A 64-bit atomic on scratch through a flat address.
   */
  WAVEGLASS_FAULT_KIND_SCRATCH_ATOMIC = 7,
  /**
   * A negative immediate offset of a scalar buffer access.
   */
  WAVEGLASS_FAULT_KIND_NEGATIVE_OFFSET = 8,
  /**
   * The address is past the limit of LDS in M0.
   */
  WAVEGLASS_FAULT_KIND_M0_RANGE = 9,
} waveglass_fault_kind;

/**
 * What the lane was doing.
 */
typedef enum waveglass_access {
  /**
   * A read.
   */
  WAVEGLASS_ACCESS_LOAD = 0,
  /**
   * A write.
   */
  WAVEGLASS_ACCESS_STORE = 1,
  /**
   * Both in one.
   */
  WAVEGLASS_ACCESS_ATOMIC = 2,
} waveglass_access;

/**
 * The address space of an access.
 */
typedef enum waveglass_space {
  /**
   * Memory at 64-bit addresses.
   */
  WAVEGLASS_SPACE_GLOBAL = 0,
  /**
   * The workgroup's local data share.
   */
  WAVEGLASS_SPACE_LDS = 1,
  /**
   * The lane's own memory.
   */
  WAVEGLASS_SPACE_SCRATCH = 2,
  /**
   * A flat address that resolved to none of the others.
   */
  WAVEGLASS_SPACE_FLAT = 3,
  /**
   * Memory through a buffer descriptor.
   */
  WAVEGLASS_SPACE_BUFFER = 4,
  /**
   * Memory read by scalar instructions.
   */
  WAVEGLASS_SPACE_SCALAR = 5,
  /**
   * The global data share of all waves.
   */
  WAVEGLASS_SPACE_GDS = 6,
} waveglass_space;

/**
 * On which side of a region an access lies.
 */
typedef enum waveglass_side {
  /**
   * There is no region to compare with.
   */
  WAVEGLASS_SIDE_NONE = 0,
  /**
   * Wholly before it.
   */
  WAVEGLASS_SIDE_BEFORE = 1,
  /**
   * Begins before it and reaches into it.
   */
  WAVEGLASS_SIDE_ACROSS_START = 2,
  /**
   * Within it.
   */
  WAVEGLASS_SIDE_INSIDE = 3,
  /**
   * Begins within it and reaches past its end.
   */
  WAVEGLASS_SIDE_ACROSS_END = 4,
  /**
   * Wholly past its end.
   */
  WAVEGLASS_SIDE_AFTER = 5,
} waveglass_side;

/**
 * What runs share: the target, the memory that programs may touch, limits, compiled programs, and the
 * counters and memory violations of the last run.
 */
typedef struct waveglass_context waveglass_context;

/**
 * A code object, loaded. Its global variables keep their values from launch to launch.
 */
typedef struct waveglass_module waveglass_module;

/**
 * Limits of runs. A field that is zero sets no limit.
 */
typedef struct waveglass_limits {
  /**
   * sizeof(waveglass_limits).
   */
  size_t size;
  /**
   * Instructions of all waves of a run.
   */
  uint64_t instructions;
  /**
   * Wall time of a run in nanoseconds.
   */
  uint64_t nanoseconds;
  /**
   * Host threads. One gives the same order of workgroups in every run; zero takes as many as the
   * host has processors.
   */
  uint32_t threads;
  /**
   * Memory violations of each instruction that are kept with their details; zero keeps 64. All are
   * counted.
   */
  uint32_t faults;
  /**
   * Not zero: the first memory violation ends the run.
   */
  uint32_t stop_at_fault;
  /**
   * Must be zero.
   */
  uint32_t reserved;
} waveglass_limits;

/**
 * Machine code and the register values with which a command processor would start it.
 * waveglass_dispatch_init fills in what most programs need.
 *
 * Waves start at the first byte of the code. SGPRs 0 and on hold the user SGPRs, as many as
 * RSRC2.USER_SGPR says; the workgroup ids that RSRC2 asks for follow (on gfx12 they are in TTMP9 and
 * TTMP7, and the wave's number in TTMP8), then the workgroup info, then, on targets before gfx942 and gfx11, the wave's scratch offset if
 * RSRC2.SCRATCH_EN is set. VGPR 0 holds the work-item ids, ten bits each, on gfx90a and later of gfx9 and
 * on gfx11 and later; VGPRs 0 to 2 hold them on the others, as many as RSRC2.TIDIG_COMP_CNT says. All
 * else is zero.
 */
typedef struct waveglass_dispatch {
  /**
   * sizeof(waveglass_dispatch).
   */
  size_t size;
  /**
   * The machine code. Programs may read it; it need not be registered.
   */
  const void *code;
  /**
   * Its size in bytes.
   */
  size_t code_size;
  /**
   * Workgroups in each dimension.
   */
  uint32_t workgroups[3];
  /**
   * Work-items of a workgroup in each dimension; 1024 at most in all.
   */
  uint32_t workgroup_size[3];
  /**
   * Lanes in a wave: 32, 64, or 0 for the target's usual number.
   */
  uint32_t wave_size;
  /**
   * COMPUTE_PGM_RSRC1: number of VGPRs, MODE.
   */
  uint32_t rsrc1;
  /**
   * COMPUTE_PGM_RSRC2: user SGPRs, workgroup ids, work-item ids, LDS, scratch.
   */
  uint32_t rsrc2;
  /**
   * COMPUTE_PGM_RSRC3: where AGPRs begin (gfx90a, gfx942, gfx950); zero on gfx900, gfx906, gfx908.
   */
  uint32_t rsrc3;
  /**
   * The kernarg segment, which must be registered. If `user_sgprs` is null, its address is the value of
   * user SGPRs 0 and 1; otherwise it has no effect.
   */
  const void *kernarg;
  /**
   * The values of COMPUTE_USER_DATA, or null. Values past RSRC2.USER_SGPR are not loaded, missing ones
   * are zero.
   */
  const uint32_t *user_sgprs;
  /**
   * How many there are.
   */
  uint32_t user_sgpr_count;
  /**
   * Scratch bytes of a lane.
   */
  uint32_t scratch_bytes;
  /**
   * Memory for scratch, or null to have it allocated for the run. It must be registered, and start at
   * a multiple of 256. Targets before gfx942 and gfx11 find scratch through addresses in user SGPRs,
   * so that their callers must know where it is.
   */
  void *scratch;
  /**
   * Its size in bytes; waveglass_dispatch_scratch_size says how much it takes.
   */
  uint64_t scratch_size;
  /**
   * LDS bytes of a workgroup; 0 takes RSRC2.LDS_SIZE times the target's granule (512 bytes; 1280 on
   * gfx950, 2048 on gfx1250 and gfx1251).
   */
  uint32_t lds_bytes;
  /**
   * Must be zero.
   */
  uint32_t reserved;
} waveglass_dispatch;

/**
 * All memory violations of one kind that one instruction has met.
 */
typedef struct waveglass_fault_site {
  /**
   * What was wrong.
   */
  enum waveglass_fault_kind kind;
  /**
   * What the lanes were doing.
   */
  enum waveglass_access access;
  /**
   * In which address space.
   */
  enum waveglass_space space;
  /**
   * On which side of the region the accesses lie.
   */
  enum waveglass_side side;
  /**
   * How many accesses of lanes were violations.
   */
  uint64_t count;
  /**
   * How many workgroups met them.
   */
  uint64_t workgroup_count;
  /**
   * How many waves met them.
   */
  uint64_t wave_count;
  /**
   * The first of the workgroups, in the order of ids.
   */
  uint32_t first_workgroup[3];
  /**
   * The last.
   */
  uint32_t last_workgroup[3];
  /**
   * The waves' numbers in their workgroups, a bit each.
   */
  uint64_t waves;
  /**
   * The lanes, a bit each.
   */
  uint64_t lanes;
  /**
   * The lowest address: an offset in LDS and scratch (there a signed one), else a host address.
   */
  uint64_t lowest_address;
  /**
   * The highest address.
   */
  uint64_t highest_address;
  /**
   * The host address of the instruction.
   */
  uint64_t pc;
  /**
   * The instruction's offset from the start of the code, or from the code object's load address.
   */
  uint64_t code_offset;
  /**
   * The region that was missed: its start. Of several, the one that was missed most.
   */
  uint64_t region_start;
  /**
   * Its size; 0 if there is none.
   */
  uint64_t region_size;
  /**
   * How far outside the nearest access is, in bytes. Before and across the start: how far its first
   * byte lies below the region. After: how far its first byte lies from the end, 0 right behind it.
   * Across the end: how many of its bytes are past the end.
   */
  uint64_t distance;
  /**
   * The same of the farthest access.
   */
  uint64_t farthest;
  /**
   * How many of the violations are on this side of this region.
   */
  uint64_t region_count;
  /**
   * The number of the first violation that has details, for waveglass_context_fault.
   */
  uint64_t first_fault;
  /**
   * How many have; they follow each other.
   */
  uint64_t fault_count;
  /**
   * The line of the source; 0 if there is no debug information.
   */
  uint32_t line;
  /**
   * The column; 0 if it is not known.
   */
  uint32_t column;
  /**
   * The source file, cut at its front to fit.
   */
  char file[256];
  /**
   * The name of the region, cut to fit.
   */
  char region_name[64];
  /**
   * The kernel, cut to fit; empty of a raw dispatch.
   */
  char kernel[64];
  /**
   * The instruction as assembly, cut to fit.
   */
  char instruction[128];
} waveglass_fault_site;

/**
 * What the last run of a context executed.
 */
typedef struct waveglass_counters {
  /**
   * Workgroups.
   */
  uint64_t workgroups;
  /**
   * Waves.
   */
  uint64_t waves;
  /**
   * Instructions of all waves.
   */
  uint64_t instructions;
  /**
   * Active lanes, summed over vector instructions.
   */
  uint64_t lane_operations;
  /**
   * Instructions: scalar ALU.
   */
  uint64_t scalar_alu;
  /**
   * Instructions: vector ALU.
   */
  uint64_t vector_alu;
  /**
   * Instructions: scalar memory.
   */
  uint64_t scalar_memory;
  /**
   * Instructions: vector memory.
   */
  uint64_t vector_memory;
  /**
   * Instructions: LDS.
   */
  uint64_t lds;
  /**
   * Instructions: branches.
   */
  uint64_t branches;
  /**
   * Instructions: matrix.
   */
  uint64_t matrix;
  /**
   * Instructions: all others.
   */
  uint64_t other;
  /**
   * Bytes read from global memory.
   */
  uint64_t global_read;
  /**
   * Bytes written to global memory.
   */
  uint64_t global_written;
  /**
   * Bytes read from LDS.
   */
  uint64_t lds_read;
  /**
   * Bytes written to LDS.
   */
  uint64_t lds_written;
  /**
   * Bytes read from scratch.
   */
  uint64_t scratch_read;
  /**
   * Bytes written to scratch.
   */
  uint64_t scratch_written;
  /**
   * Memory violations, those without details included.
   */
  uint64_t violations;
  /**
   * Wall time in nanoseconds.
   */
  uint64_t nanoseconds;
} waveglass_counters;

/**
 * A memory violation of one lane.
 */
typedef struct waveglass_fault {
  /**
   * What was wrong.
   */
  enum waveglass_fault_kind kind;
  /**
   * What the lane was doing.
   */
  enum waveglass_access access;
  /**
   * In which address space.
   */
  enum waveglass_space space;
  /**
   * The lane; 0 for scalar accesses.
   */
  uint32_t lane;
  /**
   * The wave's number in its workgroup.
   */
  uint32_t wave;
  /**
   * The workgroup.
   */
  uint32_t workgroup[3];
  /**
   * Bytes that the lane wanted.
   */
  uint32_t bytes;
  /**
   * Must be ignored.
   */
  uint32_t reserved;
  /**
   * The address: an offset in LDS and scratch, else a host address.
   */
  uint64_t address;
  /**
   * The host address of the instruction.
   */
  uint64_t pc;
  /**
   * The instruction's offset from the start of the code, or from the code object's load address.
   */
  uint64_t code_offset;
  /**
   * The size of the space that was overrun (LDS, scratch); else 0.
   */
  uint64_t limit;
  /**
   * The nearest memory that programs may touch: its start.
   */
  uint64_t nearest_start;
  /**
   * Its size; 0 if there is none.
   */
  uint64_t nearest_size;
  /**
   * How many bytes the access begins before it (negative), or how many bytes behind its end the access
   * ends (positive: of 4 bytes right behind the end, 4); 0 inside. See distance.
   */
  int64_t nearest_distance;
  /**
   * The name under which it was registered, cut to fit.
   */
  char nearest_name[64];
  /**
   * The instruction's mnemonic, cut to fit.
   */
  char mnemonic[64];
  /**
   * On which side of the nearest memory, or of the LDS or scratch that was overrun, the access lies.
   */
  enum waveglass_side side;
  /**
   * Must be ignored.
   */
  uint32_t reserved2;
  /**
   * How far outside the access is, in bytes. Before and across the start: how far its first byte lies
   * below. After: how far its first byte lies from the end, 0 right behind it. Across the end: how many
   * of its bytes are past the end.
   */
  uint64_t distance;
} waveglass_fault;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The library's WAVEGLASS_ABI_VERSION, to compare with the header's.
 */
uint32_t waveglass_abi_version(void);

/**
 * The library's version, as in "0.1.0".
 */
const char *waveglass_version(void);

/**
 * Makes a context.
 *
 * `target` is a target's name ("gfx1100", also with features as in "gfx90a:sramecc+:xnack-") or an
 * architecture's ("rdna3", "cdna 4"), which stands for its first target. SRAM error correction is on
 * where the target has it, unless the name says "sramecc-". The new context lets programs touch
 * nothing.
 */
enum waveglass_status waveglass_context_create(const char *target,
                                               struct waveglass_context **context);

/**
 * Ends a context; null is allowed. The memory that was registered stays the caller's.
 */
void waveglass_context_destroy(struct waveglass_context *context);

/**
 * Lets programs touch `size` bytes at `start`, whatever its alignment, at the same address.
 *
 * `access` is WAVEGLASS_READ_ONLY or WAVEGLASS_READ_WRITE. `name` is what texts about memory violations
 * call the memory; it may be null. Ranges may not overlap. Until the range is unregistered the memory
 * must stay valid; while a program runs, other threads may touch it by atomic accesses only.
 */
enum waveglass_status waveglass_context_register(struct waveglass_context *context,
                                                 void *start,
                                                 size_t size,
                                                 uint32_t access,
                                                 const char *name);

/**
 * Takes away the memory that was registered from `start` on.
 */
enum waveglass_status waveglass_context_unregister(struct waveglass_context *context,
                                                   const void *start);

/**
 * Lets programs touch all memory that the process has when a run starts, as far as the process itself
 * may, device memory left out; or, with `allow` false, ends that. Memory that is registered keeps its
 * own rule. Memory that is not mapped when the run starts is a violation as ever.
 *
 * With this a program can overwrite anything, and if memory is unmapped while a program that uses it
 * runs, the process crashes. Linux only.
 */
enum waveglass_status waveglass_context_allow_process(struct waveglass_context *context,
                                                      bool allow);

/**
 * Sets the limits of the runs to come.
 */
enum waveglass_status waveglass_context_set_limits(struct waveglass_context *context,
                                                   const struct waveglass_limits *limits);

/**
 * Fills `dispatch` in for the context's target: its size, one workgroup of one work-item, the usual wave
 * size, every register that a wave can have, MODE as compilers set it (round to nearest even, all
 * denormals kept, DX10_CLAMP and IEEE where there are such), RSRC2 zero, no code.
 *
 * The result is for waves of the usual size. Callers that set `wave_size` to the other one on gfx10 to
 * gfx12 set RSRC1.VGPRS (bits 5:0) to 63 for 64 lanes and to 31 for 32 lanes.
 */
enum waveglass_status waveglass_dispatch_init(struct waveglass_context *context,
                                              struct waveglass_dispatch *dispatch,
                                              size_t size);

/**
 * Runs machine code and waits for its end.
 */
enum waveglass_status waveglass_dispatch_run(struct waveglass_context *context,
                                             const struct waveglass_dispatch *dispatch);

/**
 * How many bytes of scratch memory a dispatch takes under the context's limits (it depends on the number
 * of threads), for callers that bring it themselves.
 */
enum waveglass_status waveglass_dispatch_scratch_size(struct waveglass_context *context,
                                                      const struct waveglass_dispatch *dispatch,
                                                      uint64_t *size);

/**
 * How many instructions have met memory violations in the last run; one that met several kinds counts for
 * each. All of them are here, however many violations there were.
 */
size_t waveglass_context_fault_site_count(struct waveglass_context *context);

/**
 * Gives the memory violations of an instruction by its number, from 0 to
 * waveglass_context_fault_site_count - 1; the first to be met is number 0.
 *
 * `size` is sizeof(waveglass_fault_site).
 */
enum waveglass_status waveglass_context_fault_site(struct waveglass_context *context,
                                                   size_t index,
                                                   struct waveglass_fault_site *site,
                                                   size_t size);

/**
 * Loads a code object for the context's target: an ELF file as LLVM's linker writes it, or an offload
 * bundle ("fat binary"), of which the target's code is taken. The bytes are not needed afterwards, and
 * the module may outlive the context.
 */
enum waveglass_status waveglass_module_load(struct waveglass_context *context,
                                            const void *bytes,
                                            size_t size,
                                            struct waveglass_module **module);

/**
 * Unloads a module; null is allowed.
 */
void waveglass_module_destroy(struct waveglass_module *module);

/**
 * How many kernels a module has; 0 for null.
 */
size_t waveglass_module_kernel_count(const struct waveglass_module *module);

/**
 * The name of a kernel by its number, valid as long as the module; null if there is no such kernel.
 */
const char *waveglass_module_kernel_name(const struct waveglass_module *module, size_t index);

/**
 * Size of a kernel's kernarg segment in bytes, hidden arguments included.
 */
enum waveglass_status waveglass_module_kernarg_size(const struct waveglass_module *module,
                                                    const char *kernel,
                                                    size_t *size);

/**
 * Launches a kernel by name and waits for its end.
 *
 * `workgroups` and `workgroup_size` have three dimensions. `kernarg` is the kernarg segment as the
 * kernel's metadata lays it out; pointers in it are host addresses of memory that is registered.
 * Hidden arguments that start past its `kernarg_size` bytes are filled in. `dynamic_lds` is bytes of LDS
 * beyond the kernel's fixed size.
 */
enum waveglass_status waveglass_kernel_launch(struct waveglass_context *context,
                                              const struct waveglass_module *module,
                                              const char *kernel,
                                              const uint32_t *workgroups,
                                              const uint32_t *workgroup_size,
                                              const void *kernarg,
                                              size_t kernarg_size,
                                              uint32_t dynamic_lds);

/**
 * Gives the counters of the context's last run.
 *
 * `size` is sizeof(waveglass_counters). The counters are zero if the last run could not start.
 */
enum waveglass_status waveglass_context_counters(struct waveglass_context *context,
                                                 struct waveglass_counters *counters,
                                                 size_t size);

/**
 * How many memory violations of the last run have details.
 */
size_t waveglass_context_fault_count(struct waveglass_context *context);

/**
 * Gives a memory violation of the last run by its number, from 0 to waveglass_context_fault_count - 1.
 *
 * `size` is sizeof(waveglass_fault).
 */
enum waveglass_status waveglass_context_fault(struct waveglass_context *context,
                                              size_t index,
                                              struct waveglass_fault *fault,
                                              size_t size);

/**
 * Writes a memory violation as a sentence to `text`, cut to `size` bytes with the NUL at the end. Gives
 * the length of the whole sentence without the NUL; 0 if there is no such violation.
 */
size_t waveglass_context_fault_text(struct waveglass_context *context,
                                    size_t index,
                                    char *text,
                                    size_t size);

/**
 * The name of a status, as in "memory violation"; "unknown status" for other numbers.
 */
const char *waveglass_status_name(int32_t status);

/**
 * What went wrong in the last call of this thread that has a status, in words; empty if nothing did.
 * The text is valid until this thread makes the next such call.
 */
const char *waveglass_last_error(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* WAVEGLASS_H */

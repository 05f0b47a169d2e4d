/*
 * How a client that has an engine of its own replaces it with Waveglass.
 *
 * Such a client (the mock device of a runtime, say) decodes the packets that start a dispatch and calls
 * an engine with the grid, the code, the arguments and a few register values. `run_asm` below is that
 * call on top of Waveglass; the rest of the file is a dispatch that tries it.
 *
 *   cc client.c -I../include -L../../../target/release -lwaveglass_capi -o client
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "waveglass.h"

/* ---- the glue ---- */

/* The context of an architecture. It is kept, and with it the compiled programs of earlier dispatches.
 * A client that dispatches from several threads has one for each. */
static waveglass_context *context_for(const char *arch) {
  static struct {
    char arch[32];
    waveglass_context *context;
  } known[16];
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (known[i].context && strcmp(known[i].arch, arch) == 0)
      return known[i].context;
    if (known[i].context || strlen(arch) >= sizeof known[i].arch)
      continue;
    if (waveglass_context_create(arch, &known[i].context) != WAVEGLASS_STATUS_OK)
      return NULL;
    strcpy(known[i].arch, arch);
    /* Device memory is this process's memory, and the client does not say which parts of it. */
    waveglass_context_allow_process(known[i].context, true);
    return known[i].context;
  }
  return NULL;
}

/* Runs gx * gy * gz workgroups of lx * ly * lz work-items; 0 if all went well. */
static int run_asm(const void *code, size_t code_size, uint32_t gx, uint32_t gy, uint32_t gz,
                   uint32_t lx, uint32_t ly, uint32_t lz, const void *args, uint32_t rsrc2,
                   uint32_t scratch_size, const char *arch) {
  waveglass_context *context = context_for(arch);
  waveglass_dispatch d;
  if (!context || waveglass_dispatch_init(context, &d, sizeof d) != WAVEGLASS_STATUS_OK)
    return -1;
  d.code = code;
  d.code_size = code_size;
  d.workgroups[0] = gx, d.workgroups[1] = gy, d.workgroups[2] = gz;
  d.workgroup_size[0] = lx, d.workgroup_size[1] = ly, d.workgroup_size[2] = lz;
  d.kernarg = args; /* in user SGPRs 0 and 1; a client that knows more of them sets user_sgprs */
  d.rsrc2 = rsrc2;
  d.scratch_bytes = scratch_size;
  return waveglass_dispatch_run(context, &d);
}

/* ---- a dispatch through it ---- */

/* c[i] = a[i] + b[i] on gfx1100, 32 work-items a workgroup:
 *   s_load_b128 s[4:7], s[0:1], 0x0          v_lshlrev_b32 v0, 2, v0
 *   s_load_b64 s[8:9], s[0:1], 0x10          s_waitcnt lgkmcnt(0)
 *   v_and_b32 v0, 0x3ff, v0                  global_load_b32 v1, v0, s[4:5]
 *   s_lshl_b32 s2, s2, 5                     global_load_b32 v2, v0, s[6:7]
 *   v_add_nc_u32 v0, s2, v0                  s_waitcnt vmcnt(0)
 *                                            v_add_f32 v1, v1, v2
 *                                            global_store_b32 v0, v1, s[8:9]
 *                                            s_endpgm */
static const uint32_t add[] = {
    0xf4080100, 0xf8000000, 0xf4040200, 0xf8000010, 0x360000ff, 0x000003ff, 0x84028502,
    0x4a000002, 0x30000082, 0xbf89fc07, 0xdc520000, 0x01040000, 0xdc520000, 0x02060000,
    0xbf8903f7, 0x06020501, 0xdc6a0000, 0x00080100, 0xbfb00000,
};

enum { N = 256 };
static float a[N], b[N], c[N];

int main(void) {
  for (int i = 0; i < N; i++)
    a[i] = (float)i, b[i] = 0.5f;
  struct {
    const float *a, *b;
    float *c;
  } args = {a, b, c};
  /* Two user SGPRs (bits 5:1), and the workgroup's id in X (bit 7), which follows them in s2. */
  uint32_t rsrc2 = 2u << 1 | 1u << 7;

  if (run_asm(add, sizeof add, N / 32, 1, 1, 32, 1, 1, &args, rsrc2, 0, "gfx1100") != 0) {
    fprintf(stderr, "%s\n", waveglass_last_error());
    return 1;
  }
  for (int i = 0; i < N; i++)
    if (c[i] != (float)i + 0.5f) {
      fprintf(stderr, "c[%d] is %f\n", i, c[i]);
      return 1;
    }

  /* A program that strays is reported, and the process lives on. */
  args.c = (float *)0x10;
  int status = run_asm(add, sizeof add, 1, 1, 1, 32, 1, 1, &args, rsrc2, 0, "gfx1100");
  if (status != WAVEGLASS_STATUS_MEMORY_VIOLATION)
    return 1;
  printf("%s\n", waveglass_last_error());

  waveglass_context_destroy(context_for("gfx1100"));
  printf("ok\n");
  return 0;
}

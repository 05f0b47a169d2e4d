// String search: every place where a pattern of up to 64 bytes stands in a text.
#include "wg.h"

#define ITEMS 256
#define LONGEST 64

// Compares the pattern at each place of a tile in LDS; places go to `found` in no particular order.
KERNEL search_tile(const u8 *text, u32 length, const u8 *pattern, u32 size, u32 *found, u32 *count) {
  __shared__ u8 tile[ITEMS + LONGEST];
  __shared__ u8 sought[LONGEST];
  u32 t = thread_x(), first = block_x() * ITEMS;
  for (u32 i = t; i < ITEMS + LONGEST; i += ITEMS)
    tile[i] = first + i < length ? text[first + i] : 0;
  if (t < size)
    sought[t] = pattern[t];
  sync_threads();
  if (first + t + size > length)
    return;
  for (u32 i = 0; i < size; ++i)
    if (tile[t + i] != sought[i])
      return;
  found[__hip_atomic_fetch_add(count, 1u, __ATOMIC_RELAXED, AGENT)] = first + t;
}

// The shift-and automaton, a bit a byte of the pattern: a work-item scans `stretch` bytes and what reaches over their
// end, and marks in `ends` where a match ends. `masks[c]` has the bits of the places of byte c in the pattern.
KERNEL search_automaton(const u8 *text, u32 length, const u64 *masks, u32 size, u32 stretch, u8 *ends) {
  u32 from = global_x() * stretch;
  if (from >= length)
    return;
  u32 to = from + stretch + size - 1 < length ? from + stretch + size - 1 : length;
  u64 state = 0, last = 1ull << (size - 1);
  for (u32 i = from; i < to; ++i) {
    state = (state << 1 | 1) & masks[text[i]];
    if (state & last)
      ends[i] = 1;
  }
}

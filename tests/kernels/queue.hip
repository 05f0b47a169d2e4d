// Workgroups that stay and take work from one queue which they also fill: the solutions of the n queens problem.
// A task is a board with some rows placed; it adds a task for each place in the next row.
#include "wg.h"

#define AGENT_LOAD(p) __hip_atomic_load(p, __ATOMIC_ACQUIRE, AGENT)

struct Task {
  u32 columns, left, right; // attacked in the next row: by column, and by the diagonals either way
  u32 ready;                // 1 when the other fields are written
};

struct Queue {
  u32 head, tail; // the next task to take, the next place to fill
  u32 pending;    // tasks that are not done
  u32 solutions;
};

// The host puts the empty board in and counts it in `tail` and `pending`. Every work-item works for itself.
KERNEL queens(Queue *queue, Task *tasks, u32 n) {
  u32 full = (1u << n) - 1;
  bool holds = false;
  u32 ticket = 0;
  while (AGENT_LOAD(&queue->pending)) {
    if (!holds) {
      ticket = __hip_atomic_fetch_add(&queue->head, 1u, __ATOMIC_RELAXED, AGENT);
      holds = true;
    }
    // The ticket's task may come later, or never when the work is at its end.
    if (!AGENT_LOAD(&tasks[ticket].ready)) {
      __builtin_amdgcn_s_sleep(1);
      continue;
    }
    Task task = tasks[ticket];
    holds = false;
    u32 open = full & ~(task.columns | task.left | task.right), children = (u32)__builtin_popcount(open);
    if (task.columns == full) {
      __hip_atomic_fetch_add(&queue->solutions, 1u, __ATOMIC_RELAXED, AGENT);
    } else if (children) {
      __hip_atomic_fetch_add(&queue->pending, children, __ATOMIC_RELAXED, AGENT);
      u32 at = __hip_atomic_fetch_add(&queue->tail, children, __ATOMIC_RELAXED, AGENT);
      while (open) {
        u32 bit = open & (0u - open);
        open ^= bit;
        Task *child = &tasks[at++];
        child->columns = task.columns | bit;
        child->left = ((task.left | bit) << 1) & full;
        child->right = (task.right | bit) >> 1;
        __hip_atomic_store(&child->ready, 1u, __ATOMIC_RELEASE, AGENT);
      }
    }
    __hip_atomic_fetch_sub(&queue->pending, 1u, __ATOMIC_RELEASE, AGENT);
  }
}

// One lane takes a task for its workgroup and hands it on through LDS: tasks are rows of a matrix to sum.
KERNEL row_sums(u32 *next, const u32 *matrix, u32 *sums, u32 *taken_by, u32 rows, u32 width) {
  __shared__ u32 row, sum;
  for (;;) {
    if (thread_x() == 0) {
      row = __hip_atomic_fetch_add(next, 1u, __ATOMIC_RELAXED, AGENT);
      sum = 0;
    }
    sync_threads();
    u32 mine = row, part = 0;
    if (mine >= rows)
      return;
    for (u32 i = thread_x(); i < width; i += block_dim_x())
      part += matrix[mine * width + i];
    __hip_atomic_fetch_add(&sum, part, __ATOMIC_RELAXED, WORKGROUP);
    sync_threads();
    if (thread_x() == 0) {
      sums[mine] = sum;
      taken_by[mine] = block_x();
    }
    sync_threads();
  }
}

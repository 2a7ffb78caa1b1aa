import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/**
 * A thread with this priority gets a tenth of the processor time of one with the usual priority, if both want all of
 * it.
 */
export const threadPriority = 10

/**
 * Lowers the priority of the calling thread, so that threads which answer requests get the processor first. Only Linux
 * gives threads a priority of their own; elsewhere it does nothing.
 */
export function yieldToOthers(): void {
  if (process.platform !== 'linux') return
  try {
    const threadId = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
    setPriority(threadId, threadPriority)
  } catch {
    // A sandbox may forbid it. The thread then works at the priority of the process.
  }
}

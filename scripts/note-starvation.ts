import { readFileSync } from 'node:fs'
import { afterEach, beforeEach } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    /** How long the process of the test waited for a processor while the test ran, in milliseconds. */
    starvedMs?: number
  }
}

beforeEach(({ task }) => {
  task.meta.starvedMs = -waitedMs()
})
afterEach(({ task }) => {
  task.meta.starvedMs! += waitedMs()
})

/** Returns how long this process was ready to run and waited. Only Linux counts this. */
function waitedMs(): number {
  try {
    const [, nanoseconds] = readFileSync('/proc/self/schedstat', 'latin1').split(' ')
    return Number(nanoseconds) / 1e6
  } catch {
    return 0
  }
}

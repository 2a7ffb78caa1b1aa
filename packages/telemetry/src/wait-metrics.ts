import { Histogram, type Registry } from 'prom-client'

/** A wait for a thread or another limited resource. */
type Wait = { work: string; outcome: string; ms: number }

const bucketsSeconds = [0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** Returns a function that counts waits by the kind of work and by how they ended. */
export function recordWaits(registry: Registry): (wait: Wait) => void {
  const waits = new Histogram({
    name: 'work_wait_seconds',
    help: 'Time that work waited for a thread or another slot, by how the wait ended; full: no more work of its consumer may wait; left: its caller disconnected or its time was over',
    labelNames: ['work', 'outcome'],
    buckets: bucketsSeconds,
    registers: [registry],
  })
  return ({ work, outcome, ms }) => waits.observe({ work, outcome }, ms / 1000)
}

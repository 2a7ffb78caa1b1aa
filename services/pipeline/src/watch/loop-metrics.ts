import type { Db } from '@despatch/store/database'
import { oldestUnstoredSeconds } from '@despatch/store/print-job/unstored-documents'
import { Counter, Gauge, type Registry } from '@despatch/telemetry/metrics'
import { type SweepFinding, sweepFindings } from '../work/sweep.ts'

/** Registers how long documents of letters without files have waited to be stored. */
export function registerUnstoredMetric(registry: Registry, db: Db): void {
  new Gauge({
    name: 'document_unstored_oldest_seconds',
    help: 'Age of the oldest document that is in the database and not in the object store yet; 0 if all are stored',
    registers: [registry],
    async collect() {
      this.reset()
      const seconds = await oldestUnstoredSeconds(db).catch(() => undefined)
      if (seconds !== undefined) this.set(seconds)
    },
  })
}

/** Returns a function that counts what the sweep finds. */
export function countSweepFindings(
  registry: Registry,
): (what: SweepFinding, count: number) => void {
  const findings = new Counter({
    name: 'sweep_findings_total',
    help: 'Findings of the sweep: letters whose worker died or that lost their place, unused uploads, and uploads that are too large or that no row names',
    labelNames: ['what'],
    registers: [registry],
  })
  for (const what of sweepFindings) findings.inc({ what }, 0)
  return (what, count) => findings.inc({ what }, count)
}

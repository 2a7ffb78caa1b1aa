import type { Repeated } from '@despatch/queue/repeat'
import { Counter, Gauge, type Registry } from '@despatch/telemetry/metrics'
import type { SweepFinding } from './sweep.ts'

/** Registers the metric for the last good pass of each loop of the pipeline. */
export function registerLoopMetrics(
  registry: Registry,
  loops: Readonly<Record<string, Repeated>>,
  now: () => Date,
): void {
  new Gauge({
    name: 'loop_pass_age_seconds',
    help: 'Time since a loop of the pipeline last completed a pass without an error',
    labelNames: ['loop'],
    registers: [registry],
    collect() {
      for (const [loop, { lastPassAt }] of Object.entries(loops)) {
        this.set({ loop }, (now().getTime() - lastPassAt().getTime()) / 1000)
      }
    },
  })
}

/** Returns a function that counts what the sweep finds. */
export function countSweepFindings(
  registry: Registry,
): (what: SweepFinding, count: number) => void {
  const findings = new Counter({
    name: 'sweep_findings_total',
    help: 'Findings of the sweep: letters whose worker died or that lost their place, and unused uploads',
    labelNames: ['what'],
    registers: [registry],
  })
  for (const what of ['step', 'upload'] as const) findings.inc({ what }, 0)
  return (what, count) => findings.inc({ what }, count)
}

import type { HealthCheck } from '@despatch/http/health'
import type { Part } from '@despatch/http/service'
import type { Repeated } from '@despatch/queue/repeat'
import { Gauge, type Registry } from '@despatch/telemetry/metrics'

/** The parts of a process that run until it closes. */
export type Loops = {
  /** To be closed together. */
  parts: readonly Part[]
  /** Closes this part with the others. */
  add<Running extends Part>(part: Running): Running
  /** As `add`, for a loop whose passes are watched by readiness and, unless they are rare, by the metric. */
  watch(name: string, everyMs: number, loop: Repeated, options?: { isRare?: boolean }): Repeated
  /** Returns a check for each watched loop. */
  checks(): HealthCheck[]
}

/** A loop whose last good pass is older than this many of its intervals is stuck. */
const intervalsMissedMax = 10
const passAgeMsMin = 30_000

export function watchLoops(registry: Registry, now: () => Date): Loops {
  const parts: Part[] = []
  const watched: { name: string; everyMs: number; loop: Repeated; isRare: boolean }[] = []
  new Gauge({
    name: 'loop_pass_age_seconds',
    help: 'Time since a loop of the pipeline last completed a pass without an error',
    labelNames: ['loop'],
    registers: [registry],
    collect() {
      for (const { name, loop, isRare } of watched) {
        if (isRare) continue
        this.set({ loop: name }, (now().getTime() - loop.lastPassAt().getTime()) / 1000)
      }
    },
  })
  const add = <Running extends Part>(part: Running): Running => {
    parts.push(part)
    return part
  }
  return {
    add,
    watch: (name, everyMs, loop, { isRare = false } = {}) => {
      watched.push({ name, everyMs, loop, isRare })
      return add(loop)
    },
    checks: () => watched.map(({ name, everyMs, loop }) => checkLoop(name, loop, everyMs)),
    parts,
  }
}

/** The check uses the time of the last good pass, because a running loop may be stuck. */
function checkLoop(name: string, loop: Repeated, everyMs: number): HealthCheck {
  const ageMs = Date.now() - loop.lastPassAt().getTime()
  if (ageMs <= Math.max(everyMs * intervalsMissedMax, passAgeMsMin)) return { name, ok: true }
  return { name, ok: false, reason: `no successful pass for ${Math.round(ageMs / 1000)} s` }
}

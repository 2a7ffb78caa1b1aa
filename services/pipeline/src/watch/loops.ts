import { passAgeMsMax } from '@despatch/domain/work/periodic-task'
import type { HealthCheck } from '@despatch/http/health'
import type { Part } from '@despatch/http/service'
import { Gauge, type Registry } from '@despatch/telemetry/metrics'
import type { RunningTask } from '@despatch/work/periodic-tasks'

/** The parts of a process that run until it closes. */
export type Loops = {
  /** To be closed together. */
  parts: readonly Part[]
  /** Closes this part with the others. */
  add<Running extends Part>(part: Running): Running
  /** Readiness watches the passes of this loop, and so does the metric unless they are rare. */
  watch(loop: WatchedLoop): void
  /** Returns a check for each watched loop. */
  checks(): HealthCheck[]
}

type WatchedLoop = Pick<RunningTask, 'name' | 'everyMs' | 'lastPassAt'>

/** Loops that pass as seldom as this are not in the metric. */
const rareMsMin = 60_000

export function watchLoops(registry: Registry, now: () => Date): Loops {
  const parts: Part[] = []
  const watched: WatchedLoop[] = []
  new Gauge({
    name: 'loop_pass_age_seconds',
    help: 'Time since a loop of the pipeline last completed a pass without an error',
    labelNames: ['loop'],
    registers: [registry],
    collect() {
      for (const { name, everyMs, lastPassAt } of watched) {
        if (everyMs >= rareMsMin) continue
        this.set({ loop: name }, (now().getTime() - lastPassAt().getTime()) / 1000)
      }
    },
  })
  return {
    add: (part) => {
      parts.push(part)
      return part
    },
    watch: (loop) => void watched.push(loop),
    checks: () => watched.map(checkLoop),
    parts,
  }
}

/** The check uses the time of the last good pass, because a running loop may be stuck. */
function checkLoop({ name, everyMs, lastPassAt }: WatchedLoop): HealthCheck {
  const ageMs = Date.now() - lastPassAt().getTime()
  if (ageMs <= passAgeMsMax(everyMs)) return { name, ok: true }
  return { name, ok: false, reason: `no successful pass for ${Math.round(ageMs / 1000)} s` }
}

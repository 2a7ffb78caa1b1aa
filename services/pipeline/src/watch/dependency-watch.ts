import {
  type Breaker,
  initialBreaker,
  isHalfOpen,
  recordFailure,
  recordProbe,
  recordSuccess,
} from '@despatch/domain/outage/breaker'
import { classOfFault } from '@despatch/domain/outage/fault-class'
import type { Dependency } from '@despatch/domain/outage/unavailable-dependency'
import { within } from '@despatch/queue/within'
import type { Db } from '@despatch/store/database'
import { endOutage, noteOutage } from '@despatch/store/outage/outages'
import type { Logger } from '@despatch/telemetry/logger'

/**
 * `away`: the dependency is down. `blip`: it answers probes, and has not failed this letter too often. `letter`: it
 * answers probes, but keeps failing this letter.
 */
export type Verdict = 'away' | 'blip' | 'letter'

/** The state of a dependency as one process sees it. */
export type DependencyWatch = {
  dependency: Dependency
  isUp(): boolean
  /** Returns true if the dependency answers probes but has failed several letters in a row. */
  isHalfOpen(): boolean
  /** Judges a fault that a letter or a loop met. Probes the dependency, unless it is known to be away. */
  judge(error: unknown, subject: string): Promise<Verdict>
  /** Records that the dependency served a letter. */
  served(subject: string): void
  /** Resolves once the dependency is up. Rejects if the signal aborts. */
  whenUp(signal: AbortSignal): Promise<void>
  /** Probes when a probe is due, and keeps the outage record for operators. Never rejects. */
  look(): Promise<void>
}

export type DependencyWatchOptions = {
  db: Db
  dependency: Dependency
  /** Makes the calls that the work requires of the dependency. Rejects if one of them fails. */
  probe: () => Promise<unknown>
  /** Called when the dependency goes away or comes back. */
  onChange: () => void
  log: Pick<Logger, 'info' | 'error'>
  /** A monotonic clock in milliseconds. */
  clock?: () => number
}

const service = 'pipeline'
const probeMsMax = 5_000
const probeAwayEveryMs = 1_000
const probeUpEveryMs = 15_000
const noteEveryMs = 15_000
/** After this many faults of a dependency that answers probes, the next fault counts as the letter's. */
const blipsMax = 2
const subjectsKept = 1_000

type Outage = { beganAtMs: number; reason: string; notedAtMs: number }

export function watchDependency({
  db,
  dependency,
  probe,
  onChange,
  log,
  clock = () => performance.now(),
}: DependencyWatchOptions): DependencyWatch {
  let breaker = initialBreaker
  let outage: Outage | undefined
  let ended: Outage | undefined
  let probing: Promise<void> | undefined
  let probedAtMs = Number.NEGATIVE_INFINITY
  let waiting = Promise.withResolvers<void>()
  const blips = new Map<string, number>()

  const change = (next: Breaker, reason: string) => {
    const hasChanged = next.isOpen !== breaker.isOpen
    breaker = next
    if (!hasChanged) return
    if (next.isOpen) {
      outage = { beganAtMs: clock(), reason, notedAtMs: Number.NEGATIVE_INFINITY }
      waiting = Promise.withResolvers()
      log.error({ dependency, reason }, 'dependency.away')
    } else {
      const durationMs = Math.round(clock() - outage!.beganAtMs)
      ended = outage
      outage = undefined
      waiting.resolve()
      log.info({ dependency, durationMs }, 'dependency.back')
    }
    onChange()
  }

  const probeOnce = async () => {
    try {
      await within(probeMsMax, probe())
      change(recordProbe(breaker, true, clock()), '')
    } catch (error) {
      if (outage) outage.reason = reasonOf(error)
      change(recordProbe(breaker, false, clock()), reasonOf(error))
    }
    probedAtMs = clock()
  }
  const probeShared = () => {
    probing ??= probeOnce().finally(() => {
      probing = undefined
    })
    return probing
  }

  /** The database itself may be away. A later call then records what this one could not. */
  const record = async () => {
    const nowMs = clock()
    const note = ({ beganAtMs, reason }: Outage) =>
      noteOutage(db, { service, dependency, reason, ageMs: nowMs - beganAtMs })
    if (ended) {
      if (ended.notedAtMs === Number.NEGATIVE_INFINITY) await note(ended)
      await endOutage(db, { service, dependency })
      ended = undefined
    }
    if (outage && nowMs - outage.notedAtMs >= noteEveryMs) {
      const noted = outage
      await note(noted)
      noted.notedAtMs = nowMs
    }
  }

  const countBlip = (subject: string): Verdict => {
    const count = (blips.get(subject) ?? 0) + 1
    blips.set(subject, count)
    if (blips.size > subjectsKept) blips.delete(blips.keys().next().value!)
    return count > blipsMax ? 'letter' : 'blip'
  }

  return {
    dependency,
    isUp: () => !breaker.isOpen,
    isHalfOpen: () => isHalfOpen(breaker),
    judge: async (error, subject) => {
      change(recordFailure(breaker, subject, clock()), reasonOf(error))
      if (!breaker.isOpen) await probeShared()
      return breaker.isOpen ? 'away' : countBlip(subject)
    },
    served: (subject) => {
      blips.delete(subject)
      change(recordSuccess(breaker), '')
    },
    whenUp: async (signal) => {
      while (breaker.isOpen) {
        signal.throwIfAborted()
        const stopped = Promise.withResolvers<never>()
        const stop = () => stopped.reject(signal.reason)
        signal.addEventListener('abort', stop)
        await Promise.race([waiting.promise, stopped.promise]).finally(() =>
          signal.removeEventListener('abort', stop),
        )
      }
    },
    look: async () => {
      const everyMs = breaker.isOpen ? probeAwayEveryMs : probeUpEveryMs
      if (clock() - probedAtMs >= everyMs) await probeShared()
      await within(probeMsMax, record()).catch(() => {})
    },
  }
}

/** Returns the class of the cause if the adapter attached one, otherwise that of the error itself. */
function reasonOf(error: unknown): string {
  const { cause } = (error ?? {}) as { cause?: unknown }
  return classOfFault(cause instanceof Error ? cause : error)
}

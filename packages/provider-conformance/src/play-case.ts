import { setTimeout as pause } from 'node:timers/promises'
import type { ConformanceCase, Evidence } from './conformance-case.ts'
import type { Exchange } from './exchange.ts'
import { checkCalls } from './general-checks.ts'
import { combine, type Judgement, type Verdict, verdictOf } from './judgement.ts'
import type { Pace } from './pace.ts'
import { makeRun } from './platform/make-run.ts'
import { type Platform, renewTokens } from './platform/platform.ts'
import type { Call } from './transcript.ts'

export type PlayedCase = {
  id: string
  title: string
  batchNumber: string
  verdict: Verdict
  durationMs: number
  calls: readonly Call[]
}

export type Playing = {
  platform: Platform
  exchange: Pick<Exchange, 'begin'>
  pace: Pace
  /** First part of the batch numbers, different for each start of the kit. */
  prefix: string
  /** Ends the case, which is then judged by the evidence so far. */
  signal: AbortSignal
}

/**
 * Offers a run to the client and plays the platform's side until everything is shown, something is wrong or the time is
 * over.
 */
export async function playCase(
  conformanceCase: ConformanceCase,
  playing: Playing,
): Promise<PlayedCase> {
  const { platform, exchange, pace, prefix, signal } = playing
  const { id, title, documentCount } = conformanceCase
  const batchNumber = `${prefix}-${id}`
  const startedMs = performance.now()
  const run = await makeRun({ batchNumber, documentCount }, { now: platform.now() })
  const script = conformanceCase.script({ run, platform, pace })
  const bell = createBell()
  const { calls, end } = exchange.begin(script, bell.ring)
  platform.runs.set(batchNumber, run)
  const evidence: Evidence = { run, calls, pace }
  const judge = () =>
    combine(conformanceCase.judge(evidence), { violations: checkCalls(calls, pace) })

  let judgement: Judgement
  try {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(pace.timeoutSeconds * 1_000)])
    judgement = await watch(judge, { bell, deadline, settleMs: pace.settleSeconds * 1_000 })
  } finally {
    end()
    run.isOffered = false
    renewTokens(platform)
  }
  const durationMs = Math.round(performance.now() - startedMs)
  return { id, title, batchNumber, verdict: verdictOf(judgement), durationMs, calls: [...calls] }
}

type Bell = ReturnType<typeof createBell>

/** Wakes the waiter when a call has been answered. */
function createBell() {
  let next = Promise.withResolvers<void>()
  return {
    ring: () => {
      next.resolve()
      next = Promise.withResolvers<void>()
    },
    heard: () => next.promise,
  }
}

async function watch(
  judge: () => Judgement,
  { bell, deadline, settleMs }: { bell: Bell; deadline: AbortSignal; settleMs: number },
): Promise<Judgement> {
  const over = new Promise<void>((resolve) => {
    if (deadline.aborted) resolve()
    else deadline.addEventListener('abort', () => resolve(), { once: true })
  })
  for (;;) {
    const heard = bell.heard()
    const judgement = judge()
    if (judgement.violations.length > 0 || deadline.aborted) return judgement
    if (judgement.outstanding.length === 0) {
      // Surplus calls arrive during this time.
      await pause(settleMs, undefined, { signal: deadline }).catch(() => {})
      return judge()
    }
    await Promise.race([heard, over])
  }
}

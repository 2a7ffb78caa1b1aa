import { setTimeout as pause } from 'node:timers/promises'
import type { ConformanceCase } from './conformance-case.ts'
import type { Exchange } from './exchange.ts'
import { checkCalls } from './general-checks.ts'
import { combine, type Judgement, type Verdict, verdictOf } from './judgement.ts'
import type { Pace } from './pace.ts'
import type { Platform } from './platform.ts'
import { readRunFacts } from './run-facts.ts'
import { seedRun } from './seed-run.ts'
import type { Call } from './transcript.ts'

export type PlayedCase = {
  id: string
  title: string
  batchNumber: string
  verdict: Verdict
  durationMs: number
  calls: readonly Call[]
}

type Playing = {
  platform: Platform
  exchange: Pick<Exchange, 'begin' | 'expireTokens'>
  pace: Pace
  /** Ends the case, which is then judged by the evidence so far. */
  signal: AbortSignal
  /** Called with the batch number once the run is released. */
  onRun(batchNumber: string): void
}

const reprintsFreeMaxUsual = 1_000

/**
 * Offers a run to the client and plays the platform's side until everything is shown, something is wrong or the time is
 * over.
 */
export async function playCase(
  conformanceCase: ConformanceCase,
  playing: Playing,
): Promise<PlayedCase> {
  const { platform, exchange, pace, signal, onRun } = playing
  const { id, title, documentCount, reprintsFreeMax = reprintsFreeMaxUsual } = conformanceCase
  const bell = createBell()
  // Until then the client must see nothing of the run.
  const run = await seedRun(platform, { documentCount, reprintsFreeMax })
  const startedMs = performance.now()
  const { batchNumber } = run
  const { expireTokens } = exchange
  const script = conformanceCase.script({ run, platform, pace, expireTokens })
  const { calls, end } = exchange.begin(run, script, bell.ring)
  onRun(batchNumber)
  const judge = async () => {
    const facts = await readRunFacts(platform.database, batchNumber)
    const judgement = conformanceCase.judge({ run, facts, calls, pace })
    return combine(judgement, { violations: checkCalls(calls, pace) })
  }

  let judgement: Judgement
  try {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(pace.timeoutSeconds * 1_000)])
    judgement = await watch(judge, { bell, deadline, settleMs: pace.settleSeconds * 1_000 })
  } finally {
    end()
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
  judge: () => Promise<Judgement>,
  { bell, deadline, settleMs }: { bell: Bell; deadline: AbortSignal; settleMs: number },
): Promise<Judgement> {
  const over = new Promise<void>((resolve) => {
    if (deadline.aborted) resolve()
    else deadline.addEventListener('abort', () => resolve(), { once: true })
  })
  for (;;) {
    const heard = bell.heard()
    const judgement = await judge()
    if (judgement.violations.length > 0 || deadline.aborted) return judgement
    if (judgement.outstanding.length === 0) {
      // Surplus calls arrive during this time.
      await pause(settleMs, undefined, { signal: deadline }).catch(() => {})
      return judge()
    }
    await Promise.race([heard, over])
  }
}

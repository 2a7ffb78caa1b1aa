import { allCases } from './all-cases.ts'
import type { ConformanceCase } from './conformance-case.ts'
import { createExchange, type Exchange, type KitRequest } from './exchange.ts'
import { startKitServer } from './kit-server.ts'
import type { Pace } from './pace.ts'
import { type Platform, type PlatformOptions, startPlatform } from './platform.ts'
import { type PlayedCase, playCase } from './play-case.ts'
import { refusedForNow } from './scripted-answers.ts'

export type ConformanceOptions = PlatformOptions & {
  /** Where the kit listens, and the base of its links to files. Port 0: any free port. */
  listen: { host: string; port: number }
  pace: Pace
  /** Default: all. */
  cases?: readonly ConformanceCase[]
  /** Ends the current case and plays no further one. */
  signal: AbortSignal
  /** Called with the address once the kit listens. */
  onListening?(baseUrl: string): void | Promise<void>
  onCase?(conformanceCase: ConformanceCase, batchNumber: string): void
  onPlayed?(played: PlayedCase): void
}

export type ConformanceOutcome = {
  startedAt: Date
  /** The cases that were played. */
  played: readonly PlayedCase[]
  isInterrupted: boolean
}

/**
 * Starts the platform and plays the cases against the client, one after the other. Answers 503 until the platform is
 * ready. Throws if it cannot listen on the address.
 */
export async function runConformance(options: ConformanceOptions): Promise<ConformanceOutcome> {
  const { listen, pace, cases = allCases, signal } = options
  const startedAt = new Date()
  const host = listen.host.includes(':') ? `[${listen.host}]` : listen.host
  const { answer: isStarting } = refusedForNow({ kind: '' }, { status: 503, ...pace })
  let exchange: Exchange | undefined
  const handle = async (request: KitRequest) => exchange?.handle(request) ?? isStarting
  // First, because an address that is in use is known at once.
  const server = await startKitServer({ handle }, listen)
  let platform: Platform | undefined
  const played: PlayedCase[] = []
  try {
    const baseUrl = `http://${host}:${server.port}`
    platform = await startPlatform(options)
    exchange = createExchange(platform, baseUrl)
    await options.onListening?.(baseUrl)
    for (const conformanceCase of cases) {
      if (signal.aborted) break
      const onRun = (batchNumber: string) => options.onCase?.(conformanceCase, batchNumber)
      const outcome = await playCase(conformanceCase, { platform, exchange, pace, signal, onRun })
      // A case that was interrupted before its first call is not reported.
      if (signal.aborted && outcome.calls.length === 0) break
      played.push(outcome)
      options.onPlayed?.(outcome)
    }
  } finally {
    await server.close()
    await platform?.close()
  }
  return { startedAt, played, isInterrupted: signal.aborted }
}

import { randomInt } from 'node:crypto'
import { allCases } from './all-cases.ts'
import type { ConformanceCase } from './conformance-case.ts'
import type { ConformanceCredentials } from './credentials.ts'
import { createExchange } from './exchange.ts'
import { type KitServer, startKitServer } from './kit-server.ts'
import type { Pace } from './pace.ts'
import { createPlatform } from './platform/platform.ts'
import { type PlayedCase, playCase } from './play-case.ts'

export type ConformanceOptions = {
  /** Where the kit listens, and the base of its links to files. Port 0: any free port. */
  listen: { host: string; port: number }
  credentials: ConformanceCredentials
  pace: Pace
  /** First part of the batch numbers. Default: a new random one. */
  prefix?: string
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

/** Plays the platform's side of the cases, one after the other. Throws if it cannot listen on the address. */
export async function runConformance(options: ConformanceOptions): Promise<ConformanceOutcome> {
  const { listen, credentials, pace, cases = allCases, signal } = options
  const { prefix = `CK${randomName()}` } = options
  const startedAt = new Date()
  const platform = createPlatform('', credentials)
  const exchange = await createExchange(platform)
  let server: KitServer | undefined
  const played: PlayedCase[] = []
  try {
    server = await startKitServer(exchange, listen)
    const host = listen.host.includes(':') ? `[${listen.host}]` : listen.host
    platform.baseUrl = `http://${host}:${server.port}`
    await options.onListening?.(platform.baseUrl)
    for (const conformanceCase of cases) {
      if (signal.aborted) break
      options.onCase?.(conformanceCase, `${prefix}-${conformanceCase.id}`)
      const outcome = await playCase(conformanceCase, { platform, exchange, pace, prefix, signal })
      // A case that was interrupted before its first call is not reported.
      if (signal.aborted && outcome.calls.length === 0) break
      played.push(outcome)
      options.onPlayed?.(outcome)
    }
  } finally {
    await server?.close()
    await exchange.close()
  }
  return { startedAt, played, isInterrupted: signal.aborted }
}

const letters = 'ABCDEFGHJKMNPQRSTVWXYZ23456789'
const nameLetters = 6

function randomName(): string {
  return Array.from({ length: nameLetters }, () => letters[randomInt(letters.length)]).join('')
}

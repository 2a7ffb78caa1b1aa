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
  /** Where the kit listens and under which it tells addresses of files. Port 0: any that is free. */
  listen: { host: string; port: number }
  credentials: ConformanceCredentials
  pace: Pace
  /** First part of the batch numbers; when absent, one that was never used before. */
  prefix?: string
  /** All when absent. */
  cases?: readonly ConformanceCase[]
  /** Ends the case that is played, and plays no other. */
  signal: AbortSignal
  /** Told when the kit listens, and where. */
  onListening?(baseUrl: string): void | Promise<void>
  onCase?(conformanceCase: ConformanceCase, batchNumber: string): void
  onPlayed?(played: PlayedCase): void
}

export type ConformanceOutcome = {
  startedAt: Date
  /** As far as they were played. */
  played: readonly PlayedCase[]
  isInterrupted: boolean
}

/** Plays the platform's side of the cases, one after the other. Throws when the address cannot be listened on. */
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
      // what was interrupted before anything could be said of it is not told
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

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { providerSimulatorConfig } from '@despatch/provider-simulator/config'
import type { Fetch } from '@despatch/provider-simulator/floor/losing-replies'
import {
  createProviderSimulator,
  type ProviderSimulator,
} from '@despatch/provider-simulator/service'
import { createLogger } from '@despatch/telemetry/logger'
import { cloneDatabase } from '@despatch/testing/clone-database'
import { inject } from 'vitest'
import { allCases } from '../../src/conformance/all-cases.ts'
import type { Pace } from '../../src/conformance/pace.ts'
import type { PlayedCase } from '../../src/conformance/play-case.ts'
import { type ConformanceOutcome, runConformance } from '../../src/conformance/run-conformance.ts'
import { credentials } from './a-play.ts'

const quickPace: Pace = {
  retryAfterSeconds: 1,
  leaseSeconds: 1,
  authorisationSeconds: 0.3,
  settleSeconds: 0.2,
  pollsPerSecondMax: 60,
  timeoutSeconds: 90,
}

export type Trial = {
  /** Numbers of the cases, in the order in which they are played. Default: all. */
  caseIds?: readonly string[]
  floor?: object
  pace?: Partial<Pace>
  /** Wraps the simulator's fetch, to turn it into another client. */
  wrap?(fetch: Fetch): Fetch
  /** Called before the client sees anything of a case. */
  onCase?(): void
  onPlayed?(played: PlayedCase): void
}

/** Plays cases against the simulator, on a free port. */
export async function tryOut(trial: Trial = {}): Promise<ConformanceOutcome> {
  const { caseIds = allCases.map(({ id }) => id), floor = {}, pace = {} } = trial
  const { wrap = (fetch) => fetch } = trial
  const directory = await mkdtemp(join(tmpdir(), 'conformance-'))
  const database = await cloneDatabase()
  let simulator: ProviderSimulator | undefined
  try {
    return await runConformance({
      listen: { host: '127.0.0.1', port: 0 },
      credentials,
      pace: { ...quickPace, ...pace },
      servers: { databaseUrl: database.url, objectStore: inject('infra').objectStore },
      // the simulator decides by name which documents it spoils, and with these names it spoils some
      numbersFrom: 1,
      cases: caseIds.map((id) => allCases.find((each) => each.id === id)!),
      signal: new AbortController().signal,
      onListening: async (baseUrl) => {
        const config = providerSimulatorConfig.parse({
          LOG_LEVEL: 'silent',
          DESPATCH_BASE_URL: baseUrl,
          DESPATCH_PROVIDER_USER_NAME: credentials.userName,
          DESPATCH_PROVIDER_PASSWORD: credentials.password,
          DESPATCH_PROVIDER_API_KEY: credentials.apiKey,
          DESPATCH_PROVIDER_DIRECTORY: directory,
          DESPATCH_SIMULATOR_FLOOR: JSON.stringify({
            pollIntervalMs: 300,
            printTimeMs: 0,
            ...floor,
          }),
        })
        simulator = await createProviderSimulator(config, {
          log: createLogger({
            service: 'provider-simulator',
            level: 'silent',
          }),
          fetch: wrap(globalThis.fetch),
        })
        simulator.start()
      },
      ...(trial.onCase && { onCase: trial.onCase }),
      ...(trial.onPlayed && { onPlayed: trial.onPlayed }),
    })
  } finally {
    await simulator?.close()
    await database.drop()
    await rm(directory, { recursive: true })
  }
}

/** Returns each case with its result, and the reason if it is not PASS. */
export function resultsOf({ played }: ConformanceOutcome): Record<string, string> {
  return Object.fromEntries(played.map((each) => [each.id, resultOf(each)]))
}

export function resultOf({ verdict: { result, reason } }: PlayedCase): string {
  return result === 'PASS' ? result : `${result}: ${reason}`
}

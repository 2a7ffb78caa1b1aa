import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DocumentOutcomes } from '@despatch/provider-simulator/document-outcomes'
import type { ProductionEvent } from '@despatch/provider-simulator/production'
import { createProviderSimulator } from '@despatch/provider-simulator/provider-simulator'
import type { Credential } from '@despatch/standalone/credentials'
import type { Logger } from '@despatch/telemetry/logger'

/** A line of the factory's own log of what it has printed. */
export type PrintedAttempt = { documentId: string; attempt: number; batchNumber: string }

const pollIntervalMs = 300
const printTimeMs = 1_000

/** Starts a print factory that looks for released print runs, prints and posts them, all over HTTP. */
export async function startPrintFactory({
  baseUrl,
  credential,
  directory,
  log,
  outcomeOf,
  onEvent,
}: {
  baseUrl: string
  credential: Credential
  directory: string
  log: Logger
  outcomeOf: DocumentOutcomes
  onEvent: (event: ProductionEvent) => void
}): Promise<AsyncDisposable> {
  const factory = await createProviderSimulator(
    {
      LOG_LEVEL: 'info',
      DESPATCH_BASE_URL: baseUrl,
      DESPATCH_PROVIDER_USER_NAME: credential.userName,
      DESPATCH_PROVIDER_PASSWORD: credential.password,
      DESPATCH_PROVIDER_API_KEY: credential.apiKey,
      DESPATCH_PROVIDER_DIRECTORY: directory,
      DESPATCH_PROVIDER_POLL_INTERVAL_MS: pollIntervalMs,
      DESPATCH_PROVIDER_PRINT_TIME_MS: printTimeMs,
    },
    { log, onEvent, outcomeOf },
  )
  factory.start()
  return { [Symbol.asyncDispose]: () => factory.close() }
}

/** Returns what a factory has logged as printed, in that order, including earlier demonstrations. */
export async function readPrintLog(directory: string): Promise<PrintedAttempt[]> {
  const text = await readFile(join(directory, 'print-log.ndjson'), 'utf8')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as PrintedAttempt)
}

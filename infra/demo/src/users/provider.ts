import { createHash } from 'node:crypto'
import type { ProductionEvent } from '@despatch/provider-simulator/production'
import { createProviderSimulator } from '@despatch/provider-simulator/provider-simulator'
import type { Credential } from '@despatch/standalone/credentials'
import type { Logger } from '@despatch/telemetry/logger'
import { fetchOrExplain } from '../fetch-or-explain.ts'
import type { Session } from './session.ts'

export type Manifest = {
  batchNumber: string
  totals: { documentCount: number; sheetCount: number; pageCount: number; byteCount: number }
  documents: ManifestDocument[]
}

export type ManifestDocument = {
  documentId: string
  sheets: number
  pages: number
  bytes: number
  sha256: string
  content: string
}

export type FetchedDocument = ManifestDocument & { pdf: Uint8Array }

const pollIntervalMs = 300
const printTimeMs = 1_000
const downloadDeadlineMs = 15_000

/** Starts a print factory that looks for released print runs, prints and posts them, all over HTTP. */
export async function startPrintFactory({
  baseUrl,
  credential,
  directory,
  log,
  onEvent,
}: {
  baseUrl: string
  credential: Credential
  directory: string
  log: Logger
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
    { log, onEvent },
  )
  factory.start()
  return { [Symbol.asyncDispose]: () => factory.close() }
}

/** What the factory has done, in a line; undefined for what is too small to tell. */
export function describeProduction(event: ProductionEvent): string | undefined {
  const run = `print run ${event.batchNumber}`
  switch (event.kind) {
    case 'claimed':
      return `claimed ${run} with ${count(event.documentCount, 'document')}`
    case 'acknowledged':
      return `checked, acknowledged and prints ${run}`
    case 'posted':
      return `posted ${run}: ${count(event.documentCount, 'envelope')}`
    case 'refused':
      return `refused document ${event.documentId}: ${event.reasonCode}`
    case 'spoiled':
      return `spoiled document ${event.documentId} and asks to print it again`
    case 'reprinted':
      return `printed document ${event.documentId} again: attempt ${event.attempt}`
    case 'failed':
      return `cannot print document ${event.documentId}: ${event.reasonCode}`
    case 'recalled':
      return `took document ${event.documentId} out, as asked`
    case 'returned':
      return `got document ${event.documentId} back: ${event.reasonCode}`
    case 'closed':
      return `closed ${run}: ${count(event.documentCount, 'document')} accounted for`
    case 'fetched':
    case 'printed':
      return undefined
  }
}

export async function readManifest(session: Session, batchNumber: string): Promise<Manifest> {
  const path = `/print-fulfilment/v1/print-runs/${batchNumber}/manifest`
  return (await session.expect(200, { path })).body as Manifest
}

/** Fetches a document from where the interface says it is. Throws when it is not the one of the manifest. */
export async function fetchDocument(
  session: Session,
  document: ManifestDocument,
  signal: AbortSignal,
): Promise<FetchedDocument> {
  const { headers } = await session.expect(303, { path: document.content })
  const response = await fetchOrExplain('fetching a document', headers.get('location') ?? '', {
    signal: AbortSignal.any([signal, AbortSignal.timeout(downloadDeadlineMs)]),
  })
  if (!response.ok) throw new Error(`the object store answered ${response.status}`)
  const pdf = await response.bytes()
  const sha256 = createHash('sha256').update(pdf).digest('hex')
  if (sha256 !== document.sha256 || pdf.length !== document.bytes) {
    throw new Error(`document ${document.documentId} is not the one that the manifest names`)
  }
  return { ...document, pdf }
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

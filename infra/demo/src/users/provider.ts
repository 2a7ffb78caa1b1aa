import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { ManifestResponse } from '@despatch/contracts/print-fulfilment/manifest'
import type { ReconciliationResponse } from '@despatch/contracts/print-fulfilment/reconciliation'
import { fetchOrExplain } from '../fetch-or-explain.ts'
import type { Session } from './session.ts'

type FulfilmentJob = ManifestResponse['fulfilmentJobs'][number]
type ManifestDocument = ManifestResponse['documents'][number]

export type FetchedDocument = ManifestDocument & { pdf: Uint8Array }

const runsPath = '/print-fulfilment/v1/print-runs'
const downloadDeadlineMs = 15_000
const pollIntervalMs = 200

export async function readManifest(
  session: Session,
  batchNumber: string,
): Promise<ManifestResponse> {
  const path = `${runsPath}/${batchNumber}/manifest`
  return (await session.expect(200, { path })).body as ManifestResponse
}

/** Returns the reconciliation of a print run once the run is closed. Throws the signal's reason if it aborts first. */
export async function readFinalReconciliation(
  session: Session,
  batchNumber: string,
  signal: AbortSignal,
): Promise<ReconciliationResponse> {
  const path = `${runsPath}/${batchNumber}/reconciliation`
  for (;;) {
    const account = (await session.expect(200, { path })).body as ReconciliationResponse
    if (account.state === 'CLOSED') return account
    await pause(pollIntervalMs, undefined, { signal }).catch(() => signal.throwIfAborted())
  }
}

/** Fetches a document from the address in the manifest. Throws if its bytes differ from the manifest. */
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

/** Fetches all documents of a fulfilment job as one PDF. */
export async function fetchPrintStream(session: Session, job: FulfilmentJob): Promise<Uint8Array> {
  const { body } = await session.expect(200, { path: job.printStream })
  if (!(body instanceof Uint8Array)) throw new Error(`${job.printStream} is no PDF`)
  return body
}

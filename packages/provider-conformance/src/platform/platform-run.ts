import type { DocumentOutcome, DocumentState } from '@despatch/domain/print-run/document-progress'
import type { ItemEventType } from '@despatch/domain/print-run/item-event'
import type { MailFormat } from '@despatch/domain/print-run/mail-format'
import type { ManifestDocument, ManifestRun } from '@despatch/domain/print-run/manifest-digest'
import {
  type AcknowledgedState,
  type PrintRunState,
  type ReconciliationCounts,
  stateOfWork,
} from '@despatch/domain/print-run/state'

/** A document of the kit, with its file. */
export type PlatformDocument = ManifestDocument & {
  file: Uint8Array
  /** Withdrawn before the claim, so it is in no manifest. */
  isWithdrawn: boolean
  standing: DocumentState
  postingId?: string
}

export type KeptEvent = {
  documentId: string
  attempt: number
  type: ItemEventType
  fingerprint: string
}

export type Reprint = {
  documentId: string
  fulfilmentJobId: string
  attempt: number
  state: 'WAITING' | 'AUTHORISED' | 'REFUSED'
  reasonCode: string
  requestedAt: Date
  decidedAt?: Date
}

export type Recall = {
  recallId: string
  documentIds: readonly string[]
  state: 'OPEN' | 'ACCEPTED' | 'PARTLY_ACCEPTED' | 'REJECTED'
  tooLate: readonly string[]
  requestedAt: Date
  answeredAt?: Date
}

/** How a case deviates from the normal behaviour. */
export type Quirks = {
  /** How many further manifests are corrupted. */
  corruptedManifests?: number
  /** How long a lease lasts, whatever the provider requests. */
  leaseSeconds?: number
  /** How long a reprint waits. Default: it is authorised at once. */
  authorisationSeconds?: number
  /** A document that is lost when the first posting that contains it is confirmed. */
  lostDocumentId?: string
  /** A document whose first event is refused every time it is sent. */
  eventRefusedOf?: string
  refusedEventId?: string
}

/** A print run in the kit: in memory, for one case. */
export type PlatformRun = ManifestRun & {
  format: MailFormat
  printEpoch: number
  releasedAt: Date
  manifestVersion: number
  documents: PlatformDocument[]
  /** False once its case is over; then it is no longer listed. */
  isOffered: boolean
  quirks: Quirks
  claims: Map<string, { fingerprint: string; response: Uint8Array }>
  claimedAt?: Date
  leaseUntil?: Date
  acknowledgement?: {
    fingerprint: string
    state: AcknowledgedState
    refusedCount: number
    at: Date
  }
  events: Map<string, KeptEvent>
  reprints: Reprint[]
  recalls: Recall[]
  closedAt?: Date
}

export function liveDocuments({ documents }: PlatformRun): PlatformDocument[] {
  return documents.filter(({ isWithdrawn }) => !isWithdrawn)
}

export function findDocument(run: PlatformRun, documentId: string): PlatformDocument | undefined {
  return liveDocuments(run).find((document) => document.documentId === documentId)
}

export function totalsOf(documents: readonly ManifestDocument[]) {
  const sum = (member: 'sheets' | 'pages' | 'bytes') =>
    documents.reduce((total, document) => total + document[member], 0)
  return {
    documentCount: documents.length,
    sheetCount: sum('sheets'),
    pageCount: sum('pages'),
    byteCount: sum('bytes'),
  }
}

/** Returns the state as a provider sees it. An unacknowledged run whose lease has expired is offered again. */
export function stateOf(run: PlatformRun, now: Date): Exclude<PrintRunState, 'OPEN'> {
  if (run.closedAt) return 'CLOSED'
  if (!run.claimedAt || !run.leaseUntil) return 'RELEASED'
  if (!run.acknowledgement) return run.leaseUntil > now ? 'CLAIMED' : 'RELEASED'
  const hasReport =
    run.events.size > 0 || liveDocuments(run).some(({ postingId }) => postingId !== undefined)
  return hasReport ? stateOfWork(reconciliationCountsOf(run)) : run.acknowledgement.state
}

export function reconciliationCountsOf(run: PlatformRun): ReconciliationCounts {
  const documents = liveDocuments(run)
  const count = (outcome: DocumentOutcome) =>
    documents.filter(({ standing }) => standing.outcome === outcome).length
  return {
    expected: documents.length,
    despatched: count('DESPATCHED'),
    refused: count('REFUSED'),
    failed: count('FAILED'),
    recalled: count('RECALLED'),
    posted: missingDocuments(run).filter(({ postingId }) => postingId !== undefined).length,
  }
}

/** Returns the documents without an outcome. */
export function missingDocuments(run: PlatformRun): PlatformDocument[] {
  return liveDocuments(run).filter(({ standing }) => standing.outcome === null)
}

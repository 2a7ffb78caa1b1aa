import type { Open } from './open.ts'
import type { DespatchMethod, DespatchProperty } from './print-job.ts'

export type PrintRunState = Open<
  | 'RELEASED'
  | 'CLAIMED'
  | 'ACCEPTED'
  | 'ACCEPTED_WITH_EXCEPTIONS'
  | 'REFUSED'
  | 'IN_PRODUCTION'
  | 'POSTED'
  | 'RECONCILED'
  | 'CLOSED'
  | 'VOIDED'
>

export type Totals = {
  documentCount: number
  sheetCount: number
  pageCount: number
  byteCount: number
}

/** What the documents of a print run have in common. */
export type ProductionStream = {
  printLocation: string
  despatchMethod: DespatchMethod | 'SECOND'
  format: Open<'LETTER' | 'LARGE_LETTER'>
  stationery: string
  plex: Open<'simplex' | 'duplex'>
  colour: boolean
}

export type PrintRun = ProductionStream &
  Totals & {
    batchNumber: string
    /** RELEASED again if the lease expires before the acknowledgement. The run stays frozen. */
    state: PrintRunState
    printEpoch: number
    expectedDespatchDate?: string | undefined
    manifestVersion: number
    releasedAt: string
    claimedAt?: string | undefined
    leaseUntil?: string | undefined
    acknowledgedAt?: string | undefined
    postedAt?: string | undefined
    closedAt?: string | undefined
  }

export type PrintRunFilter = {
  /** Absent: all but VOIDED. */
  state?: PrintRunState | undefined
  printLocation?: string | undefined
  despatchMethod?: DespatchMethod | 'SECOND' | undefined
}

export type Claim = Totals & {
  batchNumber: string
  state: Open<'CLAIMED'>
  claimedAt: string
  /** Acknowledge the run before this time, or renew the lease. */
  leaseUntil: string
  manifestVersion: number
  manifestDigest: string
  manifest: string
}

export type Lease = { batchNumber: string; leaseUntil: string }

export type FulfilmentJob = {
  fulfilmentJobId: string
  documentCount: number
  sheetCount: number
  firstSequence: number
  lastSequence: number
  /** Path of a ZIP with all files. */
  documentsZip: string
  /** Path of one PDF with all documents in order. */
  printStream: string
  templateData?: string | undefined
}

export type ManifestDocument = {
  sequence: number
  documentId: string
  fulfilmentJobId: string
  /** A document is printed once for each attempt. */
  attempt: number
  sheets: number
  pages: number
  weightGrams: number
  weightBandGrams?: number | undefined
  plex: ProductionStream['plex']
  stationery: string
  despatchMethod: ProductionStream['despatchMethod']
  postageClass: string
  mailingProduct: string
  /** In lower-case hexadecimal. */
  sha256: string
  bytes: number
  /** Path of the file. */
  content: string
}

/** The frozen list of a claimed print run. */
export type Manifest = ProductionStream & {
  batchNumber: string
  manifestVersion: number
  manifestDigest: string
  digestRule: string
  printEpoch: number
  expectedDespatchDate?: string | undefined
  totals: Totals
  fulfilmentJobs: FulfilmentJob[]
  documents: ManifestDocument[]
}

export type Acknowledgement = {
  documentCount: number
  sheetCount: number
  /** As you computed it. */
  manifestDigest: string
  /** Documents that you cannot print. The reason is shown to their sender. */
  refusals?: { documentId: string; reasonCode: string; reason: string }[] | undefined
  /** Refuses the run as a whole. No letter is rejected, and an operator moves the run. */
  refusal?: { reasonCode: string; reason: string } | undefined
}

export type AcknowledgedRun = {
  batchNumber: string
  state: Open<'ACCEPTED' | 'ACCEPTED_WITH_EXCEPTIONS' | 'REFUSED'>
  acceptedCount: number
  refusedCount: number
  acknowledgedAt: string
}

export type ItemEvent = {
  /** Names this event for ever: derive it from what happened. */
  eventId: string
  documentId: string
  attempt: number
  type: Open<'FETCHED' | 'PRINTED' | 'ENCLOSED' | 'DIVERTED' | 'SPOILED' | 'FAILED'>
  occurredAt: string
  serialNumber?: string | undefined
  despatchProperties?: DespatchProperty[] | undefined
  /** Required with DIVERTED, SPOILED and FAILED. */
  reasonCode?: string | undefined
  reason?: string | undefined
}

export type ItemEventResult = {
  eventId: string
  result: Open<'APPLIED' | 'RECORDED' | 'DUPLICATE' | 'REFUSED'>
  refusal?:
    | Open<
        | 'unknown-document'
        | 'event-id-reused'
        | 'attempt-not-authorised'
        | 'already-reported'
        | 'not-spoilable'
        | 'not-failable'
        | 'not-in-production'
        | 'serial-number-taken'
        | 'serial-number-not-in-stock'
      >
    | undefined
  detail?: string | undefined
}

export type ReprintState = Open<'WAITING' | 'AUTHORISED' | 'REFUSED'>

export type Reprint = {
  documentId: string
  fulfilmentJobId: string
  attempt: number
  /** Print it only when it is AUTHORISED. */
  state: ReprintState
  reasonCode: string
  sheets: number
  pages: number
  sha256: string
  content: string
  requestedAt: string
  decidedAt?: string | undefined
}

export type RecallState = Open<'OPEN' | 'ACCEPTED' | 'PARTLY_ACCEPTED' | 'REJECTED'>

export type RecallRequest = {
  recallId: string
  batchNumber: string
  state: RecallState
  reason: string
  documents: { documentId: string; state: Open<'ASKED' | 'RECALLED' | 'TOO_LATE'> }[]
  requestedAt: string
  answeredAt?: string | undefined
}

/** What a carrier counted: one class and format, in one weight band or of all weights. */
export type PostingCount = {
  despatchMethod: ProductionStream['despatchMethod']
  format: ProductionStream['format']
  /** The upper end of the band, as the carrier weighed. */
  weightBandGrams?: number | undefined
  documentCount: number
}

export type PostingRequest = {
  /** For one run. `printRuns` replaces it and `documentIds`. */
  batchNumber?: string | undefined
  /** Absent: all documents of the run that can be posted and are in no other posting. */
  documentIds?: string[] | undefined
  printRuns?: { batchNumber: string; documentIds?: string[] | undefined }[] | undefined
  carrier: string
  handoverAt: string
  manifestNumber?: string | undefined
  /** What the carrier counted. If a class has another number of documents, nothing is saved. */
  counts?: PostingCount[] | undefined
  despatchProperties?: DespatchProperty[] | undefined
  documents?:
    | {
        documentId: string
        serialNumber?: string | undefined
        despatchProperties?: DespatchProperty[] | undefined
      }[]
    | undefined
}

export type Posting = {
  postingId: string
  batchNumber?: string | undefined
  printRuns: { batchNumber: string; documentCount: number; sheetCount: number }[]
  state: Open<'SAVED' | 'CONFIRMED'>
  carrier: string
  handoverAt: string
  manifestNumber?: string | undefined
  documentCount: number
  sheetCount: number
  /** `estimatedCount`: documents in this weight band by the estimate of Despatch. */
  counts?: (PostingCount & { estimatedCount?: number | undefined })[] | undefined
  evidence: { evidenceId: string; fileName: string; mediaType: string; createdAt: string }[]
  createdAt: string
  confirmedAt?: string | undefined
}

/** The outcome of the documents of a run. */
export type OutcomeCounts = {
  expected: number
  despatched: number
  refused: number
  failed: number
  recalled: number
  missing: number
}

export type Reconciliation = OutcomeCounts & {
  batchNumber: string
  state: string
  reprints: number
  waitingReprints: number
  isBalanced: boolean
  /** The first page of the missing documents. */
  missingDocuments: {
    documentId: string
    sequence: number
    attempt: number
    progress: Open<'NONE' | 'FETCHED' | 'PRINTED' | 'ENCLOSED' | 'SPOILED'>
    isPosted: boolean
  }[]
  nextCursor?: string | undefined
}

export type ClosedRun = OutcomeCounts & {
  batchNumber: string
  state: Open<'CLOSED'>
  closedAt: string
}

export type ReturnedLetter = {
  returnId: string
  /** Or `mailmarkItemId`. */
  documentId?: string | undefined
  mailmarkItemId?: string | undefined
  reasonCode: Open<'R01' | 'R02' | 'R03' | 'R04' | 'R05' | 'R06' | 'R07' | 'R08' | 'R09' | 'R10'>
  disposition: Open<'DESTROYED' | 'FORWARDED'>
  scannedAt: string
}

export type ReturnResult = {
  returnId: string
  result: Open<'RECORDED' | 'DUPLICATE' | 'REFUSED'>
  refusal?:
    | Open<'unknown-document' | 'not-despatched' | 'return-id-reused' | 'already-returned'>
    | undefined
  detail?: string | undefined
}

export type Provider = {
  providerId: string
  name: string
  exchange: Open<'http' | 'file-drop'>
  printLocations: string[]
  roles: string[]
  serverTime: string
  clockSkewSeconds?: number | undefined
}

import type { RecallRequest } from '@despatch/client/print-run'
import type { ProviderClient } from '@despatch/client/provider-client'
import type { Logger } from '@despatch/telemetry/logger'
import type { CrashPoint } from '../floor/crash-points.ts'
import type { DocumentOutcomes } from '../floor/document-outcomes.ts'
import type { Pace } from '../floor/pace.ts'
import type { FloorSettings } from '../floor/settings.ts'
import type { PrintLog } from './print-log.ts'
import type { RunBook, RunInHand } from './run-book.ts'

/** An event on the floor. */
export type ProductionEvent = { batchNumber: string } & (
  | {
      kind: 'offered'
      expectedDespatchDate?: string | undefined
      documentCount: number
      sheetCount: number
    }
  | { kind: 'claimed'; documentCount: number; manifestDigest: string; leaseUntil: string }
  | { kind: 'fetched'; documentId: string; bytes: number }
  | { kind: 'acknowledged'; refusedCount: number }
  | { kind: 'refused'; documentId: string; reasonCode: string; reason: string }
  | { kind: 'printed'; documentId: string; sheets: number }
  | { kind: 'spoiled'; documentId: string; attempt: number; reasonCode: string; reason: string }
  | { kind: 'reprint-authorised'; documentId: string; attempt: number }
  | { kind: 'reprinted'; documentId: string; attempt: number; sheets: number }
  | { kind: 'failed'; documentId: string; reasonCode: string }
  | { kind: 'recalled'; documentId: string }
  | { kind: 'posted'; documentCount: number; carrier: string; manifestNumber: string }
  | { kind: 'returned'; documentId: string; reasonCode: string }
  | { kind: 'closed'; documentCount: number }
)

/** What the stages of production work with. */
export type Production = {
  client: ProviderClient
  outcomeOf: DocumentOutcomes
  settings: FloorSettings
  runBook: RunBook
  printLog: PrintLog
  pace: Pace
  /** The factory's clock, which may be wrong. */
  clock: () => Date
  /** Returns the recalls that were open at the last look for work. */
  openRecalls: () => readonly RecallRequest[]
  log: Logger
  signal: AbortSignal
  onEvent: (event: ProductionEvent) => void
  /** Throws Crashed if the factory must crash at this point. */
  reach(point: CrashPoint, run: RunInHand): Promise<void>
}

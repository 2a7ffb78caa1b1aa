import type { AcknowledgementResponse } from '@despatch/contracts/print-fulfilment/acknowledgement'
import type { ClaimResponse } from '@despatch/contracts/print-fulfilment/claim'
import type {
  ItemEventsRequest,
  ItemEventsResponse,
} from '@despatch/contracts/print-fulfilment/item-event'
import type { PostingResponse } from '@despatch/contracts/print-fulfilment/posting'
import { itemEventsMax } from '@despatch/domain/print-run/item-event'
import type { Database } from '@despatch/store/database'
import { gatherAndRelease } from '@despatch/testing/gather-and-release'
import { timed } from '../statistics.ts'
import type { FulfilmentClient } from './fulfilment-side.ts'

/** The same values as in the pipeline. */
const jobsMax = 5_000
const runAgeMs = 900_000

/**
 * Gathers the PENDING print jobs into one run, pass by pass as the pipeline does, and releases it because it is full.
 */
export async function buildRun({ db }: Database, documentsMax: number): Promise<string> {
  const released: string[] = []
  let isMore = true
  while (isMore && released.length === 0) {
    const options = { documentsMax, jobsMax, runAgeMs }
    const pass = await gatherAndRelease(db, options)
    released.push(...pass.released)
    isMore = pass.isMore
  }
  const [batchNumber] = released
  if (!batchNumber) throw new Error(`No run of ${documentsMax} documents was released`)
  return batchNumber
}

export function claimRun({ post }: FulfilmentClient, batchNumber: string): Promise<ClaimResponse> {
  return post(`/print-runs/${batchNumber}/claim`, { body: {}, key: `claim ${batchNumber}` })
}

export type WorkFigures = {
  acknowledgeSeconds: number
  /** Each call reports 2,500 events, or as many as there are documents. */
  eventCallsPerSecond: number
  postSeconds: number
  confirmSeconds: number
}

/** Acknowledges a claimed run, reports part of it as printed, posts all of it and confirms the posting. */
export async function workOff(
  side: FulfilmentClient,
  claim: ClaimResponse,
  { documentIds, eventCalls }: { documentIds: readonly string[]; eventCalls: number },
): Promise<WorkFigures> {
  const { batchNumber, documentCount, sheetCount, manifestDigest } = claim
  const run = `/print-runs/${batchNumber}`
  const acknowledgement = { documentCount, sheetCount, manifestDigest }
  const [acknowledgeSeconds] = await timed(() =>
    side.post<AcknowledgementResponse>(`${run}/acknowledgement`, { body: acknowledgement }),
  )

  const reports = Array.from({ length: eventCalls }, (_, call) =>
    printedReport(documentIds.slice(call * itemEventsMax, (call + 1) * itemEventsMax)),
  ).filter(({ events }) => events.length > 0)
  const [eventSeconds] = await timed(async () => {
    for (const body of reports) {
      const { results } = await side.post<ItemEventsResponse>(`${run}/events`, { body })
      if (results.some(({ result }) => result !== 'APPLIED'))
        throw new Error('An event was refused')
    }
  })

  const posting = { batchNumber, carrier: 'Royal Mail', handoverAt: '2026-11-20T17:00:00Z' }
  const [postSeconds, { postingId }] = await timed(() =>
    side.post<PostingResponse>('/postings', { body: posting, key: `posting ${batchNumber}` }),
  )
  const [confirmSeconds, confirmed] = await timed(() =>
    side.post<PostingResponse>(`/postings/${postingId}/confirm`),
  )
  if (confirmed.documentCount !== documentCount) throw new Error('Not all documents were posted')
  return {
    acknowledgeSeconds,
    eventCallsPerSecond: reports.length / eventSeconds,
    postSeconds,
    confirmSeconds,
  }
}

function printedReport(documentIds: readonly string[]): ItemEventsRequest {
  return {
    events: documentIds.map((documentId) => ({
      eventId: `printed ${documentId}`,
      documentId,
      attempt: 1,
      type: 'PRINTED',
      occurredAt: '2026-11-20T15:00:00Z',
    })),
  }
}

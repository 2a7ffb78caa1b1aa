import type { AcknowledgementResponse } from '@despatch/contracts/print-fulfilment/acknowledgement'
import type { ClaimResponse } from '@despatch/contracts/print-fulfilment/claim'
import type {
  ItemEventsRequest,
  ItemEventsResponse,
} from '@despatch/contracts/print-fulfilment/item-event'
import type { PostingResponse } from '@despatch/contracts/print-fulfilment/posting'
import { itemEventsMax } from '@despatch/domain/print-run/item-event'
import type { FulfilmentClient } from './fulfilment-side.ts'

export function claimRun({ post }: FulfilmentClient, batchNumber: string): Promise<ClaimResponse> {
  return post(`/print-runs/${batchNumber}/claim`, { body: {}, key: `claim ${batchNumber}` })
}

/** Acknowledges a claimed run, reports all of it as printed, posts it and confirms the posting. */
export async function workOff(
  side: FulfilmentClient,
  { batchNumber, documentCount, sheetCount, manifestDigest }: ClaimResponse,
  documentIds: readonly string[],
): Promise<void> {
  const run = `/print-runs/${batchNumber}`
  const acknowledgement = { documentCount, sheetCount, manifestDigest }
  await side.post<AcknowledgementResponse>(`${run}/acknowledgement`, { body: acknowledgement })
  for (let first = 0; first < documentIds.length; first += itemEventsMax) {
    const body = printedReport(documentIds.slice(first, first + itemEventsMax))
    const { results } = await side.post<ItemEventsResponse>(`${run}/events`, { body })
    if (results.some(({ result }) => result !== 'APPLIED')) throw new Error('An event was refused')
  }
  const posting = { batchNumber, carrier: 'Royal Mail', handoverAt: '2026-11-20T17:00:00Z' }
  const key = `posting ${batchNumber}`
  const { postingId } = await side.post<PostingResponse>('/postings', { body: posting, key })
  const confirmed = await side.post<PostingResponse>(`/postings/${postingId}/confirm`)
  if (confirmed.documentCount !== documentCount) throw new Error('Not all documents were posted')
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

import { decideReturn } from '../floor/decide-document.ts'
import { inParts } from '../floor/in-parts.ts'
import type { Production } from '../print-run/production.ts'
import type { PostingRecord, RunInHand } from '../print-run/run-book.ts'

const returnsPerCallMax = 2_500

/** Reports the letters of a confirmed posting that come back. A repeated report is the same. */
export async function reportReturns(
  { batchNumber, record }: RunInHand,
  { documentIds, handoverAt }: PostingRecord,
  { client, settings, log, onEvent }: Production,
): Promise<void> {
  const returned = documentIds.flatMap((documentId) => {
    const order = record.orders?.[documentId] ?? { outcome: 'print' }
    const reasonCode = decideReturn(documentId, order, settings)
    return reasonCode === undefined ? [] : [{ documentId, reasonCode }]
  })
  for (const part of inParts(returned, returnsPerCallMax)) {
    const returns = part.map((letter) => ({
      ...letter,
      returnId: `${batchNumber}-${letter.documentId}`,
      disposition: 'DESTROYED' as const,
      scannedAt: handoverAt,
    }))
    const results = await client.reportReturns(returns)
    const refusedCount = results.filter(({ result }) => result === 'REFUSED').length
    if (refusedCount > 0) log.warn({ batchNumber, refusedCount }, 'returns.refused')
  }
  for (const letter of returned) onEvent({ kind: 'returned', batchNumber, ...letter })
}

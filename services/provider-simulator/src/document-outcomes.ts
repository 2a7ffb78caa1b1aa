import type { ApiSession } from './api-session.ts'
import type { DocumentOrder } from './decide-document.ts'

export type DocumentOutcomes = (documentId: string) => Promise<DocumentOrder>

/**
 * Returns a function that finds the order for each document. It asks the test environment at `address`. Without an
 * address, every document is printed.
 */
export function createDocumentOutcomes(
  session: Pick<ApiSession, 'download'>,
  address: string | undefined,
): DocumentOutcomes {
  if (address === undefined) return async () => ({ outcome: 'print' })
  return async (documentId) => {
    const content = await session.download(`${address}/${encodeURIComponent(documentId)}`)
    return JSON.parse(new TextDecoder().decode(content)) as DocumentOrder
  }
}

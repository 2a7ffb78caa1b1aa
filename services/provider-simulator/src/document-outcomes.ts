import type { Session } from '@despatch/client/session'
import type { DocumentOrder } from './decide-document.ts'
import { download } from './fulfilment-client.ts'

export type DocumentOutcomes = (documentId: string) => Promise<DocumentOrder>

/**
 * Returns a function that finds the order for each document. It asks the test environment at `address`. Without an
 * address, every document is printed.
 */
export function createDocumentOutcomes(
  session: Pick<Session, 'outside'>,
  address: string | undefined,
): DocumentOutcomes {
  if (address === undefined) return async () => ({ outcome: 'print' })
  return async (documentId) => {
    const content = await download(session, `${address}/${encodeURIComponent(documentId)}`)
    return JSON.parse(new TextDecoder().decode(content)) as DocumentOrder
  }
}

import type { Session } from '@despatch/client/session'
import type { DocumentOrder } from './decide-document.ts'

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
    return session.outside(`${address}/${encodeURIComponent(documentId)}`, {
      init: () => ({}),
      read: async (response) => (await response.json()) as DocumentOrder,
    })
  }
}

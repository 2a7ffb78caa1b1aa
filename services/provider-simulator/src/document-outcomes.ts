import type { ApiSession } from './api-session.ts'
import type { Refusal } from './fulfilment-client.ts'

/** What is done with a document. `hold`: it is printed and never handed over. */
export type DocumentOutcome =
  | { outcome: 'print' | 'hold' }
  | ({ outcome: 'refuse' } & Pick<Refusal, 'reasonCode' | 'reason'>)

export type DocumentOutcomes = (documentId: string) => Promise<DocumentOutcome>

/** Without an address every document is printed; with one, it is asked what a test environment has in store for each. */
export function createDocumentOutcomes(
  session: Pick<ApiSession, 'download'>,
  address: string | undefined,
): DocumentOutcomes {
  if (address === undefined) return async () => ({ outcome: 'print' })
  return async (documentId) => {
    const response = await session.download(`${address}/${encodeURIComponent(documentId)}`)
    return (await response.json()) as DocumentOutcome
  }
}

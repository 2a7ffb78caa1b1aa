import { getPrintOutcome as operation } from '@despatch/contracts/uat/operations'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { providerOutcome } from '@despatch/uat-scenarios/print-scenarios'

export type GetPrintOutcomeContext = {
  /** The recipient of a document, who is told to nobody; undefined when there is no such document. */
  findRecipient(documentId: string): Promise<string | undefined>
}

/** GET /uat/print-outcomes/{documentId}: what a simulated print provider is to do with the document. */
export function getPrintOutcome(api: Api, { findRecipient }: GetPrintOutcomeContext): void {
  api.route({
    ...operation,
    config: { open: true },
    handler: async ({ params: { documentId } }) => {
      const recipientName = await findRecipient(documentId)
      if (recipientName === undefined) {
        throw new Problem('document-not-found', `No document ${documentId}`)
      }
      const provider = providerOutcome(recipientName)
      if (provider.kind !== 'refuse') return { outcome: provider.kind }
      const { kind: outcome, reasonCode, reason } = provider
      return { outcome, reasonCode, reason }
    },
  })
}

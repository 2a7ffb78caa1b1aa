import {
  getPrintOutcome as operation,
  type PrintOutcomeResponse,
} from '@despatch/contracts/uat/operations'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { type ProviderOutcome, providerOutcome } from '@despatch/uat-scenarios/print-scenarios'

export type GetPrintOutcomeContext = {
  /**
   * Returns the recipient of a document, or undefined if there is no such document. The response does not contain the
   * recipient.
   */
  findRecipient(documentId: string): Promise<string | undefined>
}

/** GET /uat/print-outcomes/{documentId}: returns what a simulated print provider must do with the document. */
export function getPrintOutcome(api: Api, { findRecipient }: GetPrintOutcomeContext): void {
  api.route({
    ...operation,
    config: { open: true },
    handler: async ({ params: { documentId } }) => {
      const recipientName = await findRecipient(documentId)
      if (recipientName === undefined) {
        throw new Problem('document-not-found', `No document ${documentId}`)
      }
      return renderOutcome(providerOutcome(recipientName))
    },
  })
}

function renderOutcome(provider: ProviderOutcome): PrintOutcomeResponse {
  switch (provider.kind) {
    case 'print':
    case 'hold':
      return { outcome: provider.kind }
    case 'return':
      return { outcome: 'return', reasonCode: provider.reasonCode }
    case 'refuse':
    case 'spoil':
    case 'fail':
      return {
        outcome: provider.kind,
        reasonCode: provider.reasonCode,
        reason: provider.reason,
      }
  }
}

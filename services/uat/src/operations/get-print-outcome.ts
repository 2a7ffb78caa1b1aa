import {
  getPrintOutcome as operation,
  type PrintOutcomeResponse,
} from '@despatch/contracts/uat/operations'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { type ProviderOutcome, providerOutcome } from '@despatch/uat-scenarios/print-scenarios'
import { sql } from 'kysely'

/**
 * GET /uat/print-outcomes/{documentId}: returns what a simulated print provider must do with the document. The response
 * does not contain the recipient.
 */
export function getPrintOutcome(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    config: { open: true },
    handler: async ({ params: { documentId } }) => {
      const recipientName = await findRecipient(db, documentId)
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

/** Finds the recipientName of the print job of a document. Returns undefined if there is no such document. */
async function findRecipient(db: Db, documentId: string): Promise<string | undefined> {
  const { rows } = await sql<{ recipientName: string }>`
    select job.standard_params ->> 'recipientName' as "recipientName"
    from print_run_document document join print_job job on job.key = document.print_job_key
    where document.document_id = ${documentId}`.execute(db)
  return rows[0]?.recipientName
}

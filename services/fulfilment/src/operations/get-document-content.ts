import { getDocumentContent as operation } from '@despatch/contracts/print-fulfilment/operations'
import { documentNotFound } from '@despatch/contracts/print-fulfilment/problems'
import type { Api } from '@despatch/http/api'
import { documentKey } from '@despatch/object-store/keys'
import type { ObjectStore } from '@despatch/object-store/object-store'
import { prepared } from '@despatch/postgres/prepared'
import type { Db } from '@despatch/store/database'
import type { PrintRunRef } from '@despatch/store/print-run/lock'
import { sql } from 'kysely'
import { providerOf } from '../request/provider-of.ts'

type ContentContext = {
  db: Db
  objects: Pick<ObjectStore, 'downloadAddress'>
}

/** Short, because the address works for anyone who has it. A transfer that has begun may take longer. */
export const linkSeconds = 300

/**
 * GET and HEAD /print-runs/{batchNumber}/documents/{documentId}/content: redirects to an address of the file that
 * expires soon.
 */
export function getDocumentContent(api: Api, { db, objects }: ContentContext): void {
  api.route({
    ...operation,
    exposeHeadRoute: true,
    handler: async (request, reply) => {
      const { batchNumber, documentId } = request.params
      const providerId = providerOf(request.caller)
      const sha256 = await findDocumentSha256(db, { providerId, batchNumber, documentId })
      if (!sha256) throw documentNotFound(documentId, batchNumber)

      const address = await objects.downloadAddress(documentKey(sha256), {
        expiresSeconds: linkSeconds,
        fileName: `${documentId}.pdf`,
      })
      return (
        reply
          .code(303)
          .header('location', address)
          // Fastify would write null as JSON.
          .send(undefined as never)
      )
    },
  })
}

/**
 * Finds the SHA-256 of a document of a claimed run. Returns undefined if the document is not in that run or has been
 * purged. Also returns undefined if the run is not the provider's, not claimed, or was moved and is printed elsewhere.
 */
async function findDocumentSha256(
  db: Db,
  { providerId, batchNumber, documentId }: PrintRunRef & { documentId: string },
): Promise<string | undefined> {
  const { rows } = await sql<{ sha256: string }>`${prepared('get-document-content')}
    select encode(document.sha256, 'hex') as sha256
    from print_run_document document join print_run run using (batch_number)
    where document.batch_number = ${batchNumber} and document.document_id = ${documentId}
      and document.removed_at is null and run.provider_id = ${providerId} and run.claimed_at is not null
      and run.state <> 'VOIDED'
      and not exists (
        select from print_job job where job.key = document.print_job_key and job.purge_began_at is not null)`.execute(
    db,
  )
  return rows[0]?.sha256
}

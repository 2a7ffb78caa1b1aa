import { fulfilmentJobNotFound } from '@despatch/contracts/print-fulfilment/problems'
import { getTemplateData as operation } from '@despatch/contracts/print-fulfilment/production-operations'
import {
  renderTemplateData,
  type TemplateDataDocument,
} from '@despatch/contracts/print-fulfilment/template-data'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import type { PrintRunRef } from '@despatch/store/print-run/lock'
import { sql } from 'kysely'
import { streamOf } from '../document-files/stream-of.ts'
import { providerOf } from '../request/provider-of.ts'

/**
 * GET /print-runs/{batchNumber}/fulfilment-jobs/{fulfilmentJobId}/template-data: returns the values for the provider's
 * templates.
 */
export function getTemplateData(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request, reply) => {
      const { batchNumber, fulfilmentJobId } = request.params
      const providerId = providerOf(request.caller)
      const places = await findSequenceRange(db, { providerId, batchNumber, fulfilmentJobId })
      if (!places) throw fulfilmentJobNotFound(fulfilmentJobId, batchNumber)

      const lines = renderTemplateData(pageTemplateData(db, batchNumber, places))
      return reply.type('application/x-ndjson; charset=utf-8').send(streamOf(lines))
    },
  })
}

/** The sequence range of a fulfilment job in its run. */
type SequenceRange = { firstSequence: number; lastSequence: number }

/**
 * Finds the sequence range of a fulfilment job in a claimed run. Returns undefined if there is no such job, or the run
 * is not the provider's, not claimed, or was moved and is printed elsewhere.
 */
async function findSequenceRange(
  db: Db,
  { providerId, batchNumber, fulfilmentJobId }: PrintRunRef & { fulfilmentJobId: string },
): Promise<SequenceRange | undefined> {
  const { rows } = await sql<{ firstSequence: number | null; lastSequence: number | null }>`
    select min(document.sequence) as "firstSequence", max(document.sequence) as "lastSequence"
    from print_run_document document join print_run run using (batch_number)
    where document.batch_number = ${batchNumber} and document.fulfilment_job_id = ${fulfilmentJobId}
      and document.removed_at is null and run.provider_id = ${providerId} and run.claimed_at is not null
      and run.state <> 'VOIDED'`.execute(db)
  const { firstSequence = null, lastSequence = null } = rows[0] ?? {}
  return firstSequence === null || lastSequence === null
    ? undefined
    : { firstSequence, lastSequence }
}

/** Documents per round trip: each may have a large body of parameters. */
const pageDocumentsMax = 100

/** Returns template data of the documents in this range whose contract provides it, in order, in pages. */
async function* pageTemplateData(
  db: Db,
  batchNumber: string,
  { firstSequence, lastSequence }: SequenceRange,
): AsyncGenerator<TemplateDataDocument[]> {
  let from = firstSequence
  for (;;) {
    const page = await listTemplateData(db, batchNumber, { from, lastSequence })
    if (page.length > 0) yield page
    const last = page.at(-1)
    if (!last || page.length < pageDocumentsMax) return
    from = last.sequence + 1
  }
}

async function listTemplateData(
  db: Db,
  batchNumber: string,
  { from, lastSequence }: { from: number; lastSequence: number },
): Promise<TemplateDataDocument[]> {
  const { rows } = await sql<TemplateDataDocument>`
    select document.document_id as "documentId", document.sequence, contract.job_type as "jobType",
      contract.template_reference as "templateReference", coalesce((
        select jsonb_agg(param order by place)
        from jsonb_array_elements(job.custom_params) with ordinality as given (param, place)
        where not exists (
          select from print_job_file file where file.print_job_key = job.key and file.file_id = param ->> 'key')
      ), '[]') as "customParams"
    from print_run_document document
    join print_job job on job.key = document.print_job_key
    join contract on contract.id = job.contract_id
    where document.batch_number = ${batchNumber} and document.sequence between ${from} and ${lastSequence}
      and document.removed_at is null and contract.template_data
    order by document.sequence
    limit ${pageDocumentsMax}`.execute(db)
  return rows
}

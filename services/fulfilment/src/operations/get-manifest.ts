import { Readable } from 'node:stream'
import {
  renderManifest,
  type StoredFulfilmentJob,
} from '@despatch/contracts/print-fulfilment/manifest'
import { renderManifestCsv } from '@despatch/contracts/print-fulfilment/manifest-csv'
import {
  chooseManifestFormat,
  manifestHeaders,
  manifestTag,
} from '@despatch/contracts/print-fulfilment/manifest-format'
import { renderManifestNdjson } from '@despatch/contracts/print-fulfilment/manifest-ndjson'
import { getManifest as operation } from '@despatch/contracts/print-fulfilment/operations'
import { manifestNotFound } from '@despatch/contracts/print-fulfilment/problems'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { findFrozenManifest, pageManifestDocuments } from '@despatch/store/print-run/manifest'
import { readAhead } from '@despatch/store/read-ahead'
import { sql } from 'kysely'
import { streamOf } from '../document-files/stream-of.ts'
import { providerOf } from '../request/provider-of.ts'

const renderIn = { json: renderManifest, ndjson: renderManifestNdjson, csv: renderManifestCsv }

/** GET and HEAD /print-runs/{batchNumber}/manifest: returns the frozen list, streamed from its rows. */
export function getManifest(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    exposeHeadRoute: true,
    handler: async (request, reply) => {
      const { batchNumber } = request.params
      const providerId = providerOf(request.caller)
      const manifest = await findFrozenManifest(db, { providerId, batchNumber })
      if (!manifest) throw manifestNotFound(batchNumber)

      const { accept, 'if-none-match': known } = request.headers
      const format = request.query.format ?? chooseManifestFormat(accept)
      const tag = manifestTag(manifest.manifestDigest, format)
      reply.headers({ etag: tag, vary: 'Accept', 'cache-control': 'private, no-cache' })
      if (isKnown(tag, known)) return reply.code(304).send(null)
      reply.headers(manifestHeaders(manifest, format))
      // Fastify sends a stream without serialising it
      if (request.method === 'HEAD') return reply.send(Readable.from([]) as never)

      const fulfilmentJobs = await listFulfilmentJobs(db, batchNumber)
      const pages = readAhead(pageManifestDocuments(db, batchNumber))
      return reply.send(streamOf(renderIn[format](manifest, fulfilmentJobs, pages)) as never)
    },
  })
}

function isKnown(tag: string, ifNoneMatch: string | undefined): boolean {
  const tags = ifNoneMatch?.split(',').map((given) => given.trim().replace(/^W\//, '')) ?? []
  return tags.includes(tag) || tags.includes('*')
}

/** Lists the fulfilment jobs of a claimed run in order, as they were frozen. */
async function listFulfilmentJobs(db: Db, batchNumber: string): Promise<StoredFulfilmentJob[]> {
  const { rows } = await sql<StoredFulfilmentJob>`
    select job."fulfilmentJobId", job."documentCount", job."sheetCount", job."firstSequence", job."lastSequence",
      job."fulfilmentJobId" = any (run.template_jobs) as "hasTemplateData"
    from (
      select fulfilment_job_id as "fulfilmentJobId", count(*)::integer as "documentCount", sum(sheets)::integer as "sheetCount",
        min(sequence) as "firstSequence", max(sequence) as "lastSequence"
      from print_run_document
      where batch_number = ${batchNumber} and removed_at is null and sequence is not null
      group by fulfilment_job_id
    ) job
    join print_run run on run.batch_number = ${batchNumber}
    order by job."firstSequence"`.execute(db)
  return rows
}

import { Readable } from 'node:stream'
import { renderManifest } from '@despatch/contracts/print-fulfilment/manifest'
import { getManifest as operation } from '@despatch/contracts/print-fulfilment/operations'
import { manifestNotFound } from '@despatch/contracts/print-fulfilment/problems'
import type { ManifestDocument } from '@despatch/domain/print-run/manifest-digest'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import {
  findFrozenManifest,
  listFulfilmentJobs,
  listManifestDocuments,
} from '@despatch/store/print-runs-manifest'
import { providerOf } from '../provider-of.ts'

const pageDocumentsMax = 1_000

/** GET /print-runs/{batchNumber}/manifest: the frozen list, streamed from its rows. */
export function getManifest(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request, reply) => {
      const { batchNumber } = request.params
      const providerId = providerOf(request.caller)
      const manifest = await findFrozenManifest(db, { providerId, batchNumber })
      if (!manifest) throw manifestNotFound(batchNumber)

      const tag = `"${manifest.manifestDigest}"`
      reply.header('etag', tag).header('cache-control', 'private, no-cache')
      if (isKnown(tag, request.headers['if-none-match'])) return reply.code(304).send(null)
      const fulfilmentJobs = await listFulfilmentJobs(db, batchNumber)
      const pieces = renderManifest(manifest, fulfilmentJobs, listPages(db, batchNumber))
      // a stream is sent as it stands
      const body = Readable.from(pieces) as never
      return reply.type('application/json; charset=utf-8').send(body)
    },
  })
}

function isKnown(tag: string, ifNoneMatch: string | undefined): boolean {
  const tags = ifNoneMatch?.split(',').map((given) => given.trim().replace(/^W\//, '')) ?? []
  return tags.includes(tag) || tags.includes('*')
}

async function* listPages(db: Db, batchNumber: string): AsyncGenerator<ManifestDocument[]> {
  let after = 0
  for (;;) {
    const page = await listManifestDocuments(db, batchNumber, {
      after,
      documentsMax: pageDocumentsMax,
    })
    yield page
    const last = page.at(-1)
    if (!last || page.length < pageDocumentsMax) return
    after = last.sequence
  }
}

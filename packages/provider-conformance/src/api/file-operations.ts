import { getDocumentContent } from '@despatch/contracts/print-fulfilment/operations'
import { fulfilmentJobNotFound } from '@despatch/contracts/print-fulfilment/problems'
import {
  getDocumentsZip,
  getPrintStream,
  getTemplateData,
} from '@despatch/contracts/print-fulfilment/production-operations'
import type { Api } from '@despatch/http/api'
import { printStreamOf } from '../files/print-stream.ts'
import { zipOf } from '../files/zip.ts'
import { getClaimedRun, getDocument, linkTo, type Platform } from '../platform/platform.ts'
import { liveDocuments, type PlatformRun } from '../platform/platform-run.ts'

/** Returns the bytes of a file for this request. A case may alter them. */
export type ServeFile = (run: PlatformRun, documentId: string) => Uint8Array

/** Adds the operations for files: single ones, and those of a fulfilment job together. */
export function addFileOperations(api: Api, platform: Platform, serveFile: ServeFile): void {
  const ofJob = (params: { batchNumber: string; fulfilmentJobId: string }) => {
    const { batchNumber, fulfilmentJobId } = params
    const run = getClaimedRun(platform, batchNumber)
    const documents = liveDocuments(run).filter((each) => each.fulfilmentJobId === fulfilmentJobId)
    if (documents.length === 0) throw fulfilmentJobNotFound(fulfilmentJobId, batchNumber)
    const entries = documents.map(({ documentId }) => ({
      name: `${documentId}.pdf`,
      content: serveFile(run, documentId),
    }))
    return { run, entries }
  }

  api.route({
    ...getDocumentContent,
    exposeHeadRoute: true,
    handler: async ({ params }, reply) => {
      getDocument(platform, params)
      return reply
        .code(303)
        .header('location', linkTo(platform, params))
        .header('cache-control', 'no-store')
        .send(null)
    },
  })

  api.route({
    ...getDocumentsZip,
    handler: async ({ params }, reply) =>
      reply.type('application/zip').send(zipOf(ofJob(params).entries) as never),
  })

  api.route({
    ...getPrintStream,
    handler: async ({ params }, reply) => {
      const { run, entries } = ofJob(params)
      const files = entries.map(({ content }) => content)
      const stream = await printStreamOf(files, { isDuplex: run.plex === 'duplex' })
      return reply.type('application/pdf').send(Buffer.from(stream) as never)
    },
  })

  api.route({
    ...getTemplateData,
    handler: async ({ params }, reply) => {
      ofJob(params)
      return reply.type('application/x-ndjson').send(Buffer.alloc(0) as never)
    },
  })
}

import { Readable } from 'node:stream'
import type { Composers } from '@despatch/composer/composers'
import type { Semaphore } from '@despatch/composer/semaphore'
import { fulfilmentJobNotFound } from '@despatch/contracts/print-fulfilment/problems'
import { getPrintStream as operation } from '@despatch/contracts/print-fulfilment/production-operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { findFulfilmentJobFiles } from '../document-files/fulfilment-job-files.ts'
import { type DocumentSource, readDocuments } from '../document-files/read-documents.ts'
import { sendFile } from '../document-files/send-file.ts'
import { writePrintStream } from '../document-files/write-print-stream.ts'
import { providerOf } from '../request/provider-of.ts'

type PrintStreamContext = {
  db: Db
  objects: DocumentSource
  semaphore: Semaphore
  composers: Pick<Composers, 'printStreamPart'>
}

/**
 * GET …/fulfilment-jobs/{fulfilmentJobId}/print-stream.pdf: returns its files as one PDF, generated while it is sent.
 */
export function getPrintStream(
  api: Api,
  { db, objects, semaphore, composers }: PrintStreamContext,
): void {
  api.route({
    ...operation,
    // HEAD would generate the whole PDF without sending it
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const { batchNumber, fulfilmentJobId } = request.params
      const ref = { providerId: providerOf(request.caller), batchNumber, fulfilmentJobId }
      const files = await findFulfilmentJobFiles(db, ref)
      if (!files) throw fulfilmentJobNotFound(fulfilmentJobId, batchNumber)

      const file = await sendFile(
        { semaphore, providerId: ref.providerId, request, reply },
        (signal) => ({
          stream: Readable.from(
            writePrintStream({
              name: `${batchNumber}/${fulfilmentJobId}`,
              plex: files.plex,
              read: readDocuments(objects, files.documents, signal),
              printStreamPart: (part) =>
                composers.printStreamPart(part, { consumerId: ref.providerId, signal }),
            }),
            { objectMode: false },
          ),
          mediaType: 'application/pdf',
          fileName: `${fulfilmentJobId}.pdf`,
        }),
      )
      // Fastify sends a stream without serialising it
      return reply.send(file as never)
    },
  })
}

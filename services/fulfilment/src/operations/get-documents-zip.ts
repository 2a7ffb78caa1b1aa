import type { Semaphore } from '@despatch/composer/semaphore'
import { fulfilmentJobNotFound } from '@despatch/contracts/print-fulfilment/problems'
import { getDocumentsZip as operation } from '@despatch/contracts/print-fulfilment/production-operations'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { findFulfilmentJobFiles } from '../document-files/fulfilment-job-files.ts'
import { type DocumentSource, readDocuments } from '../document-files/read-documents.ts'
import { sendFile } from '../document-files/send-file.ts'
import { zipDocuments } from '../document-files/zip-documents.ts'
import { providerOf } from '../request/provider-of.ts'

/** GET …/fulfilment-jobs/{fulfilmentJobId}/documents.zip: returns its files as one ZIP, read while they are sent. */
export function getDocumentsZip(
  api: Api,
  { db, objects, semaphore }: { db: Db; objects: DocumentSource; semaphore: Semaphore },
): void {
  api.route({
    ...operation,
    // HEAD would read all files without sending them
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const { batchNumber, fulfilmentJobId } = request.params
      const ref = { providerId: providerOf(request.caller), batchNumber, fulfilmentJobId }
      const files = await findFulfilmentJobFiles(db, ref)
      if (!files) throw fulfilmentJobNotFound(fulfilmentJobId, batchNumber)

      const file = await sendFile(
        { semaphore, providerId: ref.providerId, request, reply },
        (signal) => ({
          ...zipDocuments(files, readDocuments(objects, files.documents, signal)),
          mediaType: 'application/zip',
          fileName: `${fulfilmentJobId}.zip`,
        }),
      )
      // Fastify sends a stream without serialising it
      return reply.send(file as never)
    },
  })
}

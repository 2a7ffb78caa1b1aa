import { getDocumentContent as operation } from '@despatch/contracts/print-fulfilment/operations'
import { documentNotFound } from '@despatch/contracts/print-fulfilment/problems'
import type { Api } from '@despatch/http/api'
import { documentKey } from '@despatch/object-store/keys'
import type { ObjectStore } from '@despatch/object-store/object-store'
import type { Db } from '@despatch/store/database'
import { findDocumentSha256 } from '@despatch/store/print-run/manifest'
import { providerOf } from '../provider-of.ts'

export type ContentContext = {
  db: Db
  objects: Pick<ObjectStore, 'downloadAddress'>
  linkSeconds: number
}

/**
 * GET and HEAD /print-runs/{batchNumber}/documents/{documentId}/content: redirects to an address of the file that
 * expires soon.
 */
export function getDocumentContent(api: Api, { db, objects, linkSeconds }: ContentContext): void {
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
          .header('cache-control', 'no-store')
          // null would be written as JSON
          .send(undefined as never)
      )
    },
  })
}

import { uploadFileResponseSchema } from '@despatch/contracts/print-request/upload-file-response'
import type { Api } from '@despatch/http/api'
import { uploadKey } from '@despatch/object-store/keys'
import type { ObjectStore } from '@despatch/object-store/object-store'
import type { Db } from '@despatch/store/database'
import { insertUpload } from '@despatch/store/uploads'

export type CreateUploadContext = {
  db: Db
  objects: ObjectStore
  newId: () => string
  linkSeconds: number
  keptSeconds: number
}

/** GET /print/files/upload-url: an address that takes one PUT of a file's bytes. */
export function createUpload(api: Api, context: CreateUploadContext): void {
  api.route({
    method: 'GET',
    url: '/print-request/v1/print/files/upload-url',
    // Fastify would answer HEAD as well, and each would make an upload.
    exposeHeadRoute: false,
    schema: {
      summary: 'Get an address for uploading a file',
      response: { 200: uploadFileResponseSchema },
    },
    handler: async (request) => {
      const { db, objects, newId, linkSeconds, keptSeconds } = context
      const id = newId()
      const url = await objects.uploadAddress(uploadKey(id), { expiresSeconds: linkSeconds })
      const { consumerId } = request.caller
      await insertUpload(db, { id, consumerId, expiresInSeconds: keptSeconds })
      return { uploadId: id, url, fileId: id, uploadUrl: url }
    },
  })
}

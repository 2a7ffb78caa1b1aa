import { createUpload as operation } from '@despatch/contracts/print-request/operations'
import { tooManyOpenUploads } from '@despatch/contracts/print-request/problems'
import { renderUpload } from '@despatch/contracts/print-request/upload-file-response'
import type { Api } from '@despatch/http/api'
import { setRetryAfter } from '@despatch/http/set-retry-after'
import { uploadKey } from '@despatch/object-store/keys'
import type { ObjectStore } from '@despatch/object-store/object-store'
import type { Db } from '@despatch/store/database'
import { insertUpload } from '@despatch/store/print-job/uploads'

type CreateUploadContext = {
  db: Db
  objects: ObjectStore
  newId: () => string
  keptSeconds: number
  /** How many uploads of a consumer may be open at the same time. */
  openMax: number
}

/** Short, because the address works for anyone who has it. A transfer that has begun may take longer. */
const linkSeconds = 15 * 60

/** GET /print/files/upload-url: returns an address that accepts a file's bytes by PUT. */
export function createUpload(api: Api, context: CreateUploadContext): void {
  const { db, objects, newId, keptSeconds, openMax } = context
  api.route({
    ...operation,
    // Fastify would answer HEAD as well, and each HEAD would create an upload.
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const uploadId = newId()
      const url = await objects.uploadAddress(uploadKey(uploadId), { expiresSeconds: linkSeconds })
      const { consumerId } = request.caller
      const upload = { id: uploadId, consumerId, expiresInSeconds: keptSeconds, openMax }
      const outcome = await insertUpload(db, upload)
      if (outcome !== 'created') {
        setRetryAfter(reply, outcome)
        throw tooManyOpenUploads(openMax)
      }
      return renderUpload({ uploadId, url })
    },
  })
}

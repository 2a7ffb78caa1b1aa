import { z } from 'zod'

export const uploadFileResponseSchema = z.object({
  uploadId: z.uuid().describe('Use this id in fileParams'),
  url: z.url().describe('PUT the bytes of the file to this URL within 15 minutes'),
  fileId: z.uuid().describe('Same value as uploadId, under the name in the specification’s sample'),
  uploadUrl: z.url().describe('Same value as url, under the name in the specification’s sample'),
})

export type UploadFileResponse = z.output<typeof uploadFileResponseSchema>

/** The specification's schema and its sample name the two members differently, so the response has both names. */
export function renderUpload({ uploadId, url }: { uploadId: string; url: string }) {
  return { uploadId, url, fileId: uploadId, uploadUrl: url } satisfies UploadFileResponse
}

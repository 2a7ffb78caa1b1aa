import { z } from 'zod'

export const uploadFileResponseSchema = z.object({
  uploadId: z.uuid().describe('To quote in fileParams'),
  url: z.url().describe('Send the bytes of the file here with PUT, within 15 minutes'),
  fileId: z.uuid().describe('The same as uploadId, under the name of the specification’s sample'),
  uploadUrl: z.url().describe('The same as url, under the name of the specification’s sample'),
})

export type UploadFileResponse = z.output<typeof uploadFileResponseSchema>

/** The specification's schema and its sample name the two members differently, so the response has both names. */
export function renderUpload({ uploadId, url }: { uploadId: string; url: string }) {
  return { uploadId, url, fileId: uploadId, uploadUrl: url } satisfies UploadFileResponse
}

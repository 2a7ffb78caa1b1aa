/** Where an upload lands until quarantine pins it. Its presigned address may write here until it expires. */
export function uploadKey(uploadId: string): string {
  return `uploads/${uploadId}`
}

/** A pinned file, named after its content: nothing outside can write here, and a repeat writes the same bytes. */
export function fileKey(sha256: string): string {
  return `files/${sha256}`
}

/** A print-ready document, named after its content. */
export function documentKey(sha256: string): string {
  return `documents/${sha256}.pdf`
}

/** A receipt or docket that shows a posting, as the provider uploads it. Nothing of ours reads it. */
export function evidenceKey(postingId: string, evidenceId: string): string {
  return `evidence/${postingId}/${evidenceId}`
}

/**
 * Returns the key of an upload until quarantine pins it. Its presigned address allows writing here until it expires.
 */
export function uploadKey(uploadId: string): string {
  return `uploads/${uploadId}`
}

/**
 * Returns the key of a pinned file. The key contains the hash of the content: no outside caller can write here, and a
 * repeat writes the same bytes.
 */
export function fileKey(sha256: string): string {
  return `files/${sha256}`
}

/** Returns the key of a print-ready document. The key contains the hash of its content. */
export function documentKey(sha256: string): string {
  return `documents/${sha256}.pdf`
}

/** Returns the key of a file or document by the hash of its content. */
export function storedKey({ kind, sha256 }: { kind: 'file' | 'document'; sha256: string }): string {
  return kind === 'file' ? fileKey(sha256) : documentKey(sha256)
}

/** Returns the key of a receipt or docket that proves a posting. The provider uploads it. Despatch never reads it. */
export function evidenceKey(postingId: string, evidenceId: string): string {
  return `evidence/${postingId}/${evidenceId}`
}

const keyOfContent = /^(?:files|documents)\/([0-9a-f]{64})(?:\.pdf)?$/

/** Returns the SHA-256 that a key contains, in hexadecimal. Undefined if the key does not say what is stored there. */
export function contentHashIn(key: string): string | undefined {
  return keyOfContent.exec(key)?.[1]
}

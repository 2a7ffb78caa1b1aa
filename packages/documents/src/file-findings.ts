import type { Finding } from '@despatch/domain/preflight/finding'
import type { MediaType } from './file-signature.ts'
import type { FileStructure } from './file-structure.ts'

export const kindNames: Record<MediaType, string> = {
  'application/pdf': 'PDF',
  'image/gif': 'GIF',
  'image/png': 'PNG',
  'image/jpeg': 'JPEG',
  'image/tiff': 'TIFF',
  'image/bmp': 'BMP',
}

/** Returns the structural findings of a file: none, or the first of empty, wrong kind, second kind, and truncated. */
export function findingsOfStructure(fileId: string, structure: FileStructure): Finding[] {
  const { bytes, mediaType, isWhole, alsoIs } = structure
  const refusal = { severity: 'refusal', fileId } as const
  if (bytes === 0) {
    return [{ ...refusal, rule: 'file-empty', detail: `File ${fileId} is empty` }]
  }
  if (!mediaType) {
    const detail = `File ${fileId} is not a PDF, GIF, PNG, JPEG, TIFF or BMP file`
    return [{ ...refusal, rule: 'file-kind', detail }]
  }
  if (alsoIs) {
    const detail = `File ${fileId} is a ${kindNames[mediaType]} file and also ${alsoIs}; a file is of one kind only`
    return [{ ...refusal, rule: 'file-polyglot', detail }]
  }
  if (!isWhole) {
    const detail = `File ${fileId} is not complete: it begins as a ${kindNames[mediaType]} file and is cut off`
    return [{ ...refusal, rule: 'file-truncated', detail }]
  }
  return []
}

/** Returns the finding for a file that exceeds the limit of bytes. */
export function tooLargeFinding(fileId: string, bytes: number, bytesMax: number): Finding {
  return {
    rule: 'file-too-large',
    severity: 'refusal',
    fileId,
    measured: { unit: 'bytes', value: bytes },
    allowed: { unit: 'bytes', max: bytesMax },
    detail: `File ${fileId} has ${bytes} bytes; at most ${bytesMax} are allowed`,
  }
}

/** Returns the finding for an announced file that was not uploaded. */
export function missingFinding(fileId: string): Finding {
  return {
    rule: 'file-missing',
    severity: 'refusal',
    fileId,
    detail: `File ${fileId} was not uploaded in time`,
  }
}

/** Returns the finding for an infected file. The signature is for operators only, not for the sender. */
export function infectedFinding(fileId: string): Finding {
  return {
    rule: 'file-infected',
    severity: 'refusal',
    fileId,
    detail: `File ${fileId} did not pass the security check`,
  }
}

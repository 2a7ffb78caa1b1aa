import type { EvidenceFile } from '@despatch/contracts/administration/evidence-csv'
import type { MediaType } from '@despatch/documents/file-signature'
import { commentOf, type Finding } from '@despatch/domain/preflight/finding'
import { documentKey, fileKey } from '@despatch/object-store/keys'
import type { ObjectStore } from '@despatch/object-store/object-store'
import type { Evidence } from './gather-evidence.ts'

/** An object that the ZIP contains under the name `entry`. */
export type EvidenceObject = {
  entry: string
  key: string
  sha256: string
  bytes: number
  /** Its bytes, if they are not in the object store yet. */
  content?: Buffer
}

/** What the object store contains of a print job. */
export type EvidenceContents = {
  /** The letter as it was made. */
  document: EvidenceObject | undefined
  /** Why the ZIP does not contain the letter. */
  whyNoDocument: string | undefined
  /** The submitted files, in their order. */
  files: EvidenceFile[]
  /** The objects of those files that may be handed out. */
  fileObjects: EvidenceObject[]
}

/** Finds the objects of a print job. Throws DependencyUnavailable if the object store does not answer. */
export async function findContents(
  objects: Pick<ObjectStore, 'head'>,
  evidence: Evidence,
): Promise<EvidenceContents> {
  const fileObjects: EvidenceObject[] = []
  const files: EvidenceFile[] = []
  for (const [file, object] of listFiles(evidence)) {
    const gone = object && (await whyNotThere(objects, object))
    if (object && gone === undefined) fileObjects.push(object)
    files.push(gone === undefined ? file : { ...file, entry: undefined, whyNot: gone })
  }
  const document = documentOf(evidence)
  const gone = document && (await whyNotThere(objects, document))
  return {
    document: gone === undefined ? document : undefined,
    whyNoDocument: gone ?? (document ? undefined : whyNone(evidence)),
    files,
    fileObjects,
  }
}

async function whyNotThere(
  objects: Pick<ObjectStore, 'head'>,
  { key, bytes, content }: EvidenceObject,
): Promise<string | undefined> {
  if (content) return undefined
  const head = await objects.head(key)
  if (!head) return 'It is missing from the object store'
  return head.bytes === bytes ? undefined : 'The object store has different bytes'
}

function documentOf({
  source: { document, unstoredPdf, isPurged },
}: Evidence): EvidenceObject | undefined {
  if (!document || isPurged) return undefined
  return {
    entry: 'document.pdf',
    key: documentKey(document.sha256),
    ...document,
    ...(unstoredPdf && { content: unstoredPdf }),
  }
}

function whyNone({ source: { isPurged }, printJob: { status } }: Evidence): string {
  if (isPurged) return 'It was deleted'
  return status === 'REJECTED'
    ? 'The letter was rejected before its document was made'
    : 'The letter is still being checked; its document does not exist yet'
}

type ListedFile = [file: EvidenceFile, object: EvidenceObject | undefined]

/** Lists each file, with its object if the file may be handed out. */
function listFiles({ source, printJob }: Evidence): ListedFile[] {
  const sources = new Map(printJob.files.map((file) => [file.fileId, file.source]))
  return source.files.map((stored, index) => {
    const { fileId, mediaType, bytes, sha256, pinned } = stored
    const findings = source.findings.filter((finding) => finding.fileId === fileId)
    const file: EvidenceFile = {
      fileId,
      source: sources.get(fileId) ?? '',
      mediaType: mediaType ?? undefined,
      bytes: bytes ?? undefined,
      sha256: sha256 ?? undefined,
      verdict: verdictOf(findings, pinned),
    }
    const without = (whyNot: string): ListedFile => [{ ...file, whyNot }, undefined]
    if (findings.some(({ rule }) => rule === 'file-infected')) {
      return without('The virus scanner found something in it')
    }
    if (source.isPurged) return without('It was deleted')
    if (!pinned || !sha256 || bytes === null) {
      return without('It was not accepted: it is missing, refused or not checked yet')
    }
    const entry = `files/${String(index + 1).padStart(2, '0')}-${safeName(fileId, mediaType)}`
    return [
      { ...file, entry },
      { entry, key: fileKey(sha256), sha256, bytes },
    ]
  })
}

function verdictOf(findings: readonly Finding[], pinned: boolean): string {
  const refusal = commentOf(findings)
  if (refusal !== undefined) return `refused: ${refusal}`
  if (findings.length > 0) return `noted: ${findings.map(({ detail }) => detail).join('; ')}`
  return pinned ? 'accepted: nothing was found in it' : 'none yet'
}

const extensions: Record<MediaType, string> = {
  'application/pdf': '.pdf',
  'image/gif': '.gif',
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'image/tiff': '.tif',
  'image/bmp': '.bmp',
}
const nameCharactersMax = 60

/** Consumers choose file ids. Replaces the characters that could make an unzip program write outside of its folder. */
export function safeName(fileId: string, mediaType: string | null): string {
  const extension = extensions[mediaType as MediaType] ?? ''
  const name = fileId
    .replace(/[^A-Za-z0-9._-]+/g, '_')
    .replace(/^[._-]+/, '')
    .slice(0, nameCharactersMax)
  const named = name === '' ? 'file' : name
  return named.toLowerCase().endsWith(extension) ? named : `${named}${extension}`
}

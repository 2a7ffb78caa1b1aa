import { createHash } from 'node:crypto'
import { detectMediaType, type MediaType } from '@despatch/documents/file-signature'
import { fileKey, uploadKey } from '@despatch/object-store/keys'
import type { StepFile, TakenStep } from '@despatch/store/steps'
import type { Effects, Outcome, Pin, Stage } from '../stage.ts'

export type QuarantineFacts = {
  now: Date
  submittedAt: Date
  uploadBytesMax: number
  files: readonly FoundFile[]
}

/** What was found where a file should be. */
export type FoundFile = { fileId: string; position: number } & (
  | { found: 'nothing' }
  | { found: 'too-large'; bytes: number }
  | {
      found: 'bytes'
      sha256: string
      bytes: number
      mediaType: MediaType | undefined
      copy?: { from: string; to: string; etag: string }
    }
)

/** The link of an upload lives far shorter; after this, bytes that are absent will not come. */
const arrivalWindowMs = 60 * 60 * 1000
const recheckSeconds = 30

/** Files are not trusted yet: each must have arrived, be within limits and of an allowed kind, and is then pinned. */
export const quarantine: Stage<QuarantineFacts> = {
  queue: 'quarantine',
  status: 'QUARANTINE',
  gather,
  decide,
}

export function decide({ now, submittedAt, uploadBytesMax, files }: QuarantineFacts): Outcome {
  const pins: Pin[] = []
  let isMissing = false
  for (const file of files) {
    switch (file.found) {
      case 'nothing':
        isMissing = true
        break
      case 'too-large':
        return {
          kind: 'reject',
          comment: `File ${file.fileId} has ${file.bytes} bytes; at most ${uploadBytesMax} are allowed`,
        }
      case 'bytes': {
        const { fileId, position, sha256, bytes, mediaType, copy } = file
        if (bytes === 0) return { kind: 'reject', comment: `File ${fileId} is empty` }
        if (!mediaType) {
          return {
            kind: 'reject',
            comment: `File ${fileId} is not a PDF, GIF, PNG, JPEG, TIFF or BMP file`,
          }
        }
        pins.push({ position, sha256, bytes, mediaType, ...(copy && { copy }) })
      }
    }
  }
  if (!isMissing) return { kind: 'advance', transition: 'release', next: 'validate', pins }
  const { fileId } = files.find(({ found }) => found === 'nothing')!
  return now.getTime() - submittedAt.getTime() > arrivalWindowMs
    ? { kind: 'reject', comment: `File ${fileId} was not uploaded in time` }
    : { kind: 'wait', seconds: recheckSeconds, reason: 'upload outstanding' }
}

async function gather(effects: Effects, step: TakenStep): Promise<QuarantineFacts> {
  const files: FoundFile[] = []
  for (const file of step.files) {
    if (!file.pinned) files.push(await findFile(effects, file))
  }
  return {
    now: effects.now(),
    submittedAt: step.submittedAt,
    uploadBytesMax: effects.uploadBytesMax,
    files,
  }
}

function findFile(effects: Effects, file: StepFile): Promise<FoundFile> {
  return file.source === 'upload' ? findUpload(effects, file) : findCustomParam(effects, file)
}

async function findUpload(
  { objects, uploadBytesMax }: Effects,
  { fileId, position, uploadId }: StepFile,
): Promise<FoundFile> {
  const key = uploadKey(uploadId!)
  const head = await objects.head(key)
  if (!head) return { fileId, position, found: 'nothing' }
  if (head.bytes > uploadBytesMax) {
    return { fileId, position, found: 'too-large', bytes: head.bytes }
  }
  const object = await objects.get(key, { bytesMax: uploadBytesMax })
  if (!object) return { fileId, position, found: 'nothing' }
  const { bytes, etag } = object
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return {
    fileId,
    position,
    found: 'bytes',
    sha256,
    bytes: bytes.length,
    mediaType: detectMediaType(bytes),
    copy: { from: key, to: fileKey(sha256), etag },
  }
}

/** Intake has looked at these bytes and stored them under their hash, where only we write; reading checks the hash. */
async function findCustomParam({ objects }: Effects, file: StepFile): Promise<FoundFile> {
  const { fileId, position, sha256, bytes, mediaType } = file
  const head = await objects.head(fileKey(sha256!))
  if (!head) return { fileId, position, found: 'nothing' }
  return {
    fileId,
    position,
    found: 'bytes',
    sha256: sha256!,
    bytes: bytes!,
    mediaType: mediaType as MediaType,
  }
}

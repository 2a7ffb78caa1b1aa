import {
  findingsOfStructure,
  infectedFinding,
  missingFinding,
  tooLargeFinding,
} from '@despatch/documents/file-findings'
import { type Finding, isRefused } from '@despatch/domain/preflight/finding'
import type { TakenStep } from '@despatch/store/print-job/steps'
import type { Effects, Outcome, Pin, Stage } from '../print-job/stage.ts'
import { rejectFor } from '../print-job/stage.ts'
import { type FoundFile, findFile } from './quarantine-file.ts'

type QuarantineFacts = {
  /** Time since the print job was submitted, by the database's clock. */
  ageMs: number
  uploadBytesMax: number
  /** How long to wait for a virus scanner that returns no verdict. */
  scanPauseSeconds: number
  files: readonly FoundFile[]
}

/** The link of an upload expires much earlier. An upload that is absent after this time will not arrive. */
const arrivalWindowMs = 60 * 60 * 1000
const recheckSeconds = 30

/**
 * Files are not trusted yet. Each must have arrived, be within limits, be of one allowed kind, whole and clean. It is
 * then pinned.
 */
export const quarantine: Stage<QuarantineFacts> = {
  name: 'quarantine',
  status: 'QUARANTINE',
  needsObjects: ({ files }) => files.some(({ pinned }) => !pinned),
  gather,
  decide,
}

export function decide(facts: QuarantineFacts): Outcome {
  const { files, scanPauseSeconds } = facts
  const findings = files.flatMap((file) => findingsOf(file, facts))
  if (isRefused(findings)) {
    const removes = files.flatMap(removeOf)
    return { ...rejectFor(findings), ...(removes.length > 0 && { removes }) }
  }
  if (files.some(({ found }) => found === 'unscanned')) {
    return { kind: 'wait', seconds: scanPauseSeconds, reason: 'no verdict from the virus scanner' }
  }
  if (files.some(({ found }) => found === 'nothing')) {
    return { kind: 'wait', seconds: recheckSeconds, reason: 'upload outstanding' }
  }
  const [pins, contents] = [files.flatMap(pinOf), contentsOf(files)]
  return { kind: 'advance', transition: 'release', pins, ...(contents.size > 0 && { contents }) }
}

function findingsOf(file: FoundFile, { ageMs, uploadBytesMax }: QuarantineFacts): Finding[] {
  const { fileId } = file
  switch (file.found) {
    case 'nothing':
      return ageMs > arrivalWindowMs ? [missingFinding(fileId)] : []
    case 'too-large':
      return [tooLargeFinding(fileId, file.bytes, uploadBytesMax)]
    case 'infected':
      return [infectedFinding(fileId)]
    case 'unscanned':
      return []
    case 'bytes':
      return findingsOfStructure(fileId, file)
  }
}

function removeOf(file: FoundFile): string[] {
  return file.found === 'too-large' && file.remove !== undefined ? [file.remove] : []
}

function pinOf(file: FoundFile): Pin[] {
  if (file.found !== 'bytes' || !file.mediaType) return []
  const { position, sha256, bytes, mediaType, copy } = file
  return [{ position, sha256, bytes, mediaType, ...(copy && { copy }) }]
}

function contentsOf(files: readonly FoundFile[]): Map<number, Uint8Array> {
  const contents = new Map<number, Uint8Array>()
  for (const file of files) {
    if (file.found === 'bytes' && file.content) contents.set(file.position, file.content)
  }
  return contents
}

async function gather(
  effects: Effects,
  step: TakenStep,
  signal: AbortSignal,
): Promise<QuarantineFacts> {
  const { uploadBytesMax, scanPauseSeconds } = effects
  const files: FoundFile[] = []
  for (const file of step.files) {
    if (!file.pinned) files.push(await findFile(effects, step.key, file, signal))
  }
  return { ageMs: step.ageMs, uploadBytesMax, scanPauseSeconds, files }
}

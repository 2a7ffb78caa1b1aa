import type { CheckBudget } from '@despatch/access/check-budget'
import type { Composers } from '@despatch/composer/composers'
import type { SharedBeginning } from '@despatch/documents/one-page-pdf'
import { commentOf, type Finding, findingsToReport } from '@despatch/domain/preflight/finding'
import type { LetterTemplates } from '@despatch/letters/letter-templates'
import type { ObjectStore } from '@despatch/object-store/object-store'
import type { Made } from '@despatch/store/print-job/print-jobs'
import type { MovingStatus, StepFile, TakenStep } from '@despatch/store/print-job/steps'
import type { WatchedScanner } from '../watch/scanner-watch.ts'

/** What a stage may read and run. A stage cannot write: it returns what must be written. */
export type Effects = {
  objects: ObjectStore
  makeDocument: Composers['makeDocument']
  templates: Pick<LetterTemplates, 'typeset'>
  /** Limits the processor time of a consumer. */
  checkBudget: Pick<CheckBudget, 'waitSeconds'>
  /** If absent, files are not scanned for viruses. */
  scanner?: WatchedScanner
  /** How long a print job waits for a virus scanner that returns no verdict. */
  scanPauseSeconds: number
  uploadBytesMax: number
  now: () => Date
}

export type StageName = 'quarantine' | 'validate'

/** A letter in a stage. A file that an earlier stage of the same pass has read is not read again. */
export type LetterInStage = Omit<TakenStep, 'files'> & {
  files: (StepFile & { content?: Uint8Array | undefined })[]
}

/** Whether a letter is its address page: it has no files and no template. Its document is stored later. */
export function isPlain({ files, template }: Pick<TakenStep, 'files' | 'template'>): boolean {
  return files.length === 0 && template === null
}

/** The work done while a print job has one moving status. */
export type Stage<Facts> = {
  name: StageName
  status: MovingStatus
  /** Whether this step reads or writes objects. */
  needsObjects(step: TakenStep): boolean
  gather(effects: Effects, step: LetterInStage, signal: AbortSignal): Promise<Facts>
  decide(facts: Facts): Outcome
}

/** The decision of a stage, as data. Only `runLetter` carries it out. */
export type Outcome =
  | {
      kind: 'advance'
      transition: 'release' | 'accept'
      pins?: readonly Pin[]
      /** What was read of the pinned files, by their position, for the stage that follows in the same pass. */
      contents?: ReadonlyMap<number, Uint8Array>
      puts?: readonly NewObject[]
      made?: Made
      /** Findings that are reported although the letter is not refused. */
      findings?: readonly Finding[]
      /** The comment that the consumer gets: the findings that are about the letter. */
      comment?: string
    }
  | {
      kind: 'reject'
      comment: string
      findings?: readonly Finding[]
      /** Keys of objects to delete once the letter is rejected. */
      removes?: readonly string[]
    }
  | { kind: 'wait'; seconds: number; reason: string }

/** A file whose bytes are now known. With `copy`, they are first copied to a key that no outside party can write to. */
export type Pin = {
  position: number
  sha256: string
  bytes: number
  mediaType: string
  copy?: { from: string; to: string; etag: string }
}

/** An object to store. Its key is derived from the content, so a repeat writes the same object. */
type NewObject = {
  key: string
  bytes: Uint8Array
  contentType: string
  /** The part that many objects have in common. */
  beginning?: SharedBeginning
}

/**
 * Rejects a letter for its findings, reported in the order of the rules. Throws if none of them is a refusal, which is
 * a fault of ours.
 */
export function rejectFor(found: readonly Finding[]): Extract<Outcome, { kind: 'reject' }> {
  const findings = findingsToReport(found)
  const comment = commentOf(findings)
  if (comment === undefined) throw new Error('A letter is refused without a reason')
  return { kind: 'reject', comment, findings }
}

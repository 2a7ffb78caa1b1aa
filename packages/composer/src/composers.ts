import type { DocumentRequest, MadeDocument } from '@despatch/documents/document-request'
import type { LetterToDraw } from '@despatch/documents/letter-proof'
import { makeAtOnce } from '@despatch/documents/make-at-once'
import type {
  PrintStreamPart,
  PrintStreamTask,
} from '@despatch/documents/print-stream/print-stream-part'
import type { LetterToValidate } from '@despatch/documents/validate-letter'
import type { ComposerTask } from './composer-worker.ts'
import { createKnownRefusals } from './known-refusals.ts'
import { taskLimits as ownLimits, TaskLimitExceeded, type TaskLimits } from './task-limits.ts'
import { startThreads, type ThreadsOptions, type ThreadUse } from './threads.ts'
import { tooComplex } from './too-complex.ts'

export type Composers = {
  /**
   * Checks a letter and makes its document. A letter with files is made in a thread. One that exceeds a resource limit is
   * refused, because it would exceed the limit again. A file that exceeded one is refused for an hour without another
   * check. Rejects with errors that the letter did not cause.
   */
  makeDocument(request: DocumentRequest, use?: ThreadUse): Promise<MadeDocument>
  /** Checks a letter whose files are as submitted, with the same rules and resource limits. */
  validateLetter(letter: LetterToValidate, use?: ThreadUse): Promise<MadeDocument>
  /** Returns a letter's proof as PDF. Rejects with TaskLimitExceeded if it exceeds a resource limit. */
  letterProof(letter: LetterToDraw, use?: ThreadUse): Promise<Uint8Array>
  /** Returns one page of the proof as PNG, or undefined if there is no such page. */
  letterProofPage(
    letter: LetterToDraw,
    page: number,
    use?: ThreadUse,
  ): Promise<Uint8Array | undefined>
  /**
   * Returns the next part of a print stream. Rejects if a document cannot be read, and with TaskLimitExceeded if it
   * exceeds a resource limit.
   */
  printStreamPart(part: PrintStreamTask, use?: ThreadUse): Promise<PrintStreamPart>
  close(): Promise<void>
}

/** Starts the pool of threads that make documents. They are shared out fairly among consumers. */
export function startComposers({
  threadsMax,
  taskLimits = ownLimits,
  ...observers
}: {
  threadsMax: number
  taskLimits?: TaskLimits
  /** What the tasks are, for the metrics. */
  work?: string
} & Pick<ThreadsOptions, 'onWaited' | 'onUsed'>): Composers {
  const threads = startThreads<ComposerTask, unknown>({
    file: new URL('./composer-worker.ts', import.meta.url),
    threadsMax,
    taskLimits,
    ...observers,
  })
  const refusals = createKnownRefusals()

  async function run<Result>(
    task: ComposerTask,
    files: Parameters<typeof tooComplex>[1],
    use?: ThreadUse,
  ): Promise<Result> {
    await refusals.check(files)
    try {
      return (await threads.run(task, use)) as Result
    } catch (error) {
      if (error instanceof TaskLimitExceeded) await refusals.remember(error, files)
      throw error
    }
  }

  async function runOrRefuse(
    task: ComposerTask,
    files: Parameters<typeof tooComplex>[1],
    use: ThreadUse | undefined,
  ): Promise<MadeDocument> {
    try {
      return await run<MadeDocument>(task, files, use)
    } catch (error) {
      if (!(error instanceof TaskLimitExceeded)) throw error
      return { findings: [tooComplex(error, files, taskLimits)] }
    }
  }

  return {
    // The way to a thread would take longer than making such a letter.
    makeDocument: async (request, use) => {
      use?.signal?.throwIfAborted()
      return (
        makeAtOnce(request) ?? runOrRefuse({ kind: 'make-document', request }, request.files, use)
      )
    },
    validateLetter: async (letter, use) => {
      use?.signal?.throwIfAborted()
      const isWithoutFiles = letter.files.length === 0 && letter.findings.length === 0
      return (
        (isWithoutFiles ? makeAtOnce(letter.request) : undefined) ??
        runOrRefuse({ kind: 'try-letter', letter }, letter.files, use)
      )
    },
    letterProof: (letter, use) =>
      run<Uint8Array>({ kind: 'letter-proof', letter }, letter.request.files, use),
    letterProofPage: (letter, page, use) =>
      run<Uint8Array | undefined>(
        { kind: 'letter-proof-page', letter, page },
        letter.request.files,
        use,
      ),
    printStreamPart: (part, use) =>
      run<PrintStreamPart>({ kind: 'print-stream-part', part }, [], use),
    close: threads.close,
  }
}

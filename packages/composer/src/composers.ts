import type { DocumentRequest, MadeDocument } from '@despatch/documents/document-request'
import type { LetterToShow } from '@despatch/documents/letter-proof'
import type {
  PrintStreamPart,
  PrintStreamTask,
} from '@despatch/documents/print-stream/print-stream-part'
import type { LetterToTry } from '@despatch/documents/try-letter'
import type { ComposerTask } from './composer-worker.ts'
import { startThreads } from './threads.ts'
import { tooComplex } from './too-complex.ts'
import { walls as ownWalls, WallBroken, type Walls } from './walls.ts'

export type Composers = {
  /**
   * Judges a letter and makes its document, in a thread. A letter whose making breaks a wall is refused as too complex:
   * it would break it again. Rejects with what is no fault of the letter.
   */
  makeDocument(request: DocumentRequest, signal?: AbortSignal): Promise<MadeDocument>
  /** Judges a letter whose files are as they came, by the same rules and behind the same walls. */
  tryLetter(letter: LetterToTry, signal?: AbortSignal): Promise<MadeDocument>
  /** A letter's proof as PDF. Rejects with WallBroken where it takes too much. */
  letterProof(letter: LetterToShow): Promise<Uint8Array>
  /** The same of a page, as PNG. Undefined: there is no such page. */
  letterProofPage(letter: LetterToShow, page: number): Promise<Uint8Array | undefined>
  /** The next documents of a print stream. Rejects for a document that cannot be read, and with WallBroken. */
  printStreamPart(part: PrintStreamTask, signal?: AbortSignal): Promise<PrintStreamPart>
  close(): Promise<void>
}

/** Threads that make documents. */
export function startComposers({
  threadsMax,
  walls = ownWalls,
}: {
  threadsMax: number
  walls?: Walls
}): Composers {
  const threads = startThreads<ComposerTask, never>({
    file: new URL('./composer-worker.ts', import.meta.url),
    threadsMax,
    walls,
  })
  const run = threads.run as <Result>(task: ComposerTask, signal?: AbortSignal) => Promise<Result>

  async function runOrRefuse(
    task: ComposerTask,
    files: Parameters<typeof tooComplex>[1],
    signal: AbortSignal | undefined,
  ): Promise<MadeDocument> {
    try {
      return await run<MadeDocument>(task, signal)
    } catch (error) {
      if (!(error instanceof WallBroken)) throw error
      return { findings: [tooComplex(error, files, walls)] }
    }
  }

  return {
    makeDocument: (request, signal) =>
      runOrRefuse({ kind: 'make-document', request }, request.files, signal),
    tryLetter: (letter, signal) =>
      runOrRefuse({ kind: 'try-letter', letter }, letter.files, signal),
    letterProof: (letter) => run<Uint8Array>({ kind: 'letter-proof', letter }),
    letterProofPage: (letter, page) =>
      run<Uint8Array | undefined>({ kind: 'letter-proof-page', letter, page }),
    printStreamPart: (part, signal) =>
      run<PrintStreamPart>({ kind: 'print-stream-part', part }, signal),
    close: threads.close,
  }
}

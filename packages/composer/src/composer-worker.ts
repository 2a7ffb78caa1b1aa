import type {
  DocumentProgress,
  DocumentRequest,
  MadeDocument,
} from '@despatch/documents/document-request'
import { type LetterToDraw, letterProof, letterProofPage } from '@despatch/documents/letter-proof'
import { makeDocument } from '@despatch/documents/make-document'
import {
  makePrintStreamPart,
  type PrintStreamPart,
  type PrintStreamTask,
} from '@despatch/documents/print-stream/print-stream-part'
import { type LetterToValidate, validateLetter } from '@despatch/documents/validate-letter'
import { writeProgress } from './progress.ts'
import type { ThreadTask } from './threads.ts'
import { yieldToOthers } from './yield-to-others.ts'

yieldToOthers()

export type ComposerTask =
  | { kind: 'make-document'; request: DocumentRequest }
  | { kind: 'try-letter'; letter: LetterToValidate }
  | { kind: 'letter-proof'; letter: LetterToDraw }
  | { kind: 'letter-proof-page'; letter: LetterToDraw; page: number }
  | { kind: 'print-stream-part'; part: PrintStreamTask }

/** Runs in its own thread, so the event loop of the service stays free and the thread can be terminated. */
export default async function composeInThread({
  task,
  progress,
}: ThreadTask<ComposerTask>): Promise<MadeDocument | Uint8Array | PrintStreamPart | undefined> {
  const report = writeProgress(progress)
  try {
    return await compose(task, report)
  } finally {
    report.end()
  }
}

function compose(task: ComposerTask, report: DocumentProgress) {
  switch (task.kind) {
    case 'make-document':
      return makeDocument(task.request, report)
    case 'try-letter':
      return validateLetter(task.letter, report)
    case 'letter-proof':
      return letterProof(task.letter, report)
    case 'letter-proof-page':
      return letterProofPage(task.letter, task.page, report)
    case 'print-stream-part':
      return makePrintStreamPart(task.part)
  }
}

import type { Task } from '@despatch/queue/queues'
import { letterKind } from '@despatch/store/print-job/letter-kind'
import type { TakenStep } from '@despatch/store/print-job/steps'
import { type End, type RunBatchContext, runBatch } from '@despatch/work/run-batch'
import { type LetterOutcome, type RunLetterContext, runLetter } from '../print-job/run-letter.ts'
import type { HandBack } from './hand-back.ts'

export type RunLettersContext = RunLetterContext &
  Pick<RunBatchContext<TakenStep>, 'leaseSeconds' | 'timeShare' | 'onTaken' | 'onError'> & {
    handBack: HandBack
    /** How many letters of a batch are processed at once. */
    lettersAtOnce: number
  }

const settled = { isSettled: true, isMeasured: true }
const unmeasured = { isSettled: true, isMeasured: false }
const ends: Readonly<Record<LetterOutcome | 'handed-back' | 'lost', End>> = {
  advance: { words: 'advanced', ...settled },
  reject: { words: 'rejected', ...settled },
  wait: { words: 'waiting', ...settled },
  retry: { words: 'retried', ...settled },
  park: { words: 'parked', ...settled },
  overtaken: { words: 'overtaken', ...unmeasured },
  outage: { words: 'postponed by an outage', ...unmeasured },
  'handed-back': { words: 'handed back', ...unmeasured },
  lost: { words: 'left to the sweep', isSettled: false, isMeasured: false },
}

/** Takes each letter of a batch through its stages. Returns and throws as `runBatch`. */
export function runLetters(
  context: RunLettersContext,
  task: Task,
  lockLost: AbortSignal,
  progress?: (text: string) => Promise<void>,
): Promise<string> {
  const { handBack, lettersAtOnce } = context
  const batch: RunBatchContext<TakenStep> = {
    ...context,
    kind: letterKind,
    // letters without files need no memory to speak of
    atOnce: (lane, size) => (lane === 'plain' ? size : lettersAtOnce),
    run: async (step, signal) =>
      ends[await handBack.run(step, () => runLetter(context, step, signal))],
  }
  return runBatch(batch, task, lockLost, progress)
}

import { commentOfNotes } from '@despatch/domain/preflight/finding'
import { letterToKeep, type MadeLetter, makeLetter } from '@despatch/letters/make-letter'
import type { Effects, LetterInStage, Outcome, Stage } from '../print-job/stage.ts'
import { isPlain, rejectFor } from '../print-job/stage.ts'

/** `waitSeconds`: the consumer has used its processor time, so nothing was made. */
type ValidateFacts = MadeLetter | { waitSeconds: number }

/**
 * The files are trusted now. This stage judges and composes the letter, because a letter that cannot be composed is not
 * valid.
 */
export const validate: Stage<ValidateFacts> = {
  name: 'validate',
  status: 'VALIDATING',
  needsObjects: (step) => !isPlain(step),
  gather,
  decide,
}

async function gather(
  effects: Effects,
  step: LetterInStage,
  signal: AbortSignal,
): Promise<ValidateFacts> {
  const { consumerId, standardParams } = step
  const waitSeconds = isPlain(step) ? undefined : await effects.checkBudget.waitSeconds(consumerId)
  if (waitSeconds !== undefined) return { waitSeconds }
  return makeLetter(effects, step, standardParams, { consumerId, signal })
}

function decide(facts: ValidateFacts): Outcome {
  if ('waitSeconds' in facts) {
    const reason = 'the checks of the consumer have taken their processor time of this hour'
    return { kind: 'wait', seconds: facts.waitSeconds, reason }
  }
  const { printableAddress, made } = facts
  const { findings, document } = made
  if (!document) return rejectFor(findings)
  const kept = letterToKeep(printableAddress, document)
  const comment = commentOfNotes(findings)
  return {
    kind: 'advance',
    transition: 'accept',
    findings,
    puts: [kept.object],
    made: kept.made,
    ...(comment !== undefined && { comment }),
  }
}

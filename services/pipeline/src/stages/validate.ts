import { letterToKeep, type MadeLetter, makeLetter } from '@despatch/letters/make-letter'
import { rejectFor } from '../reject-for.ts'
import type { Outcome, Stage } from '../stage.ts'

export type ValidateFacts = MadeLetter

/**
 * The files are trusted now. This stage judges and composes the letter, because a letter that cannot be composed is not
 * valid.
 */
export const validate: Stage<ValidateFacts> = {
  name: 'validate',
  status: 'VALIDATING',
  // the document of a letter without files is stored later
  needsObjects: ({ files }) => files.length > 0,
  gather: (effects, step, signal) =>
    makeLetter(effects, step, step.standardParams, { consumerId: step.consumerId, signal }),
  decide,
}

export function decide({ printableAddress, made: { findings, document } }: ValidateFacts): Outcome {
  if (!document) return rejectFor(findings)
  const { object, made } = letterToKeep(printableAddress, document)
  return { kind: 'advance', transition: 'accept', findings, puts: [object], made }
}

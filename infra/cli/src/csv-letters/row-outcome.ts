import { DespatchError } from '@despatch/client/despatch-error'
import type { Validation } from '@despatch/client/print-job'
import { Failure } from '../failure.ts'

/** `isRepeated`: it was accepted before this run. */
export type RowOutcome =
  | { kind: 'accepted'; why: string; isRepeated?: boolean }
  | { kind: 'refused'; why: string }

/** Returns what a dry run says of a row. */
export function outcomeOfDryRun({ verdict, comment, findings }: Validation): RowOutcome {
  const refusals = findings.filter(({ severity }) => severity === 'refusal')
  const isAccepted = verdict === 'accepted'
  const said = isAccepted || refusals.length === 0 ? findings : refusals
  const why = said.map(({ number, rule, detail }) => `${number ?? rule}: ${detail}`).join('; ')
  return isAccepted
    ? { kind: 'accepted', why }
    : { kind: 'refused', why: why || (comment ?? verdict) }
}

/** What the service answers to a submission. */
export type Created = { warnings?: { detail: string }[] }

export function outcomeOfAnswer({ warnings = [] }: Created): RowOutcome {
  return { kind: 'accepted', why: warnings.map(({ detail }) => detail).join('; ') }
}

/** What the service answers if a print job with the same id and content exists. */
const sameContent = /, whose content is the same(?:, which was deleted at (\S+)\.)?/

/**
 * Returns what an error says of a row. Throws a Failure if it says nothing of this row, such as a missing answer.
 */
export function outcomeOfError(error: unknown): RowOutcome {
  if (!(error instanceof DespatchError)) throw error
  const { status, message, problems, mayHaveTakenEffect } = error
  const why = problems.map(({ detail }) => detail).join('; ') || message
  const repeated = status === 409 ? sameContent.exec(why) : null
  if (repeated) {
    const deleted = repeated[1] === undefined ? '' : `, and deleted at ${repeated[1]}`
    // after a lost answer, the letter that is there is the one of this call
    if (mayHaveTakenEffect && deleted === '') return { kind: 'accepted', why: '' }
    return { kind: 'accepted', why: `submitted before${deleted}`, isRepeated: true }
  }
  if (status !== undefined && [400, 404, 409, 413].includes(status)) return { kind: 'refused', why }
  throw new Failure(message, { exitCode: 1, cause: error, ...(status !== undefined && { status }) })
}

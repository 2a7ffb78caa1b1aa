import { asTold, commentOf, type Finding } from '@despatch/domain/preflight/finding'
import type { Outcome } from './stage.ts'

/** Rejects a letter for what was found in it, told in the order of the rules. Throws when nothing of it refuses: that is a fault of ours. */
export function rejectFor(found: readonly Finding[]): Outcome {
  const findings = asTold(found)
  const comment = commentOf(findings)
  if (comment === undefined) throw new Error('A letter is refused and nothing says why')
  return { kind: 'reject', comment, findings }
}

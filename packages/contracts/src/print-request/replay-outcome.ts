import { replaysMax } from '@despatch/domain/callback/callback-state'
import { replayCountDiffers, replayTooMany } from './problems.ts'

/** The result of a request to replay many callbacks. */
type ReplayOutcome<Replayed> =
  | ({ kind: 'replayed' } & Replayed)
  | { kind: 'differs'; count: number }
  | { kind: 'too-many' }

/** Returns which callbacks are replayed. Throws a Problem 'replay-conflict' if none are. */
export function replayedOf<Replayed>(outcome: ReplayOutcome<Replayed>, expectedCount: number) {
  switch (outcome.kind) {
    case 'replayed':
      return { dryRun: false, ...outcome }
    case 'differs':
      throw replayCountDiffers(outcome.count, expectedCount)
    case 'too-many':
      throw replayTooMany(replaysMax)
  }
}

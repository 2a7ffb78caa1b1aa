import { replaysMax } from '@despatch/domain/callback/callback-state'
import { type ReplayCount, type ReplayResultResponse, renderReplay } from './callback.ts'
import { replayCountDiffers, replayTooMany } from './problems.ts'

/** The result of a request to replay many callbacks. */
export type ReplayOutcome =
  | ({ kind: 'replayed' } & ReplayCount)
  | { kind: 'differs'; count: number }
  | { kind: 'too-many' }

/** Renders which callbacks are replayed. Throws a Problem 'replay-conflict' if none are. */
export function renderReplayOutcome(
  outcome: ReplayOutcome,
  expectedCount: number,
): ReplayResultResponse {
  switch (outcome.kind) {
    case 'replayed':
      return renderReplay(outcome, false)
    case 'differs':
      throw replayCountDiffers(outcome.count, expectedCount)
    case 'too-many':
      throw replayTooMany(replaysMax)
  }
}

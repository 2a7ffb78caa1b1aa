import {
  type ReplayCount,
  type ReplayResultResponse,
  renderReplay,
  replaysMax,
} from './callback.ts'
import { replayCountDiffers, replayTooMany } from './problems.ts'

/** What became of the wish to send many callbacks again. */
export type ReplayOutcome =
  | ({ kind: 'replayed' } & ReplayCount)
  | { kind: 'differs'; count: number }
  | { kind: 'too-many' }

/** Writes which callbacks are sent again. Throws a Problem 'replay-conflict' when none are. */
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

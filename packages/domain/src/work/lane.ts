/**
 * The kinds of waiting work, by what one letter costs. `plain`: letters without files. `files`: letters with files.
 * `slow`: letters that failed or were interrupted before, each of them alone in its batch.
 */
export const lanes = ['plain', 'files', 'slow'] as const
export type Lane = (typeof lanes)[number]

/** The lanes as operators read them. */
export const laneNames: Readonly<Record<Lane, string>> = {
  plain: 'Without files',
  files: 'With files',
  slow: 'Failed or interrupted before',
}

/** The queues that carry batches. `slow` has workers of its own, so that slow letters delay no others. */
export const workQueues = ['letters', 'slow'] as const
export type WorkQueue = (typeof workQueues)[number]

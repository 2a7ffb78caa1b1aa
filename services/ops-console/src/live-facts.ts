import type { ManagedQueue } from '@despatch/queue/queues'
import { type ListedCallbackOrigin, listCallbackOrigins } from '@despatch/store/callback/origins'
import type { Db } from '@despatch/store/database'
import { type FlowMinute, readFlow } from '@despatch/store/overview/flow'
import {
  type DeadCallback,
  type FailingStep,
  listDeadCallbacks,
  listFailingSteps,
} from '@despatch/store/overview/overview'
import { type RunsOfDay, readRunsByDeadline } from '@despatch/store/overview/runs-by-deadline'
import { type Concern, listConcerns, listPausedQueues } from './concerns.ts'
import type { Figures } from './read-figures.ts'
import { shareRecent } from './share-recent.ts'

const rowsMax = 15
const runRowsMax = 40
const originsMax = 50
const flowMinutes = 60
const recentMsMax = 1_000
const slowMsMax = 5_000
const flowMsMax = 15_000

/** The data of the page Now. A part that could not be read is null, and the page says so. */
export type LiveFacts = {
  at: Date
  figures: Figures | null
  concerns: Concern[] | null
  queues: ManagedQueue[] | null
  failingSteps: FailingStep[] | null
  deadCallbacks: DeadCallback[] | null
  failingOrigins: ListedCallbackOrigin[] | null
  runs: RunsOfDay[] | null
  flow: FlowMinute[] | null
}

export type LiveFactsOptions = {
  db: Db
  figures: () => Promise<Figures>
  queues: () => Promise<ManagedQueue[]>
  onError: (error: Error) => void
}

/**
 * Returns a function that reads the data of the page, at most once a second for all readers. Expensive parts are read
 * every few seconds. The data contains only ids, classes and figures.
 */
export function readLiveFacts({ db, figures, queues, onError }: LiveFactsOptions) {
  const failingSteps = shareRecent(() => listFailingSteps(db, rowsMax), recentMsMax)
  const deadCallbacks = shareRecent(() => listDeadCallbacks(db, rowsMax), slowMsMax)
  const origins = shareRecent(() => listFailingOrigins(db), slowMsMax)
  const runs = shareRecent(() => readRunsByDeadline(db, runRowsMax), slowMsMax)
  const flow = shareRecent(() => readFlow(db, { minutes: flowMinutes, now: new Date() }), flowMsMax)

  const orNull = <Value>(reading: Promise<Value>): Promise<Value | null> =>
    reading.catch((error: Error) => {
      onError(error)
      return null
    })
  return shareRecent(async (): Promise<LiveFacts> => {
    const parts = await Promise.all([
      orNull(figures()),
      orNull(queues()),
      orNull(failingSteps()),
      orNull(deadCallbacks()),
      orNull(origins()),
      orNull(runs()),
      orNull(flow()),
    ])
    return {
      at: new Date(),
      figures: parts[0],
      concerns: parts[0] && [
        ...listPausedQueues(parts[1] ?? []),
        ...listConcerns(parts[0], new Date()),
      ],
      queues: parts[1],
      failingSteps: parts[2],
      deadCallbacks: parts[3],
      failingOrigins: parts[4],
      runs: parts[5],
      flow: parts[6],
    }
  }, recentMsMax)
}

async function listFailingOrigins(db: Db): Promise<ListedCallbackOrigin[]> {
  const origins = await listCallbackOrigins(db, { originsMax })
  return origins.filter(({ breaker, failuresInRow }) => breaker !== 'closed' || failuresInRow > 0)
}

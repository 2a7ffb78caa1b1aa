import { type Semaphore, SemaphoreFull } from '@despatch/composer/semaphore'
import { ThreadStarved } from '@despatch/composer/task-limits'
import { Problem } from '@despatch/domain/problem'

/** The response under construction. */
export type Reply = { header(name: string, value: string): unknown }

const retryAfterSeconds = 2

/** Does work that takes a thread. If the service is at its limit, throws a Problem and sets Retry-After. */
export async function withinLimit<Result>(
  semaphore: Semaphore,
  reply: Reply,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await semaphore.use(work)
  } catch (error) {
    if (!(error instanceof SemaphoreFull || error instanceof ThreadStarved)) throw error
    reply.header('retry-after', String(retryAfterSeconds))
    throw new Problem('unavailable', 'Too many print jobs are being validated or drawn at present')
  }
}

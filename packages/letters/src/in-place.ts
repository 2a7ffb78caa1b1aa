import { type Places, PlacesBusy } from '@despatch/composer/places'
import { ThreadStarved } from '@despatch/composer/walls'
import { Problem } from '@despatch/domain/problem'

/** The response under construction. */
export type Reply = { header(name: string, value: string): unknown }

const retryAfterSeconds = 2

/** Does work that takes a thread. If the service is at its limit, throws a Problem and sets Retry-After. */
export async function inPlace<Result>(
  places: Places,
  reply: Reply,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await places.use(work)
  } catch (error) {
    if (!(error instanceof PlacesBusy || error instanceof ThreadStarved)) throw error
    reply.header('retry-after', String(retryAfterSeconds))
    throw new Problem('unavailable', 'Too many print jobs are being tried out or drawn at present')
  }
}

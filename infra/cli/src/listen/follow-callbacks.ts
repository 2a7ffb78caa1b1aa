import { setTimeout as pause } from 'node:timers/promises'
import type {
  CallbackResponse,
  CallbacksResponse,
  CallbackWithLogResponse,
} from '@despatch/contracts/print-request/callback'
import type { ConsumerSession } from '../session.ts'

const pageSize = 100
/** More callbacks than these pages have between two looks are not followed: the oldest are left out. */
const pagesMax = 50
const seenMax = 20_000

export type Follow = {
  /** How many of the callbacks that are there are reported first, at most 100. */
  replay: number
  pollMs: number
  signal: AbortSignal
  /** Called with each callback, one after the other, oldest first. */
  report: (callback: CallbackWithLogResponse) => Promise<void>
  /** Called when Despatch does not answer. It is asked again later. */
  onFailure: (error: unknown) => void
}

/**
 * Reports each callback of the consumer that is created from now on, and each that is sent again, until the signal
 * aborts. Throws a Failure if the first look fails.
 */
export async function followCallbacks(
  { send }: ConsumerSession,
  { replay, pollMs, signal, report, onFailure }: Follow,
): Promise<void> {
  const replaysOf = new Map<string, number>()
  const list = (cursor?: string) => {
    const query = new URLSearchParams({ limit: String(pageSize), ...(cursor && { cursor }) })
    return send<CallbacksResponse>('GET', `/callbacks?${query}`)
  }
  const { callbacks: present } = await list()
  for (const { callbackId, replays } of present.slice(replay)) replaysOf.set(callbackId, replays)
  // once older ones are deleted, the page reaches further back
  const since = present.at(-1)?.createdAt ?? ''
  let waiting = present.slice(0, replay).reverse()
  while (!signal.aborted) {
    try {
      for (; waiting.length > 0 && !signal.aborted; waiting = waiting.slice(1)) {
        const { callbackId, replays } = waiting[0]!
        await report(await send('GET', `/callbacks/${callbackId}`))
        replaysOf.set(callbackId, replays)
      }
      forgetOldest(replaysOf)
      await pause(pollMs, undefined, { signal }).catch(() => {})
      if (!signal.aborted) waiting = await findNew(list, { replaysOf, since })
    } catch (error) {
      onFailure(error)
      await pause(pollMs, undefined, { signal }).catch(() => {})
    }
  }
}

/** Returns callbacks that are new or were sent again, oldest first. Reads pages until one has a known callback. */
async function findNew(
  list: (cursor?: string) => Promise<CallbacksResponse>,
  { replaysOf, since }: { replaysOf: ReadonlyMap<string, number>; since: string },
): Promise<CallbackResponse[]> {
  const found: CallbackResponse[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < pagesMax; pages += 1) {
    const { callbacks, nextCursor } = await list(cursor)
    const isNew = ({ callbackId, replays, createdAt }: CallbackResponse) =>
      createdAt >= since && replaysOf.get(callbackId) !== replays
    found.push(...callbacks.filter(isNew))
    cursor = nextCursor
    if (!cursor || callbacks.some(({ callbackId }) => replaysOf.has(callbackId))) break
  }
  return found.reverse()
}

function forgetOldest(replaysOf: Map<string, number>): void {
  for (const callbackId of replaysOf.keys()) {
    if (replaysOf.size <= seenMax) return
    replaysOf.delete(callbackId)
  }
}

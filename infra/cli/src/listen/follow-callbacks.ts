import { setTimeout as pause } from 'node:timers/promises'
import type {
  CallbackResponse,
  CallbacksResponse,
  CallbackWithLogResponse,
} from '@despatch/contracts/print-request/callback'
import { Failure } from '../failure.ts'
import type { ConsumerSession } from '../session.ts'

const pageSize = 100
/** More callbacks than these pages have between two looks are not followed: the oldest are left out. */
const pagesMax = 50
const seenMax = 20_000

type Follow = {
  /** How many of the existing callbacks are reported first, at most 100. */
  replay: number
  pollMs: number
  signal: AbortSignal
  /** Called after the first look: each callback that is created from then on is reported. */
  onStart?: () => Promise<void> | void
  /** Called with each callback, one after the other, oldest first. */
  report: (callback: CallbackWithLogResponse) => Promise<void>
  /** Called when Despatch does not answer. It is asked again later. */
  onFailure: (error: unknown) => void
  /** Called with what says which callbacks are not reported. */
  onLeftOut: (failure: Failure) => void
  /** Called after each look that succeeded. */
  onLook?: () => void
}

/**
 * Reports each callback of the consumer that is created from now on, and each that is sent again, until the signal
 * aborts. Throws a Failure if the first look fails, and if Despatch no longer accepts the credentials: further attempts
 * would lock the consumer.
 */
export async function followCallbacks(
  { send }: ConsumerSession,
  { replay, pollMs, signal, onStart, report, onFailure, onLeftOut, onLook }: Follow,
): Promise<void> {
  const replaysOf = new Map<string, number>()
  const list = (cursor?: string) => {
    const query = new URLSearchParams({ limit: String(pageSize), ...(cursor && { cursor }) })
    return send<CallbacksResponse>('GET', `/callbacks?${query}`, undefined, signal)
  }
  /** Undefined: Despatch refuses it, such as a callback whose letter has just been deleted. */
  const readCallback = async (callbackId: string) => {
    try {
      const path = `/callbacks/${callbackId}`
      return await send<CallbackWithLogResponse>('GET', path, undefined, signal)
    } catch (error) {
      if (!(error instanceof Failure) || !isFinal(error.status)) throw error
      onLeftOut(
        new Failure(`callback ${callbackId} is left out: ${error.message}`, { exitCode: 1 }),
      )
      return undefined
    }
  }
  const { callbacks: present } = await list()
  await onStart?.()
  for (const { callbackId, replays } of present.slice(replay)) replaysOf.set(callbackId, replays)
  // once older ones are deleted, the page reaches further back
  const since = present.at(-1)?.createdAt ?? ''
  let waiting = present.slice(0, replay).reverse()
  while (!signal.aborted) {
    try {
      for (; waiting.length > 0 && !signal.aborted; waiting = waiting.slice(1)) {
        const { callbackId, replays } = waiting[0]!
        const callback = await readCallback(callbackId)
        if (callback) await report(callback)
        replaysOf.set(callbackId, replays)
      }
      forgetOldest(replaysOf)
      await pause(pollMs, undefined, { signal }).catch(() => {})
      if (signal.aborted) return
      const { found, isCut } = await findNew(list, { replaysOf, since })
      waiting = found
      onLook?.()
      if (isCut) onLeftOut(tooMany())
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof Failure && [401, 403].includes(error.status ?? 0)) throw error
      onFailure(error)
      await pause(pollMs, undefined, { signal }).catch(() => {})
    }
  }
}

/** Returns whether a request that was refused with this status would be refused again. */
function isFinal(status = 0): boolean {
  return status >= 400 && status < 500 && ![401, 403, 408, 429].includes(status)
}

function tooMany(): Failure {
  const number = new Intl.NumberFormat('en-GB').format(pagesMax * pageSize)
  return new Failure(`more than ${number} callbacks are new: the oldest of them are left out`, {
    exitCode: 1,
  })
}

/**
 * Returns callbacks that are new or were sent again, oldest first. Reads pages until one has a known callback. `isCut`:
 * there are more.
 */
async function findNew(
  list: (cursor?: string) => Promise<CallbacksResponse>,
  { replaysOf, since }: { replaysOf: ReadonlyMap<string, number>; since: string },
): Promise<{ found: CallbackResponse[]; isCut: boolean }> {
  const found: CallbackResponse[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < pagesMax; pages += 1) {
    const { callbacks, nextCursor } = await list(cursor)
    const isNew = ({ callbackId, replays, createdAt }: CallbackResponse) =>
      createdAt >= since && replaysOf.get(callbackId) !== replays
    found.push(...callbacks.filter(isNew))
    cursor = nextCursor
    if (!cursor || callbacks.some(({ callbackId }) => replaysOf.has(callbackId))) {
      return { found: found.reverse(), isCut: false }
    }
  }
  return { found: found.reverse(), isCut: true }
}

function forgetOldest(replaysOf: Map<string, number>): void {
  for (const callbackId of replaysOf.keys()) {
    if (replaysOf.size <= seenMax) return
    replaysOf.delete(callbackId)
  }
}

import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { describeSession, findBlockers } from './sessions.ts'

/** While a migration waits for a table, every query that comes after it waits too: so it waits briefly, and lets them pass. */
export const lockTimeoutMs = 2_000
const pausesMs = [500, 1_000, 2_000, 5_000]
const pollMs = 250

const lockNotAvailable = '55P03'
const deadlockDetected = '40P01'

type Waiting = {
  name: string
  client: pg.Client
  /** Another session, which sees what the first waits for. */
  observer: pg.Client
  /** How long all attempts may take together. */
  lockWaitMs: number
  log(line: string): void
}

/**
 * Repeats the work, with pauses, while it does not get a lock in time. Throws when the time is over, naming the sessions
 * that hold the lock.
 */
export async function retryLocks(waiting: Waiting, work: () => Promise<void>): Promise<void> {
  const { name, lockWaitMs, log } = waiting
  const deadline = performance.now() + lockWaitMs
  for (let attempt = 0; ; attempt++) {
    const blockers = watchBlockers(waiting)
    try {
      return await work()
    } catch (cause) {
      const held = `a lock that ${await blockers.stop()} holds`
      if (!isLockFailure(cause)) throw cause
      if (performance.now() > deadline) {
        const seconds = Math.round(lockWaitMs / 1000)
        throw new Error(`it waited ${seconds} s for ${held}: end it, or try again later`, { cause })
      }
      log(`Migration ${name} waits for ${held}`)
      await pause(pausesMs[Math.min(attempt, pausesMs.length - 1)])
    } finally {
      await blockers.stop()
    }
  }
}

function isLockFailure(error: unknown): boolean {
  const { code } = error as { code?: string }
  return code === lockNotAvailable || code === deadlockDetected
}

/** Looks who is in the way while the work waits: after the timeout nobody is any more. */
function watchBlockers({ client, observer }: Waiting): { stop(): Promise<string> } {
  const stopping = new AbortController()
  const { processID: pid } = client as unknown as { processID: number }
  let seen: string[] = []
  const watching = watch()
  async function watch() {
    while (!stopping.signal.aborted) {
      await pause(pollMs, undefined, { signal: stopping.signal }).catch(() => {})
      const found = stopping.signal.aborted ? [] : await findBlockers(observer, pid)
      if (found.length > 0) seen = found.map(describeSession)
    }
  }
  return {
    async stop() {
      stopping.abort()
      await watching
      return seen.join(' and ') || 'another session'
    },
  }
}

import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { lockNotAvailable } from '../database.ts'
import { describeSession, listBlockers } from './sessions.ts'

/**
 * While a migration waits to lock a table, every later query on it waits too. So each attempt is short, with pauses
 * that let queries through.
 */
export const lockTimeoutMs = 2_000
const pausesMs = [500, 1_000, 2_000, 5_000]
const pollMs = 250

const deadlockDetected = '40P01'

type Waiting = {
  name: string
  client: pg.Client
  /** Another session, which can see what the first one waits for. */
  observer: pg.Client
  /** The time limit for all attempts together, in milliseconds. */
  lockWaitMs: number
  log(line: string): void
}

/**
 * Retries the work, with pauses, while it does not get a lock in time. Throws once `lockWaitMs` is over, naming the
 * sessions that hold the lock.
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
        throw new Error(
          `it waited ${seconds} s for ${held}. End that session, or try again later`,
          { cause },
        )
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

/** Looks for blocking sessions while the work waits: after the timeout none are visible. */
function watchBlockers({ client, observer }: Waiting): { stop(): Promise<string> } {
  const stopping = new AbortController()
  const { processID: pid } = client as unknown as { processID: number }
  let seen: string[] = []
  const watching = watch()
  async function watch() {
    while (!stopping.signal.aborted) {
      await pause(pollMs, undefined, { signal: stopping.signal }).catch(() => {})
      const found = stopping.signal.aborted ? [] : await listBlockers(observer, pid)
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

import { randomUUID } from 'node:crypto'
import { BoundedClient } from '@despatch/postgres/bounded-client'
import { sql } from 'kysely'
import type { Db } from './kind.ts'

/** All databases of a server have channels of their own. */
const channel = 'work'
/** Each NOTIFY takes a lock that all commits with one share. */
const restMs = 20
const reconnectMs = 1_000
const heardMs = 1_000

const nudges = new WeakMap<Db, Map<string, () => void>>()

/**
 * Tells other processes that work of a kind waits, to be called after a commit. Calls within 20 ms are one NOTIFY. A nudge
 * may be lost: the next tick of each scheduler finds the work too.
 */
export function nudge(db: Db, kind: string): void {
  const ofDb = nudges.get(db) ?? new Map<string, () => void>()
  nudges.set(db, ofDb)
  const send = ofDb.get(kind) ?? createNudge(db, kind)
  ofDb.set(kind, send)
  send()
}

function createNudge(db: Db, kind: string): () => void {
  let isResting = false
  let isDue = false
  function send(): void {
    isResting = true
    isDue = false
    // a NOTIFY writes a commit, for which nobody waits
    sql`select set_config('synchronous_commit', 'off', true), pg_notify(${channel}, ${kind})`
      .execute(db)
      .catch(() => {})
    setTimeout(() => {
      isResting = false
      if (isDue) send()
    }, restMs)
  }
  return () => {
    if (isResting) isDue = true
    else send()
  }
}

type ListenOptions = {
  /** The address of the database. A pooler that shares connections between transactions passes no nudges on. */
  url: string
  /** Shown in pg_stat_activity. */
  name: string
  kind: string
  /** Called when work of the kind waits, or may have come while the connection was broken. */
  onNudge: () => void
  onError: (error: Error) => void
}

export type NudgeListener = {
  /**
   * Returns the longest pause until the next look for work: `unheardMs` while nudges may not arrive, and a second while
   * they do. That covers a process that dies between its commit and its nudge.
   */
  pauseMs(unheardMs: number): number
  close(): Promise<void>
}

/** Listens for nudges on a connection of its own, and connects again whenever it breaks. */
export function listenForNudges({
  url,
  name,
  kind,
  onNudge,
  onError,
}: ListenOptions): NudgeListener {
  let client: BoundedClient | undefined
  let again: NodeJS.Timeout | undefined
  let isClosed = false
  let isHeard = false

  async function listen(): Promise<void> {
    const opened = new BoundedClient({ connectionString: url, application_name: name })
    client = opened
    opened.on('error', onError)
    const echo = randomUUID()
    opened.on('notification', ({ payload }) => {
      if (payload === kind) onNudge()
      if (payload === echo) isHeard = true
    })
    opened.once('end', () => {
      isHeard = false
      listenAgain()
    })
    try {
      await opened.connect()
      await opened.query(`listen ${channel}`)
      onNudge()
      // a pooler may accept LISTEN and pass on nothing
      await opened.query('select pg_notify($1, $2)', [channel, echo])
    } catch (error) {
      onError(error as Error)
      await opened.end().catch(() => {})
      listenAgain()
    }
  }

  function listenAgain(): void {
    if (isClosed || again) return
    again = setTimeout(() => {
      again = undefined
      void listen()
    }, reconnectMs)
  }

  void listen()
  return {
    pauseMs: (unheardMs) => (isHeard ? Math.max(heardMs, unheardMs) : unheardMs),
    close: async () => {
      isClosed = true
      clearTimeout(again)
      await client?.end().catch(() => {})
    },
  }
}

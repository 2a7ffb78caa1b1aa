import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { BoundedClient, type BoundedClientConfig } from './bounded-client.ts'

export type BoundedPoolConfig = Omit<pg.PoolConfig, 'Client'> &
  BoundedClientConfig & {
    /** How long `close` waits for connections that are in use or do not end, in milliseconds. Default: 5 s. */
    closeMsMax?: number
  }

export type BoundedPool = {
  pool: pg.Pool
  /** Waits until every connection has ended; one that does not in time is destroyed. Safe to repeat. */
  close(): Promise<void>
}

const acquireMsMax = 10_000
const closeMsMaxDefault = 5_000

/**
 * Opens a pool of connections on which nothing waits for ever: see BoundedClient. Waiting for a connection, free or new, ends
 * after 10 s. An error of an idle connection goes to `onError`: the pool replaces it.
 */
export function openPool(
  { closeMsMax = closeMsMaxDefault, ...config }: BoundedPoolConfig,
  onError: (error: Error) => void = () => {},
): BoundedPool {
  const pool = new pg.Pool({
    connectionTimeoutMillis: acquireMsMax,
    ...config,
    Client: BoundedClient as unknown as new () => pg.ClientBase,
  })
  pool.on('error', onError)
  const open = new Map<BoundedClient, Promise<void>>()
  pool.on('connect', (connected) => {
    const client = connected as unknown as BoundedClient
    // One that breaks while it is in use fails its query; the event that comes besides must not end the process.
    client.on('error', () => {})
    const { promise, resolve } = Promise.withResolvers<void>()
    open.set(client, promise)
    client.connection.stream.once('close', () => {
      open.delete(client)
      resolve()
    })
  })

  async function close(): Promise<void> {
    const ended = pool.end()
    const late = new AbortController()
    const lateness = pause(closeMsMax, 'late', late).catch(() => {})
    // The pool only asks for it. PostgreSQL may be stopped next, and would report those that it still has.
    const isLate = await Promise.race([ended.then(() => Promise.all(open.values())), lateness])
    late.abort()
    if (isLate !== 'late') return
    // One that its user never gives back keeps the pool from ending.
    for (const client of open.keys()) client.connection.stream.destroy()
    await Promise.all(open.values())
  }

  let closed: Promise<void> | undefined
  return {
    pool,
    close: () => {
      closed ??= close()
      return closed
    },
  }
}

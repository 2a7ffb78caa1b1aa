import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { BoundedClient, type BoundedClientConfig } from './bounded-client.ts'
import { refuseIamFault } from './iam-address.ts'

type BoundedPoolConfig = Omit<pg.PoolConfig, 'Client'> &
  BoundedClientConfig & {
    /** How long `close` waits for connections that are in use or do not end, in milliseconds. Default: 5 s. */
    closeMsMax?: number
  }

export type BoundedPool = {
  pool: pg.Pool
  /** Waits until every connection has ended and destroys those that do not end in time. Safe to repeat. */
  close(): Promise<void>
}

const acquireMsMax = 10_000
/** A new connection costs as much as some hundred statements, and knows none of the plans of the one before. */
const idleMsMax = 60_000
const closeMsMaxDefault = 5_000

/**
 * Opens a pool of connections that never wait without limit (see BoundedClient). Getting a connection, free or new,
 * fails after 10 s. A connection that is not used for a minute is closed. An error of an idle connection is passed to
 * `onError`, and the pool replaces the connection.
 */
export function openPool(
  { closeMsMax = closeMsMaxDefault, ...config }: BoundedPoolConfig,
  onError: (error: Error) => void = () => {},
): BoundedPool {
  refuseIamFault(config.connectionString)
  const pool = new pg.Pool({
    connectionTimeoutMillis: acquireMsMax,
    idleTimeoutMillis: idleMsMax,
    ...config,
    Client: BoundedClient as unknown as new () => pg.ClientBase,
  })
  pool.on('error', onError)
  const open = new Map<BoundedClient, Promise<void>>()
  pool.on('connect', (connected) => {
    const client = connected as unknown as BoundedClient
    // A connection that breaks during use fails its query. Without a listener, the error event would also end the
    // process.
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
    // `pool.end()` does not wait until connections are closed. PostgreSQL may be stopped next and would report open
    // ones.
    const isLate = await Promise.race([ended.then(() => Promise.all(open.values())), lateness])
    late.abort()
    if (isLate !== 'late') return
    // A connection that is never released keeps the pool from ending.
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

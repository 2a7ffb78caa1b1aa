import type { Socket } from 'node:net'
import pg from 'pg'
import { refuseIamFault, signsInByIam } from './iam-address.ts'
import { preparedName } from './prepared.ts'

export type BoundedClientConfig = pg.ClientConfig & {
  /** How long the server may be silent while a statement waits for it, in milliseconds. */
  silenceMsMax?: number
}

/** Longer than the statement timeout of the services (30 s), so that the server reports a slow statement first. */
const silenceMsDefault = 35_000
const connectMsDefault = 10_000
/** How long a server may take to close a connection that was ended regularly. */
const endTimeoutMs = 2_000

/** The server was silent for too long while a statement waited. The code is that of a connection whose peer is gone. */
class SilentServer extends Error {
  override readonly name = 'SilentServer'
  readonly code = 'ETIMEDOUT'
}

/**
 * A connection to PostgreSQL that never waits without limit, even if the peer accepts bytes and never answers. If a
 * statement waits and the server is silent for `silenceMsMax`, the connection is destroyed. Its statements fail with
 * SilentServer, and a pool replaces it. The limit applies to silence, not to the statement's duration, so a COPY may
 * take any time. A statement that works silently for longer requires `allowSilence`. A connection that only listens is
 * not limited. The driver's `query_timeout` is no alternative: it leaves the connection in the pool with an answer
 * still to come. With `?auth=aws-iam` in its address, it signs in with a token of AWS IAM. Statements that begin with
 * `prepared` are prepared by name.
 */
export class BoundedClient extends pg.Client {
  #silenceMsMax: number

  constructor(config: BoundedClientConfig = {}) {
    super({ connectionTimeoutMillis: connectMsDefault, keepAlive: true, ...config })
    this.#silenceMsMax = config.silenceMsMax ?? silenceMsDefault
    this.once('connect', () => this.#watch())
    refuseIamFault(config.connectionString)
    if (signsInByIam(config.connectionString)) this.#takeTokens()
  }

  /** Sets how long the server may be silent from now on, in milliseconds. */
  allowSilence(ms: number): void {
    this.#silenceMsMax = ms
    this.#socket().setTimeout(ms)
  }

  // biome-ignore lint/suspicious/noExplicitAny: the driver's method takes a statement in many forms
  override query(statement: any, ...rest: any[]): any {
    const name = typeof statement === 'string' ? preparedName(statement) : undefined
    return super.query(name ? { name, text: statement } : statement, ...rest)
  }

  override end(): Promise<void>
  override end(callback: (error: Error) => void): void
  override end(callback?: (error: Error) => void): Promise<void> | void {
    const socket = this.#socket()
    const timer = setTimeout(() => socket.destroy(), endTimeoutMs)
    socket.once('close', () => clearTimeout(timer))
    if (socket.destroyed) clearTimeout(timer)
    return callback ? super.end(callback) : super.end()
  }

  /** The driver asks for the password when the server does, within the limit of connecting. */
  #takeTokens(): void {
    const { host, port, user = '' } = this
    const password = async () => {
      try {
        const { makeIamToken } = await import('./iam-token.ts')
        return await makeIamToken({ host, port, user })
      } catch (error) {
        // The driver reports the error, and leaves the connection open.
        this.#socket().destroy()
        throw error
      }
    }
    Object.assign(this, { password })
  }

  #watch(): void {
    const socket = this.#socket()
    socket.setTimeout(this.#silenceMsMax)
    socket.on('timeout', () => {
      if (!this.#isWaiting()) return
      const seconds = this.#silenceMsMax / 1000
      socket.destroy(new SilentServer(`PostgreSQL did not respond to a statement for ${seconds} s`))
    })
  }

  /**
   * The driver sets `readyForQuery` to false when it sends a statement and to true when the server is ready for
   * another.
   */
  #isWaiting(): boolean {
    return (this as unknown as { readyForQuery?: boolean }).readyForQuery === false
  }

  // A TLS connection has a different socket after its handshake.
  #socket(): Socket {
    return this.connection.stream as Socket
  }
}

/** Sets how long the server may be silent on a pool's connection, in milliseconds. Release it with `release(true)`. */
export function allowSilence(client: pg.ClientBase, ms: number): void {
  if (client instanceof BoundedClient) client.allowSilence(ms)
}

/**
 * Sends the statements that `work` starts before its first wait in one write, if the connection pipelines. A write for
 * each costs this process a system call, and wakes the server each time.
 */
export function sendTogether<Result>(client: pg.ClientBase, work: () => Result): Result {
  const { stream } = (client as pg.Client).connection
  stream.cork()
  try {
    return work()
  } finally {
    stream.uncork()
  }
}

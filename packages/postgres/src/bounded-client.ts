import type { Socket } from 'node:net'
import pg from 'pg'

export type BoundedClientConfig = pg.ClientConfig & {
  /** How long the server may say nothing while a statement waits for it, in milliseconds. */
  silenceMsMax?: number
}

/** The server says at least this long before the default that a statement took too long. */
const silenceMsDefault = 35_000
const connectMsDefault = 10_000
/** How long a server may take to close a connection that was ended politely. */
const goodbyeMsMax = 2_000

/** The server said nothing to a statement for too long. The code is that of a connection whose peer is gone. */
export class SilentServer extends Error {
  override readonly name = 'SilentServer'
  readonly code = 'ETIMEDOUT'
}

/**
 * A connection to PostgreSQL on which nothing waits for ever, whatever the peer does with the bytes that it accepts. When a
 * statement waits and the server says nothing for `silenceMsMax`, the connection is destroyed: its statements fail with
 * SilentServer, and a pool replaces it. Silence is measured rather than the statement's time, so that a COPY may be as long
 * as it is; a statement that may work in silence for longer needs `allowSilence`. A connection that only listens is left
 * alone. `query_timeout` of the driver would leave the connection in the pool, with an answer still to come.
 */
export class BoundedClient extends pg.Client {
  #silenceMsMax: number

  constructor(config: BoundedClientConfig = {}) {
    super({ connectionTimeoutMillis: connectMsDefault, keepAlive: true, ...config })
    this.#silenceMsMax = config.silenceMsMax ?? silenceMsDefault
    this.once('connect', () => this.#watch())
  }

  /** Lets the server be silent for this long, in milliseconds, from now on. */
  allowSilence(ms: number): void {
    this.#silenceMsMax = ms
    this.#socket().setTimeout(ms)
  }

  override end(): Promise<void>
  override end(callback: (error: Error) => void): void
  override end(callback?: (error: Error) => void): Promise<void> | void {
    const socket = this.#socket()
    const timer = setTimeout(() => socket.destroy(), goodbyeMsMax)
    socket.once('close', () => clearTimeout(timer))
    if (socket.destroyed) clearTimeout(timer)
    return callback ? super.end(callback) : super.end()
  }

  #watch(): void {
    const socket = this.#socket()
    socket.setTimeout(this.#silenceMsMax)
    socket.on('timeout', () => {
      if (!this.#isWaiting()) return
      const seconds = this.#silenceMsMax / 1000
      socket.destroy(new SilentServer(`PostgreSQL said nothing to a statement for ${seconds} s`))
    })
  }

  /** The driver clears this when it sends a statement and sets it when the server is ready for another. */
  #isWaiting(): boolean {
    return (this as unknown as { readyForQuery?: boolean }).readyForQuery === false
  }

  // The socket of a connection with TLS is another one than before its handshake.
  #socket(): Socket {
    return this.connection.stream as Socket
  }
}

/** Lets the server be silent for longer on a connection of a pool. Release it with `release(true)`. */
export function allowSilence(client: pg.ClientBase, ms: number): void {
  if (client instanceof BoundedClient) client.allowSilence(ms)
}

import { hash } from 'node:crypto'
import { once } from 'node:events'
import net from 'node:net'

/**
 * A TCP proxy on a free port of 127.0.0.1 that makes the faults of a network on demand. It starts without a fault.
 * `close` ends its connections.
 */
export type TcpProxy = AsyncDisposable & {
  port: number
  /** The URL with this proxy in place of its host and port. */
  through(url: string): string
  /**
   * Cuts one connection at the next complete reply that follows client bytes that match. The server has done what it was
   * asked; the client cannot know. Settles when the connection is cut.
   */
  loseReply(lost: LostReply): Promise<void>
  /**
   * As `loseReply` for every request that matches, the first time that its bytes come; the second time is answered. Returns
   * how many replies are lost so far.
   */
  loseReplies(lost: Required<Pick<LostReply, 'request'>> & LostReply): () => number
  /** Accepts connections and bytes, and passes nothing on in either direction until `resume`. */
  hang(): void
  /** The same once the server has sent this many bytes more. */
  hangAfter(bytes: number): void
  /** Resets every connection, and each new one, until `resume`. */
  refuse(): void
  /** Ends `hang` and `refuse`. Connections that hung are reset, since bytes were dropped. */
  resume(): void
  close(): Promise<void>
}

export type LostReply = {
  /** Whether these bytes of a client belong to the request. Default: any. */
  request?: (bytes: Buffer) => boolean
  /** Whether the server has finished when it has sent these bytes. Default: `endsTransaction` of PostgreSQL. */
  isComplete?: (bytes: Buffer) => boolean
}

type Pair = { client: net.Socket; server: net.Socket; losing?: Armed; dropped: boolean }
type Armed = Required<LostReply> & { done: () => void }

/**
 * Starts a proxy in front of a server on this machine. The target is read at each connection: change its port when the
 * server starts again on another.
 */
export async function startTcpProxy(target: { port: number; host?: string }): Promise<TcpProxy> {
  const pairs = new Set<Pair>()
  let armed: Armed | undefined
  let losingAll: Armed | undefined
  const seen = new Set<string>()
  let mode: 'pass' | 'hang' | 'refuse' = 'pass'
  let bytesUntilHang = Number.POSITIVE_INFINITY

  const server = net.createServer((client) => {
    if (mode === 'refuse') {
      client.on('error', () => {})
      client.resetAndDestroy()
      return
    }
    const pair: Pair = {
      client,
      server: net.connect(target.port, target.host ?? '127.0.0.1'),
      dropped: false,
    }
    pairs.add(pair)
    client.on('data', (bytes) => {
      if (armed?.request(bytes)) {
        pair.losing = armed
        armed = undefined
      } else if (losingAll?.request(bytes) && isNew(seen, bytes)) pair.losing = losingAll
      if (mode === 'hang') pair.dropped = true
      else pair.server.write(bytes)
    })
    pair.server.on('data', (bytes) => {
      bytesUntilHang -= bytes.length
      if (bytesUntilHang < 0) mode = 'hang'
      if (pair.losing?.isComplete(bytes)) {
        const { done } = pair.losing
        reset(pair)
        done()
      } else if (mode === 'hang') pair.dropped = true
      else client.write(bytes)
    })
    for (const socket of [client, pair.server]) socket.on('error', () => {})
    client.on('close', () => {
      pairs.delete(pair)
      pair.server.destroy()
    })
    pair.server.on('close', () => {
      // A peer that hangs does not say that it has closed either.
      if (mode === 'hang') pair.dropped = true
      else client.destroy()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as net.AddressInfo

  const close = async () => {
    const closed = once(server, 'close')
    server.close()
    for (const pair of pairs) reset(pair)
    await closed
  }
  return {
    port,
    through: (url) => {
      const via = new URL(url)
      via.hostname = '127.0.0.1'
      via.port = String(port)
      return via.href
    },
    loseReply: ({ request = () => true, isComplete = endsTransaction }) =>
      new Promise((done) => {
        armed = { request, isComplete, done }
      }),
    loseReplies: ({ request, isComplete = endsTransaction }) => {
      let lost = 0
      losingAll = { request, isComplete, done: () => void lost++ }
      return () => lost
    },
    hang: () => {
      mode = 'hang'
    },
    hangAfter: (bytes) => {
      bytesUntilHang = bytes
    },
    refuse: () => {
      mode = 'refuse'
      for (const pair of pairs) reset(pair)
    },
    resume: () => {
      mode = 'pass'
      bytesUntilHang = Number.POSITIVE_INFINITY
      for (const pair of pairs) if (pair.dropped) reset(pair)
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

function isNew(seen: Set<string>, bytes: Buffer): boolean {
  const digest = hash('sha256', bytes)
  return !seen.has(digest) && seen.add(digest).has(digest)
}

function reset({ client, server }: Pair): void {
  client.resetAndDestroy()
  server.destroy()
}

const readyAndIdle = Buffer.from([0x5a, 0, 0, 0, 5, 0x49])

/** True for bytes that end with PostgreSQL's ReadyForQuery outside a transaction: what came before is committed or rolled back. */
export function endsTransaction(bytes: Buffer): boolean {
  return bytes.subarray(-readyAndIdle.length).equals(readyAndIdle)
}

import { hash } from 'node:crypto'
import { once } from 'node:events'
import net from 'node:net'

/**
 * A TCP proxy on a free port of 127.0.0.1 that causes network faults on request. Initially there is no fault. `close`
 * closes all connections.
 */
export type TcpProxy = AsyncDisposable & {
  port: number
  /** Returns the URL with the host and port of this proxy. */
  through(url: string): string
  /**
   * Cuts one connection at the next complete reply that follows matching bytes of the client. The server has carried
   * out the request, but the client cannot know. Settles when the connection is cut.
   */
  loseReply(lost: LostReply): Promise<void>
  /**
   * Stops the next connection whose client sends matching bytes, runs `act` at that exact moment, and then continues or
   * cuts the connection. Settles after that. Rejects with the error that `act` throws. If several are set, they apply
   * in the order in which they were set.
   */
  stopAt(failpoint: Failpoint): Promise<void>
  /**
   * Does what `loseReply` does for every matching request, the first time that its bytes arrive. The second time it is
   * answered. Returns a function that returns the number of lost replies so far.
   */
  loseReplies(lost: Required<Pick<LostReply, 'request'>> & LostReply): () => number
  /** Accepts connections and bytes, but forwards nothing in either direction until `resume`. */
  hang(): void
  /** Hangs after the server has sent this many more bytes. */
  hangAfter(bytes: number): void
  /** Resets every connection, including new ones, until `resume`. */
  refuse(): void
  /** Ends `hang` and `refuse`. Connections on which bytes were dropped are reset. */
  resume(): void
  close(): Promise<void>
}

type LostReply = {
  /** Whether these bytes of a client belong to the request. Default: always true. */
  request?: (bytes: Buffer) => boolean
  /** Whether these bytes of the server complete its reply. Default: `endsTransaction`, for PostgreSQL. */
  isComplete?: (bytes: Buffer) => boolean
}

/**
 * A moment in a conversation: before the server gets a request, or after it has carried it out but before the client
 * knows.
 */
export type Failpoint = LostReply & {
  at: 'before-request' | 'before-reply'
  /** Runs at that moment with the bytes, and decides what happens to them. */
  act: (bytes: Buffer) => Promise<Fate>
}

/**
 * `cut`: the bytes are dropped, and both sides lose the connection. An answer: the client gets it instead, and the
 * connection ends.
 */
export type Fate = 'pass' | 'cut' | { answer: string }

type Pair = { client: net.Socket; server: net.Socket; stop?: Armed; dropped: boolean }
type Armed = Required<Failpoint> & { done: (acting: Promise<unknown>) => void }

/**
 * Starts a proxy in front of a server on this machine. Each new connection reads the target: if the server restarts on
 * another port, change the target's port.
 */
export async function startTcpProxy(target: { port: number; host?: string }): Promise<TcpProxy> {
  const pairs = new Set<Pair>()
  const armed: Armed[] = []
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
    const forward = (to: net.Socket, bytes: Buffer) => {
      if (mode === 'hang') pair.dropped = true
      else if (!to.destroyed) to.write(bytes)
    }
    client.on('data', (bytes) => {
      const place = armed.findIndex(({ request }) => request(bytes))
      const stop = armed.splice(place, place < 0 ? 0 : 1)[0]
      if (stop?.at === 'before-request') {
        halt(pair, client, stop, { bytes, goOn: () => forward(pair.server, bytes) })
        return
      }
      if (stop) pair.stop = stop
      else if (losingAll?.request(bytes) && isNew(seen, bytes)) pair.stop = losingAll
      forward(pair.server, bytes)
    })
    pair.server.on('data', (bytes) => {
      bytesUntilHang -= bytes.length
      if (bytesUntilHang < 0) mode = 'hang'
      const { stop } = pair
      if (stop?.isComplete(bytes)) {
        delete pair.stop
        halt(pair, pair.server, stop, { bytes, goOn: () => forward(client, bytes) })
      } else forward(client, bytes)
    })
    for (const socket of [client, pair.server]) socket.on('error', () => {})
    client.on('close', () => {
      pairs.delete(pair)
      pair.server.destroy()
    })
    pair.server.on('close', () => {
      // While the proxy hangs, it does not pass on that the server has closed its connection.
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
  const stopAt: TcpProxy['stopAt'] = ({
    request = () => true,
    isComplete = endsTransaction,
    ...failpoint
  }) =>
    new Promise((resolve, reject) => {
      const done = (acting: Promise<unknown>) => void acting.then(() => resolve(), reject)
      armed.push({ request, isComplete, ...failpoint, done })
    })
  return {
    port,
    through: (url) => {
      const via = new URL(url)
      via.hostname = '127.0.0.1'
      via.port = String(port)
      return via.href
    },
    loseReply: (lost) => stopAt({ ...lost, at: 'before-reply', act: cut }),
    stopAt,
    loseReplies: ({ request, isComplete = endsTransaction }) => {
      let lost = 0
      losingAll = { request, isComplete, at: 'before-reply', act: cut, done: () => void lost++ }
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

async function cut(): Promise<'cut'> {
  return 'cut'
}

/** Accepts no more bytes from one side of a pair until `act` has finished. */
function halt(
  pair: Pair,
  from: net.Socket,
  { act, done }: Armed,
  { bytes, goOn }: { bytes: Buffer; goOn: () => void },
): void {
  from.pause()
  const acting = act(bytes)
  const end = (fate: Fate) => {
    if (fate === 'cut') return reset(pair)
    if (fate === 'pass') {
      goOn()
      from.resume()
      return
    }
    pair.client.end(fate.answer)
    pair.server.destroy()
  }
  const giveUp = (error: unknown) => {
    reset(pair)
    throw error
  }
  done(acting.then(end, giveUp))
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

/**
 * Whether the bytes end with PostgreSQL's ReadyForQuery outside a transaction: all before it is committed or rolled
 * back.
 */
export function endsTransaction(bytes: Buffer): boolean {
  return bytes.subarray(-readyAndIdle.length).equals(readyAndIdle)
}

import type { AllowedRange } from '@despatch/domain/callback/may-call'
import { Agent, Client, type Dispatcher, Pool } from 'undici'
import { type Connections, createConnectionsFor } from './connect.ts'
import { type OutboundAnswer, OutboundAttempt } from './outbound-attempt.ts'
import type { Resolve } from './resolve.ts'

export type OutboundCall = {
  /** Scheme, host and port, as `mayCall` gave it. */
  origin: string
  path: string
  /** Names and values in turn. */
  headers: readonly string[]
  body: Uint8Array
}

export type Outbound = {
  /** Makes one POST and never throws: what went wrong is the answer. */
  post(call: OutboundCall): Promise<OutboundAnswer>
  close(): Promise<void>
}

export type OutboundOptions = {
  allowed: readonly AllowedRange[]
  /** Must not be less than the calls that are made at once: a call that waits for a connection uses up its time. */
  callsPerOriginMax: number
  /** From the start of the connection to the end of the answer's body. */
  deadlineMs: number
  resolve: Resolve
}

const answerHeaderBytesMax = 16 * 1024
// Shorter than common servers keep a connection, so that a call seldom meets one that is being closed.
const idleConnectionMs = 3_000
const idleConnectionMsMax = 20_000
// The address was judged when the connection was made: later ones are judged anew.
const connectionAgeMsMax = 60_000

/**
 * Opens what makes calls to addresses that consumers chose. It connects only where `mayConnect` lets it, follows no
 * redirect, knows no proxy, decompresses nothing, and reads a bounded answer in bounded time.
 */
export function openOutbound(options: OutboundOptions): Outbound {
  const { callsPerOriginMax, deadlineMs } = options
  const connectionsFor = createConnectionsFor(options)
  const agent = new Agent({
    factory: (origin, poolOptions) =>
      new Pool(origin, {
        ...(poolOptions as Pool.Options),
        factory: (clientOrigin, clientOptions) =>
          new AddressedClient(clientOrigin, clientOptions as Client.Options, connectionsFor()),
      }),
    connections: callsPerOriginMax,
    clientTtl: connectionAgeMsMax,
    pipelining: 1,
    allowH2: false,
    // The attempt keeps the time itself, all of it together.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: answerHeaderBytesMax,
    keepAliveTimeout: idleConnectionMs,
    keepAliveMaxTimeout: idleConnectionMsMax,
  })
  return {
    post: ({ origin, path, headers, body }) => {
      // undici would refuse it too, yet count the connection as taken from then on.
      if (!headers.every(isHeaderText)) return Promise.resolve(unsendable)
      const { promise, resolve } = Promise.withResolvers<OutboundAnswer>()
      const attempt = new OutboundAttempt(deadlineMs, resolve)
      const request = { origin, path, method: 'POST', headers: headers as string[], body } as const
      agent.dispatch(request, attempt)
      return promise
    },
    // What is under way ends by its own deadline.
    close: () => agent.close(),
  }
}

const unsendable: OutboundAnswer = {
  result: { kind: 'unsendable' },
  outcome: 'unsendable',
  failure: 'header',
}

/** RFC 9110: a header is made of visible characters, blanks, tabs and the upper half of Latin-1. */
function isHeaderText(text: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(text)
}

/** A client has one connection at a time, so it knows the address that an attempt went to. */
class AddressedClient extends Client {
  readonly #connections: Connections

  constructor(origin: string | URL, options: Client.Options, connections: Connections) {
    super(origin, { ...options, connect: connections.connect })
    this.#connections = connections
  }

  override dispatch(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    if (handler instanceof OutboundAttempt) handler.connections = this.#connections
    return super.dispatch(options, handler)
  }
}

import { Agent, Client, type Dispatcher, Pool } from 'undici'
import { type ClientCertificates, noClientCertificates } from './client-certificates.ts'
import { type Connections, type ConnectOptions, createConnectionsFor } from './connect.ts'
import { type OutboundAnswer, OutboundAttempt } from './outbound-attempt.ts'

export type OutboundCall = {
  /** Whose callback it is: the call uses the consumer's client certificate, if it has one. */
  consumerId: string
  /** Scheme, host and port, as `mayCall` returned it. */
  origin: string
  path: string
  /** Names and values alternating. */
  headers: readonly string[]
  body: Uint8Array
}

export type Outbound = {
  /** Makes one POST. Never throws: the answer describes an error. */
  post(call: OutboundCall): Promise<OutboundAnswer>
  close(): Promise<void>
}

export type OutboundOptions = Omit<ConnectOptions, 'readIdentity'> & {
  /** Default: none. */
  certificates?: ClientCertificates
  /**
   * Must be at least the number of calls at once, because the deadline of a call also runs while it waits for a
   * connection.
   */
  callsPerOriginMax: number
  /** From the start of the connection to the end of the response body. */
  deadlineMs: number
}

const answerHeaderBytesMax = 16 * 1024
// Shorter than common servers keep a connection, so that a call rarely uses one that the server is closing.
const idleConnectionMs = 3_000
const idleConnectionMsMax = 20_000
// The address is checked when a connection is made. After this time, a new connection checks it again.
const connectionAgeMsMax = 60_000

/**
 * Opens a client for calls to addresses that consumers chose. It connects only where `mayConnect` permits. It follows
 * no redirect, uses only the given proxy, decompresses nothing, and reads a bounded response in bounded time.
 */
export function openOutbound(options: OutboundOptions): Outbound {
  const { certificates = noClientCertificates, deadlineMs } = options
  const shared = openAgent(options)
  // A consumer with a certificate shares no connection with others.
  const identified = new Map<string, Agent>()
  function agentFor(consumerId: string): Agent {
    if (!certificates.has(consumerId)) {
      void identified.get(consumerId)?.close()
      identified.delete(consumerId)
      return shared
    }
    const readIdentity = () => certificates.read(consumerId)
    const agent = identified.get(consumerId) ?? openAgent({ ...options, readIdentity })
    identified.set(consumerId, agent)
    return agent
  }
  return {
    post: ({ consumerId, origin, path, headers, body }) => {
      // undici would reject such a header too, but would count the connection as in use from then on.
      if (!headers.every(isHeaderText)) return Promise.resolve(unsendable)
      const agent = agentFor(consumerId)
      const { promise, resolve } = Promise.withResolvers<OutboundAnswer>()
      const attempt = new OutboundAttempt(deadlineMs, resolve)
      const request = { origin, path, method: 'POST', headers: headers as string[], body } as const
      agent.dispatch(request, attempt)
      return promise
    },
    // Calls under way end by their own deadline.
    close: async () => {
      await Promise.all([shared, ...identified.values()].map((agent) => agent.close()))
    },
  }
}

function openAgent(options: ConnectOptions & Pick<OutboundOptions, 'callsPerOriginMax'>): Agent {
  const connectionsFor = createConnectionsFor(options)
  return new Agent({
    factory: (origin, poolOptions) =>
      new Pool(origin, {
        ...(poolOptions as Pool.Options),
        factory: (clientOrigin, clientOptions) =>
          new AddressedClient(
            clientOrigin,
            clientOptions as Client.Options,
            connectionsFor(String(clientOrigin)),
          ),
      }),
    connections: options.callsPerOriginMax,
    clientTtl: connectionAgeMsMax,
    pipelining: 1,
    allowH2: false,
    // The attempt has one deadline for everything.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: answerHeaderBytesMax,
    keepAliveTimeout: idleConnectionMs,
    keepAliveMaxTimeout: idleConnectionMsMax,
  })
}

const unsendable: OutboundAnswer = {
  result: { kind: 'unsendable' },
  outcome: 'unsendable',
  failure: 'header',
}

/** RFC 9110: a header consists of visible characters, spaces, tabs and the upper half of Latin-1. */
function isHeaderText(text: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(text)
}

/** A client has one connection at a time, so it knows the address of an attempt. */
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

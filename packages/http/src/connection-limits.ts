import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export type ConnectionSettings = {
  /** Default 4,000. */
  DESPATCH_CONNECTIONS_MAX?: number
  /** Default 72,000. */
  DESPATCH_KEEP_ALIVE_MS?: number
}

const headersMsMax = 10_000
/** A file of 10 MiB in base64 takes 112 s at 1 Mbit/s. */
const requestMsMax = 120_000
/** Longer than any handler works without writing, and than a reader may pause. */
const silenceMsMax = 300_000
const checkEveryMs = 1_000
/** Beyond these, the parser refuses the request. */
export const headerBytesMax = 16 * 1024
export const headersMax = 100
const connectionsMaxDefault = 4_000
/** Longer than the minute after which most load balancers close an idle connection. */
const keepAliveMsDefault = 72_000
/** The server itself refuses connections beyond these, before one can be closed to make room. */
const slack = 16

/** Returns the options of an HTTP server: how long a request may take to arrive, and how large its headers may be. */
export function serverOptionsOf(settings: ConnectionSettings = {}) {
  return {
    headersTimeout: headersMsMax,
    requestTimeout: requestMsMax,
    keepAliveTimeout: settings.DESPATCH_KEEP_ALIVE_MS ?? keepAliveMsDefault,
    connectionsCheckingInterval: checkEveryMs,
    maxHeaderSize: headerBytesMax,
    // The server's own refusal has no body. `answerBelowRouting` refuses these requests.
    requireHostHeader: false,
  } satisfies ServerOptions
}

/** `request`: the one that is being answered. Absent: the connection waits for one. */
type Connection = { socket: Socket; request: IncomingMessage | undefined; since: number }

/**
 * Limits the connections of a server. At the limit, a new connection replaces the one that has waited longest for a
 * request, else the one whose body has been arriving longest. If every connection waits for its response, the new one
 * is closed. So idle and slow connections cannot keep others out. Call it before the server listens.
 */
export function limitConnections(server: Server, settings: ConnectionSettings = {}): void {
  const connectionsMax = settings.DESPATCH_CONNECTIONS_MAX ?? connectionsMaxDefault
  // No request enters or leaves a Map or Set: each table that such a collection outgrows keeps its successor alive until
  // the next full garbage collection, and so every request.
  const open = new Map<Socket, Connection>()
  let changes = 0
  server.maxHeadersCount = headersMax
  server.maxConnections = connectionsMax + slack
  server.timeout = silenceMsMax

  function findReplaceable(): Connection | undefined {
    let found: Connection | undefined
    for (const connection of open.values()) {
      if (connection.request?.complete) continue
      if (!found || isReplacedBefore(connection, found)) found = connection
    }
    return found
  }

  server.on('connection', (socket: Socket) => {
    if (open.size >= connectionsMax) {
      const replaced = findReplaceable()
      if (!replaced) return void socket.destroy()
      open.delete(replaced.socket)
      replaced.socket.destroy()
    }
    changes += 1
    open.set(socket, { socket, request: undefined, since: changes })
    socket.once('close', () => open.delete(socket))
  })
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const connection = open.get(request.socket)
    if (!connection) return
    const change = (to: IncomingMessage | undefined) => {
      changes += 1
      Object.assign(connection, { request: to, since: changes })
    }
    change(request)
    response.once('close', () => {
      // a later request of the connection may have arrived
      if (connection.request === request) change(undefined)
    })
  })
}

/** Whether the first is replaced before the second. Both wait for a request, or for the rest of one. */
function isReplacedBefore(first: Connection, second: Connection): boolean {
  const isIdle = first.request === undefined
  return isIdle === (second.request === undefined) ? first.since < second.since : isIdle
}

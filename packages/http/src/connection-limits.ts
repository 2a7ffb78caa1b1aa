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

/**
 * Limits the connections of a server. At the limit, a new connection replaces the one that has waited longest for a
 * request, else the one whose body has been arriving longest. If every connection waits for its response, the new one
 * is closed. So idle and slow connections cannot keep others out. Call it before the server listens.
 */
export function limitConnections(server: Server, settings: ConnectionSettings = {}): void {
  const connectionsMax = settings.DESPATCH_CONNECTIONS_MAX ?? connectionsMaxDefault
  const open = new Set<Socket>()
  // Both in the order in which the wait began.
  const waiting = new Set<Socket>()
  const receiving = new Map<Socket, IncomingMessage>()
  server.maxHeadersCount = headersMax
  server.maxConnections = connectionsMax + slack
  server.timeout = silenceMsMax

  function forget(socket: Socket): void {
    open.delete(socket)
    waiting.delete(socket)
    receiving.delete(socket)
  }

  function findReplaceable(): Socket | undefined {
    for (const socket of waiting) return socket
    for (const [socket, request] of receiving) {
      if (!request.complete) return socket
      receiving.delete(socket)
    }
  }

  server.on('connection', (socket: Socket) => {
    if (open.size >= connectionsMax) {
      const replaced = findReplaceable()
      if (!replaced) return void socket.destroy()
      forget(replaced)
      replaced.destroy()
    }
    open.add(socket)
    waiting.add(socket)
    socket.once('close', () => forget(socket))
  })
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    waiting.delete(socket)
    receiving.set(socket, request)
    response.once('close', () => {
      receiving.delete(socket)
      if (open.has(socket)) waiting.add(socket)
    })
  })
}

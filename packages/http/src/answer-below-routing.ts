import { randomUUID } from 'node:crypto'
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { hasDotSegment } from '@despatch/domain/dot-segment'
import { Problem, type RequestProblemKind } from '@despatch/domain/problem'
import { headerBytesMax, headersMax } from './connection-limits.ts'
import { defaultHeaders } from './default-headers.ts'
import type { ErrorRenderer } from './error-handler.ts'
import { correlationIdOf } from './read-request.ts'
import type { RecordRefusal } from './request-log.ts'
import { type ClientError, isUnknownMethod, targetAtStartOf } from './unknown-method.ts'

/** How one API writes errors, and records the requests that it refuses without a route. */
export type Refusing = ErrorRenderer & { recordRefusal: RecordRefusal }

/**
 * Answers what the HTTP server itself refuses, before a request has a route: a malformed request, too many or too large
 * headers, a request that takes too long to arrive, an unknown `Expect`, a request of HTTP/1.1 without `Host`, a target
 * that is neither a path nor a URL of a server, a path that programs read differently, an unknown method, and CONNECT.
 * A server of several APIs gives a function that returns the one at a URL. The URL is that of the request, else that of
 * the last request on the connection, else empty. A request whose target is an absolute URL is served as one for its
 * path. Call it after the listeners that serve requests are in place.
 */
export function answerBelowRouting(
  server: Server,
  api: Refusing | ((url: string) => Refusing),
): void {
  const apiAt = typeof api === 'function' ? api : () => api
  const connections = new WeakMap<Socket, Connection>()
  const connectionOf = (socket: Socket): Connection => {
    const known = connections.get(socket)
    if (known) return known
    const connection: Connection = { url: '', open: [] }
    connections.set(socket, connection)
    return connection
  }

  function track(request: IncomingMessage, response: ServerResponse): void {
    const connection = connectionOf(request.socket)
    connection.url = request.url ?? ''
    const exchange = { request, response }
    connection.open.push(exchange)
    response.once('close', () => {
      connection.open = connection.open.filter((other) => other !== exchange)
    })
  }

  // A server of one API does not look at each packet, because that makes it slower.
  if (typeof api === 'function') {
    server.on('connection', (socket: Socket) => {
      const connection = connectionOf(socket)
      socket.prependListener('data', (packet: Buffer) => {
        if (!receivedBy(connection)) connection.url = urlAtStartOf(packet) ?? connection.url
      })
    })
  }
  const answer = (request: IncomingMessage, response: ServerResponse, problem: FoundBelow) => {
    const { status, headers, body } = refuse(apiAt(request.url ?? ''), problem, request)
    // The body that may follow is not read.
    response.writeHead(status, headers)
    response.end(body)
  }

  const serve = server.listeners('request')
  server.removeAllListeners('request')
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const isWithoutHost = lacksHost(request)
    const isTarget = useOriginForm(request)
    track(request, response)
    if (isWithoutHost) return answer(request, response, withoutHost)
    if (!isTarget) return answer(request, response, wrongTarget)
    if (isAmbiguousPath(request.url ?? '')) return answer(request, response, ambiguousPath)
    for (const listener of serve) listener.call(server, request, response)
  })
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    useOriginForm(request)
    track(request, response)
    answer(request, response, expectationFailed)
  })
  // Replaces the listener of the framework, whose responses have another shape.
  server.removeAllListeners('clientError')
  server.on('clientError', (error: ClientError, socket: Socket) => {
    if (error.code === 'ECONNRESET') return void socket.destroy(error)
    if (isUnknownMethod(error)) return end(socket, unknownMethod, { allow: knownMethods })
    end(socket, problemOf(error))
  })
  // The server parses nothing that follows, so the connection ends.
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    socket.on('error', () => socket.destroy())
    end(socket, connectRefused, { allow: '' })
  })

  function end(socket: Socket, problem: FoundBelow, extraHeaders = {}): void {
    const connection = connectionOf(socket)
    const { url, open } = connection
    // Within a response that has begun, another one would corrupt it. With pipelining, several are open.
    const hasBegun = open.some(({ response }) => response.headersSent)
    if (!socket.writable || hasBegun) return void socket.destroy()
    const { status, headers, body } = refuse(apiAt(url), problem, receivedBy(connection))
    const lines = Object.entries({ ...headers, ...extraHeaders }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    )
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`, () =>
      socket.destroy(),
    )
  }
}

/** `url` is that of the last request, and `open` has the requests whose response is not complete. */
type Connection = { url: string; open: Exchange[] }
type Exchange = { request: IncomingMessage; response: ServerResponse }
type FoundBelow = Problem<RequestProblemKind>

const expectationFailed: FoundBelow = new Problem(
  'expectation-failed',
  'The only Expect that the service meets is 100-continue',
)

const headersTooLarge: FoundBelow = new Problem(
  'headers-too-large',
  `A request has at most ${headersMax} headers, of ${headerBytesMax / 1024} KiB together`,
)

const connectRefused: FoundBelow = new Problem(
  'method-not-allowed',
  'The service is not a proxy: it accepts no CONNECT',
)

/** Methods are case-sensitive. */
const knownMethods = 'DELETE, GET, HEAD, PATCH, POST, PUT'

const unknownMethod: FoundBelow = new Problem(
  'method-not-allowed',
  `The method is unknown. The service knows ${knownMethods}`,
)

const withoutHost: FoundBelow = new Problem(
  'malformed-request',
  'A request of HTTP/1.1 must have the header Host',
)

const wrongTarget: FoundBelow = new Problem(
  'malformed-request',
  'The target of the request must be a path, or an http or https URL without user information and fragment',
)

const ambiguousPath: FoundBelow = new Problem(
  'malformed-request',
  'The path must be percent-encoded UTF-8, and none of its segments may be . or ..',
)

function lacksHost({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion === '1.1' && headers.host === undefined
}

/**
 * RFC 9112, 3.2: a target is a path, an absolute URL whose host replaces the header Host, or `*` with OPTIONS. Returns
 * whether it is one of them.
 */
function useOriginForm(request: IncomingMessage): boolean {
  const { url = '', method } = request
  if (url.startsWith('/')) return true
  if (url === '*') return method === 'OPTIONS'
  const parts = absoluteParts(url)
  if (!parts) return false
  request.url = parts.path
  request.headers.host = parts.host
  return true
}

const absoluteUrl =
  /^https?:\/\/(?<host>(?:\[[\da-f:.]+\]|[^\s/?#@:\\[\]]+)(?::\d*)?)(?<path>[/?][^#]*)?$/i

function absoluteParts(target: string): { host: string; path: string } | undefined {
  const { host, path = '' } = absoluteUrl.exec(target)?.groups ?? {}
  return host === undefined ? undefined : { host, path: path.startsWith('/') ? path : `/${path}` }
}

function problemOf({ code }: ClientError): FoundBelow {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return headersTooLarge
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new Problem('body-too-large', 'The chunk extensions of the body are too large')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('request-timeout', 'The request did not arrive in time')
    default:
      return new Problem('malformed-request', 'The request is not valid HTTP/1.1')
  }
}

/** The request whose body is arriving. */
function receivedBy({ open }: Connection): IncomingMessage | undefined {
  return open.find(({ request }) => !request.complete)?.request
}

/** A request may arrive in several packets. Only the first one begins with the request line. */
function urlAtStartOf(packet: Buffer): string | undefined {
  const target = targetAtStartOf(packet)
  return target?.startsWith('/') ? target : absoluteParts(target ?? '')?.path
}

/** Records the refusal and returns the response. The request is given if its headers have arrived. */
function refuse(api: Refusing, problem: FoundBelow, request?: IncomingMessage) {
  const correlationId = request ? correlationIdOf(request) : randomUUID()
  const { status, body, headers } = api.renderProblem(problem) ?? api.renderFault(correlationId)
  api.recordRefusal(problem.kind, correlationId)
  const text = JSON.stringify(body)
  return {
    status,
    headers: {
      ...headers,
      ...defaultHeaders,
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(text)),
      'x-correlation-id': correlationId,
      connection: 'close',
    },
    body: text,
  }
}

/**
 * Returns whether programs may read the path of a URL differently: it is not percent-encoded UTF-8, or has a segment `.`
 * or `..`.
 */
function isAmbiguousPath(url: string): boolean {
  const path = decoded(url.split(/[?#]/, 1)[0]!)
  return path === undefined || hasDotSegment(path)
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}

import { randomUUID } from 'node:crypto'
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { Problem, type RequestProblemKind } from '@despatch/domain/problem'
import type { ErrorRenderer } from './error-handler.ts'

type RenderProblem = ErrorRenderer['renderProblem']

/**
 * Answers what the HTTP server itself refuses, before a request has a route: a malformed request, headers that are too
 * large, a request that takes too long to arrive, and an unknown `Expect`. `rendererOf` returns the renderer of the API
 * that serves a URL. The URL is empty where it is not known. Where the API has no response, the connection is closed.
 */
export function answerBelowRouting(
  server: Server,
  rendererOf: (url: string) => RenderProblem,
): void {
  const answering = new WeakMap<Socket, ServerResponse>()
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    answering.set(request.socket, response)
    response.once('close', () => {
      if (answering.get(request.socket) === response) answering.delete(request.socket)
    })
  })
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const refused = render(rendererOf(request.url ?? ''), expectationFailed)
    if (!refused) return void request.socket.destroy()
    // The body that may follow is not read.
    response.writeHead(refused.status, { ...refused.headers, connection: 'close' })
    response.end(refused.body)
  })
  // Replaces the listener of the framework, whose responses have another shape.
  server.removeAllListeners('clientError')
  server.on('clientError', (error: ClientError, socket: Socket) => {
    // After the first bytes of a response, another one would corrupt it.
    if (!socket.writable || error.code === 'ECONNRESET' || answering.get(socket)?.headersSent) {
      return void socket.destroy(error)
    }
    const refused = render(rendererOf(urlOf(error)), problemOf(error))
    if (!refused) return void socket.destroy(error)
    const { status, headers, body } = refused
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}connection: close\r\n\r\n${body}`,
      () => socket.destroy(),
    )
  })
}

type ClientError = Error & { code?: string; rawPacket?: Buffer }
type FoundBelow = Problem<RequestProblemKind>

const expectationFailed: FoundBelow = new Problem(
  'expectation-failed',
  'The only Expect that the service meets is 100-continue',
)

function problemOf({ code }: ClientError): FoundBelow {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new Problem('headers-too-large', 'The headers of the request are too large')
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new Problem('body-too-large', 'The chunk extensions of the body are too large')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('request-timeout', 'The request did not arrive in time')
    default:
      return new Problem('malformed-request', 'The request is not valid HTTP/1.1')
  }
}

/** The packet begins with the request line, unless the request arrived in several packets. */
function urlOf({ rawPacket }: ClientError): string {
  return /^[A-Z]+ (\/[^ ]*)/.exec(rawPacket?.toString('latin1') ?? '')?.[1] ?? ''
}

function render(renderProblem: RenderProblem, problem: FoundBelow) {
  const rendered = renderProblem(problem)
  if (!rendered) return
  const body = JSON.stringify(rendered.body)
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'x-correlation-id': randomUUID(),
  }
  return { status: rendered.status, headers, body }
}

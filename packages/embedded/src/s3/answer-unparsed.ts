import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type ClientError, isUnknownMethod } from '@despatch/http/unknown-method'
import { S3Error } from './s3-error.ts'
import { element, xmlDocument } from './xml.ts'

/**
 * Answers what the HTTP server refuses before there is a request, such as too large headers, with an error of S3. The
 * server's own answer has no body.
 */
export function answerUnparsed(server: Server): void {
  const open = new WeakMap<Socket, Set<ServerResponse>>()
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const responses = open.get(socket) ?? new Set()
    open.set(socket, responses.add(response))
    response.once('close', () => responses.delete(response))
  })
  server.on('clientError', (error: ClientError, socket: Socket) => {
    // Within a response that has begun, another one would corrupt it.
    const hasBegun = [...(open.get(socket) ?? [])].some(({ headersSent }) => headersSent)
    if (error.code === 'ECONNRESET' || !socket.writable || hasBegun) return void socket.destroy()
    socket.end(render(refusalOf(error)), () => socket.destroy())
  })
}

function refusalOf(error: ClientError): S3Error {
  if (isUnknownMethod(error)) {
    return new S3Error('MethodNotAllowed', 'The method of the request is unknown')
  }
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new S3Error('RequestHeaderSectionTooLarge', 'The headers of the request are too large')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new S3Error('RequestTimeout', 'The request did not arrive in time')
    default:
      return new S3Error('InvalidRequest', 'The request is not valid HTTP/1.1')
  }
}

function render({ status, code, message }: S3Error): string {
  const body = xmlDocument(element('Error', { Code: code, Message: message }))
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/xml',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

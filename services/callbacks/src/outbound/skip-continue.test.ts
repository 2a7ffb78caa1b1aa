import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { skipContinue } from './skip-continue.ts'

function aSocket() {
  const stream = new PassThrough()
  return { stream, awaitResponse: skipContinue(stream as unknown as Socket) }
}

/** Returns what undici reads of these pieces, each of which arrives by itself. */
function readPieces({ stream }: ReturnType<typeof aSocket>, pieces: readonly string[]): string {
  let seen = ''
  for (const piece of pieces) {
    stream.write(piece, 'latin1')
    for (let chunk = stream.read(); chunk !== null; chunk = stream.read()) {
      seen += chunk.toString('latin1')
    }
  }
  return seen
}

const final = 'HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n'
const answers: [string, string][] = [
  [final, final],
  [`HTTP/1.1 100 Continue\r\n\r\n${final}`, final],
  [`HTTP/1.0 100\r\n\r\n${final}`, final],
  [`HTTP/1.1 100 Continue\r\nx: y\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n${final}`, final],
  [`HTTP/1.1 100 Continue\n\n${final}`, final],
  ['HTTP/1.1 1000 No\r\n\r\n', 'HTTP/1.1 1000 No\r\n\r\n'],
  ['HTTP/1.1 103 Hints\r\n\r\n', 'HTTP/1.1 103 Hints\r\n\r\n'],
  ['SSH-2.0', 'SSH-2.0'],
  ['HTTP/1.1 100 Continue\r\n', ''],
]

test.for(answers)('%j is read as %j, split at any position', ([sent, read]) => {
  for (let at = 0; at <= sent.length; at += 1) {
    const socket = aSocket()
    socket.awaitResponse()
    expect(readPieces(socket, [sent.slice(0, at), sent.slice(at)])).toBe(read)
  }
  const socket = aSocket()
  socket.awaitResponse()
  expect(readPieces(socket, [...sent])).toBe(read)
})

test('a body that looks like 100 Continue is kept', () => {
  const socket = aSocket()
  socket.awaitResponse()
  const body = 'HTTP/1.1 100 Continue\r\n\r\n'

  expect(readPieces(socket, [final, body])).toBe(final + body)
})

test('each response of a connection loses its 100 Continue', () => {
  const socket = aSocket()
  for (let call = 0; call < 2; call += 1) {
    socket.awaitResponse()
    expect(readPieces(socket, [`HTTP/1.1 100 Continue\r\n\r\n${final}`])).toBe(final)
  }
})

test('endless headers are left to the parser, which limits them', () => {
  const socket = aSocket()
  socket.awaitResponse()
  const endless = `HTTP/1.1 100 Continue\r\nx: ${'y'.repeat(20_000)}`

  expect(readPieces(socket, [endless])).toBe(endless)
})

import { connect } from 'node:net'
import { shared } from '@despatch/testing/shared'
import { expect, onTestFinished, test } from 'vitest'
import { aConsoleStage, anAdministration } from './a-console.ts'

const stage = await shared(aConsoleStage())

/** Administration that responds in two parts. The second part follows when `finish` or `breakOff` is called. */
async function aSlowAnswer() {
  const parts = [Buffer.from([0x50, 0x4b, 0x03, 0x04, 0xff, 0x00]), Buffer.alloc(200_000, 0xfe)]
  const second = Promise.withResolvers<'finish' | 'break off'>()
  const administration = await anAdministration(async (_request, response) => {
    response.writeHead(200, {
      'content-type': 'application/zip',
      'content-disposition': 'attachment; filename="evidence.zip"',
      'content-length': String(Buffer.concat(parts).length),
      'cache-control': 'private, no-store',
    })
    response.write(parts[0])
    if ((await second.promise) === 'finish') response.end(parts[1])
    else response.destroy()
  })
  const url = await stage.listening(administration)
  const answer = await fetch(`${url}/administration/v1/print-jobs/any/evidence.zip`)
  return {
    parts,
    answer,
    finish: () => second.resolve('finish'),
    breakOff: () => second.resolve('break off'),
  }
}

test('forwards a file byte by byte as it arrives, with its headers', async () => {
  const { parts, answer, finish } = await aSlowAnswer()
  const reader = answer.body!.getReader()

  const first = await reader.read()
  finish()
  const rest: Uint8Array[] = []
  for (let next = await reader.read(); !next.done; next = await reader.read()) rest.push(next.value)

  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'application/zip',
    'content-disposition': 'attachment; filename="evidence.zip"',
    'content-length': '200006',
    'cache-control': 'private, no-store',
  })
  expect(Buffer.from(first.value!)).toEqual(parts[0])
  expect(Buffer.concat(rest).equals(parts[1]!)).toBe(true)
})

test('one that breaks off breaks off here too', async () => {
  const { answer, breakOff } = await aSlowAnswer()

  breakOff()

  await expect(answer.arrayBuffer()).rejects.toThrow('terminated')
})

const refusedBody = 'a'.repeat(3_000_000)
test.each([
  ['a path that the proxy does not forward', '/administration/v1/consumers/a../b', '', 400],
  ['dots in a query', '/administration/v1/consumers?a=../b', '', 413],
  ['a body that is refused before it ends', '/administration/v1/record-sets', refusedBody, 413],
])('answers %s, and the next request on the connection', async (_name, path, body, status) => {
  const administration = await anAdministration((request, response) => {
    response.writeHead(413, { 'content-type': 'application/json' }).end('{}')
    request.resume()
  })
  const { port } = new URL(await stage.listening(administration))
  const socket = connect(Number(port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
  socket.write('GET /health/live HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')

  let received = ''
  for await (const part of socket) received += part

  expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`, 'HTTP/1.1 200'])
})

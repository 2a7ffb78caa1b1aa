import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signIn } from '../src/session.ts'

/** Issues a JWT at each sign-in, and accepts only the latest. */
const despatch = { signedIn: 0, taken: [] as string[] }
const server = createServer(async (request, response) => {
  const body = await text(request)
  response.setHeader('content-type', 'application/json')
  if (request.url === '/thirdparty-access/v1/authenticate') {
    despatch.signedIn += 1
    return response.end(JSON.stringify({ 'id-token': `token ${despatch.signedIn}` }))
  }
  if (request.headers.authorization !== `Bearer token ${despatch.signedIn}`) {
    return response.writeHead(401).end('{"errors":[{"detail":"Expired"}]}')
  }
  despatch.taken.push(`${request.method} ${contentTypeOf(request)} ${body}`)
  response.end('{"rowsRead":1}')
})

beforeAll(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)))
afterAll(() => void server.close())

test('signs in again when the JWT has expired, and sends what was refused once more', async () => {
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const credential = { userName: 'chief', password: 'secret', apiKey: 'key' }
  const session = await signIn({ baseUrl: address, opsUrl: address, credential })
  // Simulates the expiry of the JWT after an hour.
  despatch.signedIn += 1

  const answer = await session.sendLines(
    '/record-sets/1/rows?fromRow=0',
    Buffer.from('{}\n'),
    new AbortController().signal,
  )
  await session.send('POST', '/record-sets/1/publish')

  expect(answer).toEqual({ rowsRead: 1 })
  expect(despatch).toEqual({
    signedIn: 3,
    taken: ['POST application/x-ndjson {}\n', 'POST undefined '],
  })
})

function contentTypeOf({ headers }: IncomingMessage): string {
  return String(headers['content-type'])
}

import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import * as operations from '@despatch/contracts/print-request/callback-operations'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authenticate } from '../stack/a-consumer.ts'
import { type ADespatch, aDespatch } from '../stack/a-despatch.ts'
import { type Followed, followGuide, readGuide } from '../stack/follow-guide.ts'
import { answersOf, differenceFrom, type Fence, fencesOf } from '../stack/runnable-guide.ts'

const root = resolve(import.meta.dirname, '../..')
const firstPage = 'docs/callbacks.md'
const pages = await readGuide(firstPage)
const fences = [...pages].flatMap(([path, text]) => fencesOf(path, text))
/** The guide runs many short commands, a simulated factory, and a message that fails twice. */
const followedWithinMs = 180_000
const startedWithinMs = 90_000

type Message = { type: string; data: { jobStatus?: string } }

/** The callback bodies that the first page shows. */
const shownMessages = fences
  .filter(({ language, place }) => language === 'json' && place.startsWith(`${firstPage}:`))
  .map((fence) => ({ fence, message: JSON.parse(fence.text) as Message }))
  .filter(({ message }) => message.type !== undefined)

test.each(Object.values(operations))('calls $method $url', ({ method, url }) => {
  const commands = fences
    .filter(({ isRun }) => isRun)
    .map(({ text }) => text)
    .join('\n')
  const [, path = ''] = url.split('/v1', 2)
  const pattern = path.replaceAll(/:\w+/g, '\\$\\w+')
  const options = { GET: '', POST: '(-X POST |"\\$\\{json\\[@\\]\\}" )', DELETE: '-X DELETE ' }

  expect(commands).toMatch(
    new RegExp(`curl "\\$\\{me\\[@\\]\\}" ${options[method]}"\\$api${pattern}["?]`),
  )
})

test('shows the receiver that it runs', async () => {
  const receiver = await readFile(join(root, 'docs/examples/callbacks/receiver.mjs'), 'utf8')

  expect(fences.map(({ text }) => text)).toContain(receiver)
})

describe('run as it stands', () => {
  let despatch: ADespatch
  let followed: Followed

  beforeAll(async () => {
    despatch = await aDespatch({
      DESPATCH_ENVIRONMENT: 'uat',
      DESPATCH_SIMULATOR: 'on',
      DESPATCH_PRINT_RUN_AGE_MS: '300',
    })
    followed = await followGuide(fences, despatch.directory, followedWithinMs)
  }, startedWithinMs + followedWithinMs)
  afterAll(() => despatch[Symbol.asyncDispose]())

  test.each(answersOf(fences))('gets the answer of $shown.place', ({ block, shown }) => {
    expect(differenceFrom(shown, followed.outputs.get(block.place) ?? '')).toBeUndefined()
  })

  test.each(shownMessages)('is sent the message of $fence.place', async ({ fence, message }) => {
    const received = await receivedMessages()
    const isOfKind = ({ type, data }: Message) =>
      type === message.type && data.jobStatus === message.data.jobStatus
    const sent = received.find((line) => isOfKind(JSON.parse(line)))

    expect(differenceFrom(fence, sent ?? '')).toBeUndefined()
    expect(membersOf(JSON.parse(sent!))).toEqual(membersOf(message))
  })

  test('takes each message once, those that were sent again too', async () => {
    const ids = (await receivedMessages()).map((line) => JSON.parse(line).id)

    // three of letters, one for each of the two secrets, and three that were refused first
    expect(ids).toHaveLength(8)
    expect(new Set(ids).size).toBe(8)
  })

  test('is sent the headers that it shows, with a signature that the library verifies', async () => {
    const { headers, body } = await haveSent('Bearer of-your-choice')
    const next = JSON.parse(await readFile(join(followed.work, 'next.json'), 'utf8'))

    expect(namesOf(headers)).toEqual(
      namesShown(fences.find(({ language }) => language === 'http')!),
    )
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      authorization: 'Bearer of-your-choice',
      'user-agent': 'despatch-callbacks',
      'webhook-id': JSON.parse(body).id,
      'x-correlation-id': JSON.parse(body).metadata.correlationId,
    })
    const verified = new Webhook(next.secret).verify(body, headers as Record<string, string>)
    expect(verified).toEqual(JSON.parse(body))
  })

  test('deletes the secrets of its earlier run, and no other secret of the consumer', async () => {
    const page = fences.filter(({ place }) =>
      place.startsWith('docs/callbacks/on-your-machine.md:'),
    )
    const creates = ({ text }: Fence) => text.includes('-X POST "$api/callback-signing-secrets"')
    const own = await callSecrets('POST')

    await followGuide(page.slice(0, page.findIndex(creates) + 1), despatch.directory, 60_000)

    const { signingSecrets } = await callSecrets('GET')
    expect(signingSecrets).toHaveLength(2)
    expect(signingSecrets.map(({ secretId }) => secretId)).toContain(own.secretId)
  })

  async function callSecrets(
    method: 'GET' | 'POST',
  ): Promise<{ secretId: string; signingSecrets: { secretId: string }[] }> {
    const { baseUrl, consumer } = despatch.credentials
    const response = await fetch(`${baseUrl}/print-request/v1/callback-signing-secrets`, {
      method,
      headers: {
        authorization: await authenticate(baseUrl, consumer),
        'x-api-key': consumer.apiKey,
      },
    })
    return (await response.json()) as Awaited<ReturnType<typeof callSecrets>>
  }

  async function receivedMessages(): Promise<string[]> {
    const log = await readFile(join(followed.work, 'received.log'), 'utf8')
    return log.split('\n').filter((line) => line.startsWith('{'))
  }

  /** Sends a test message to a receiver that records the request unchanged. */
  async function haveSent(authenticationHeader: string) {
    const { baseUrl, consumer } = despatch.credentials
    const requests: { headers: IncomingHttpHeaders; body: string }[] = []
    const server = createServer(async (request, response) => {
      const chunks = await request.toArray()
      requests.push({ headers: request.headers, body: Buffer.concat(chunks).toString() })
      response.writeHead(204).end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    try {
      const { port } = server.address() as AddressInfo
      const answered = once(server, 'request')
      const response = await fetch(`${baseUrl}/print-request/v1/callbacks/test`, {
        method: 'POST',
        headers: {
          authorization: await authenticate(baseUrl, consumer),
          'x-api-key': consumer.apiKey,
          'content-type': 'application/json',
        },
        body: JSON.stringify({
          callbackParams: { target: `http://127.0.0.1:${port}/`, authenticationHeader },
        }),
      })
      expect(response.status).toBe(202)
      const [, reply] = await answered
      await once(reply, 'finish')
      return requests[0]!
    } finally {
      server.closeAllConnections()
      server.close()
    }
  }
})

/** Returns the names of the headers, except the one of the connection. */
function namesOf(headers: IncomingHttpHeaders): string[] {
  return Object.keys(headers)
    .filter((name) => name !== 'connection')
    .toSorted()
}

function namesShown({ text }: Fence): string[] {
  return [...text.matchAll(/^([\w-]+): /gm)].map(([, name]) => name!).toSorted()
}

/** Returns the members of a message and of its data. The guide must show all of them, and no others. */
function membersOf(message: Message): string[] {
  const members = [...Object.keys(message), ...Object.keys(message.data).map((key) => `.${key}`)]
  return members.toSorted()
}

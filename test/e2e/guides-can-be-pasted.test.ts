import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { eventually } from '@despatch/testing/eventually'
import { PDFDocument } from 'pdf-lib'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aCaller, type Call, signedIn } from '../stack/a-caller.ts'
import { aConsumer } from '../stack/a-consumer.ts'
import { type ADespatch, aDespatch } from '../stack/a-despatch.ts'
import { type Followed, followGuide, readFences } from '../stack/follow-guide.ts'
import { answersOf, differenceFrom, type Fence } from '../stack/runnable-guide.ts'
import type { Credential } from '../stack/start-despatch.ts'

const fencesOf = {
  'docs/callbacks.md': await readFences('docs/callbacks.md'),
  'docs/client.md': await readFences('docs/client.md'),
  'docs/first-template.md': await readFences('docs/first-template.md'),
  'docs/provider-guide.md': await readFences('docs/provider-guide.md'),
  'README.md': await readFences('README.md'),
}
type Guide = keyof typeof fencesOf
const guides = Object.keys(fencesOf) as Guide[]
/** The other pages use what the first one defines. */
const firstSteps = (
  await Promise.all(
    ['docs/first-print-jobs.md', 'docs/send-control.md', 'docs/enquiries.md'].map(readFences),
  )
).flat()
/** Each guide runs many short commands. On an idle machine none takes half a minute. */
const followedWithinMs = 240_000
/** A guide that hangs is killed first, so that the failure says where. */
const testWithinMs = followedWithinMs + 10_000
const startedWithinMs = 90_000

let despatch: ADespatch
const passes: (Followed & { guide: Guide })[] = []
beforeAll(async () => {
  despatch = await aDespatch({ DESPATCH_ENVIRONMENT: 'uat', DESPATCH_SIMULATOR: 'on' })
}, startedWithinMs)
afterAll(() => despatch[Symbol.asyncDispose]())

test.each(guides)(
  '%s can be pasted after the other guides',
  async (guide) => {
    const followed = await followGuide(fencesOf[guide], despatch.directory, followedWithinMs, {
      hasRealNpx: guide === 'README.md',
    })
    passes.push({ guide, ...followed })
  },
  testWithinMs,
)

test.each(guides.flatMap((guide) => answersOf(fencesOf[guide])))(
  'a pasted guide prints the output of $shown.place',
  ({ block, shown }) => {
    const outputs = passes.flatMap((pass) => pass.outputs.get(block.place) ?? [])

    expect(outputs).not.toEqual([])
    expect(outputs.map((output) => differenceFrom(shown, output))).toEqual(
      outputs.map(() => undefined),
    )
  },
)

/** Reads a file that the guide wrote. */
function readWork(guide: Guide, name: string): Promise<Buffer> {
  return readFile(join(passes.find((pass) => pass.guide === guide)!.work, name))
}

/** Returns a function that calls an API as this user. */
async function callerOf(api: string, credential: Credential): Promise<Call> {
  const { baseUrl } = despatch.credentials
  return aCaller(`${baseUrl}/${api}/v1/`, await signedIn(baseUrl, credential))
}

/** Sends a test message to a receiver that records the request unchanged. */
async function haveSent(authenticationHeader: string) {
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
    const call = await callerOf('print-request', despatch.credentials.consumer)
    const callbackParams = { target: `http://127.0.0.1:${port}/`, authenticationHeader }
    expect(await call('POST', 'callbacks/test', { callbackParams })).toMatchObject({ status: 202 })
    const [, reply] = await answered
    await once(reply, 'finish')
    return requests[0]!
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

describe('the receiver in the guide to callbacks', () => {
  type Message = { type: string; data: { jobStatus?: string } }

  const fences = fencesOf['docs/callbacks.md']
  /** The callback bodies that the first page shows. */
  const shownMessages = fences
    .filter(({ language, place }) => language === 'json' && place.startsWith('docs/callbacks.md:'))
    .map((fence) => ({ fence, message: JSON.parse(fence.text) as Message }))
    .filter(({ message }) => message.type !== undefined)

  test.each(shownMessages)('gets the message of $fence.place', async ({ fence, message }) => {
    const received = await receivedMessages()
    const isOfKind = ({ type, data }: Message) =>
      type === message.type && data.jobStatus === message.data.jobStatus
    const sent = received.find((line) => isOfKind(JSON.parse(line)))

    expect(differenceFrom(fence, sent ?? '')).toBeUndefined()
    expect(membersOf(JSON.parse(sent!))).toEqual(membersOf(message))
  })

  test('processes each message once, although some are sent again', async () => {
    const ids = (await receivedMessages()).map((line) => JSON.parse(line).id)

    // three of letters, one for each of the two secrets, and three that were refused first
    expect(ids).toHaveLength(8)
    expect(new Set(ids).size).toBe(8)
  })

  test('gets the headers that the guide shows, with a signature that the library verifies', async () => {
    const { headers, body } = await haveSent('Bearer of-your-choice')
    const next = JSON.parse(String(await readWork('docs/callbacks.md', 'next.json')))

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
    const call = await callerOf('print-request', despatch.credentials.consumer)
    const own = await call('POST', 'callback-signing-secrets')

    await followGuide(page.slice(0, page.findIndex(creates) + 1), despatch.directory, 60_000)

    const { body } = await call<{ signingSecrets: { secretId: string }[] }>(
      'GET',
      'callback-signing-secrets',
    )
    expect(body.signingSecrets).toHaveLength(2)
    expect(body.signingSecrets.map(({ secretId }) => secretId)).toContain(own.body.secretId)
  }, 60_000)

  async function receivedMessages(): Promise<string[]> {
    const log = String(await readWork('docs/callbacks.md', 'received.log'))
    return log.split('\n').filter((line) => line.startsWith('{'))
  }

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
})

describe('the provider guide', () => {
  const readOwn = (name: string) => readWork('docs/provider-guide.md', name)

  test('brings two runs to CLOSED, and a third is voided by an operator', async () => {
    const credential = JSON.parse(String(await readOwn('acme.json')))
    const call = await callerOf('print-fulfilment', credential)
    const statesOf = async (query: string) => {
      const { body } = await call<{ printRuns: { despatchMethod: string; state: string }[] }>(
        'GET',
        `print-runs${query}`,
      )
      return body.printRuns
        .map(({ despatchMethod, state }) => `${despatchMethod} ${state}`)
        .toSorted()
    }

    expect(await statesOf('')).toEqual(['FIRST CLOSED', 'SECOND CLOSED'])
    expect(await statesOf('?state=VOIDED')).toEqual(['ECONOMY VOIDED'])
  })

  test("shows each letter's outcome: refused, failed, recalled, reprinted or reassigned", async () => {
    const consumer = await aConsumer(despatch.credentials.baseUrl, despatch.credentials.consumer)
    const block = fencesOf['docs/provider-guide.md'].find(
      ({ isRun, text }) => isRun && text.includes('\nsend '),
    )
    const output = passes.findLast(({ outputs }) => outputs.has(block!.place))!.outputs
    const sent = [...output.get(block!.place)!.matchAll(/"id":"([^"]+)"/g)].map(([, id]) => id!)
    const read = async (id: string) => {
      const { body } = await consumer.call<{ status: string; comment?: string }>(
        'GET',
        `jobs/${id}`,
      )
      return [body.status, ...(body.comment === undefined ? [] : [body.comment])].join(': ')
    }
    // the simulated factory prints the letter of the refused run
    const letters = await eventually(
      async () => {
        const statuses = await Promise.all(sent.map(read))
        return !statuses.includes('PRODUCTION') && statuses
      },
      { deadlineMs: 60_000, pollMs: 500, message: 'no letter is in production' },
    )
    const timelines = await Promise.all(
      sent.map(async (id) =>
        JSON.stringify((await consumer.call('GET', `jobs/${id}/events`)).body.events),
      ),
    )

    expect(letters.toSorted()).toEqual([
      ...Array<string>(7).fill('DESPATCHED'),
      'REJECTED: Failed at the print provider: TOO_DARK: More ink than the paper holds',
      expect.stringMatching(/^REJECTED: .*recalled.*Sent by mistake/i),
      'REJECTED: Refused by the print provider: FONT_MISSING: A font is not embedded',
    ])
    expect(timelines.filter((events) => events.includes('"reprint"'))).toHaveLength(1)
    expect(timelines.filter((events) => events.includes('R01 gone away'))).toHaveLength(1)
  }, 90_000)

  test('fetches a print stream with two pages for each sheet, and a ZIP', async () => {
    const { totals } = JSON.parse(String(await readOwn('manifest.json')))
    const stream = await PDFDocument.load(await readOwn('print-stream.pdf'))

    expect(stream.getPageCount()).toBe(2 * totals.sheetCount)
    expect((await readOwn('documents.zip')).subarray(0, 4)).toEqual(Buffer.from('PK\x03\x04'))
  })
})

// At the end, because its letters would be in the lists of the guides above.
test.each(['', ' again'])(
  'the first print jobs and the enquiries can be pasted%s',
  async () => {
    const { outputs, work } = await followGuide(firstSteps, despatch.directory, followedWithinMs)
    const said = [...outputs.values()].join('\n')
    const proof = await PDFDocument.load(await readFile(join(work, 'proof.pdf')))
    const page = await readFile(join(work, 'page-1.png'))

    expect(said).toMatch(/\{"id":"my-letter-\d+","warnings":\[\{"code":"LetterWithoutFile"/)
    expect(said).toMatch(/\{"id":"[0-9a-f-]{36}"\}/)
    expect(said).toContain('"type":"despatch.print.messages.v1.TestMessage"')
    expect(said).toContain('"verdict":"accepted"')
    expect(said).toMatch(/"registrationNumber":"\w+"/)
    expect(said).toMatch(/"drivingLicenceNumber":"\w+"/)
    expect(proof.getPageCount()).toBeGreaterThan(0)
    expect(page.subarray(1, 4).toString()).toBe('PNG')
  },
  testWithinMs,
)

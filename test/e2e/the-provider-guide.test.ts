import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { itemEventRefusals } from '@despatch/contracts/print-fulfilment/item-event'
import { returnRefusals } from '@despatch/contracts/print-fulfilment/returned-letter'
import { itemEventTypes } from '@despatch/domain/print-run/item-event'
import { returnReasons } from '@despatch/domain/print-run/returned-letter'
import { PDFDocument } from 'pdf-lib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aConsumer, authenticate, type Consumer } from '../stack/a-consumer.ts'
import { type ADespatch, aDespatch } from '../stack/a-despatch.ts'
import { type Followed, followGuide, readGuide } from '../stack/follow-guide.ts'
import { answersOf, differenceFrom, fencesOf } from '../stack/runnable-guide.ts'
import type { Credential } from '../stack/start-despatch.ts'

const root = resolve(import.meta.dirname, '../..')
const firstPage = 'docs/provider-guide.md'
const pages = await readGuide(firstPage)
const guide = [...pages.values()].join('\n')
const fences = [...pages].flatMap(([path, text]) => fencesOf(path, text))
/** The guide runs many short commands, each as a process. On an idle machine it takes twenty seconds. */
const followedWithinMs = 240_000
const startedWithinMs = 90_000

test('has its pages listed on the first, in their order', async () => {
  const folder = await readdir(join(root, 'docs/provider-guide'))
  const paths = folder.map((name) => `docs/provider-guide/${name}`)

  expect([...pages.keys()].toSorted()).toEqual([firstPage, ...paths].toSorted())
})

test('calls every operation of the interface', async () => {
  const openapi = await readFile(join(root, 'docs/openapi/fulfilment.json'), 'utf8')
  const { paths } = JSON.parse(openapi) as { paths: Record<string, unknown> }
  const commands = fences
    .filter(({ isRun }) => isRun)
    .map(({ text }) => text)
    .join('\n')

  const called = (path: string) => {
    const [, rest = ''] = path.split('/v1', 2)
    const pattern = rest.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/?\\n]+')
    return new RegExp(`\\$api${pattern}["?]`).test(commands)
  }
  const ofProviders = Object.keys(paths).filter((path) => path.includes('/v1/'))
  expect(ofProviders.length).toBeGreaterThan(20)
  expect(ofProviders.filter((path) => !called(path))).toEqual([])
})

test('names every event, every refusal of an event or a return, and every reason of a return', () => {
  const named = [...itemEventTypes, ...itemEventRefusals, ...returnRefusals]
  const words = named.map((word) => `\`${word}\``)
  const reasons = Object.entries(returnReasons).map(([code, why]) => `${code} | ${why}`)

  // tables contain padding
  const text = guide.replaceAll(/ +/g, ' ')
  expect([...words, ...reasons].filter((word) => !text.includes(word))).toEqual([])
})

describe('run as it stands', () => {
  let despatch: ADespatch
  let consumer: Consumer
  let followed: Followed

  beforeAll(async () => {
    despatch = await aDespatch()
    consumer = await aConsumer(despatch.credentials.baseUrl, despatch.credentials.consumer)
    followed = await followGuide(fences, despatch.directory, followedWithinMs)
  }, startedWithinMs + followedWithinMs)
  afterAll(() => despatch[Symbol.asyncDispose]())

  test.each(answersOf(fences))('gets the answer of $shown.place', ({ block, shown }) => {
    expect(differenceFrom(shown, followed.outputs.get(block.place) ?? '')).toBeUndefined()
  })

  test('brings two runs to CLOSED, and one to an operator', async () => {
    const { baseUrl } = despatch.credentials
    const acme: Credential = JSON.parse(String(await readWork('acme.json')))
    const headers = { authorization: await authenticate(baseUrl, acme), 'x-api-key': acme.apiKey }
    const statesOf = async (query: string) => {
      const response = await fetch(`${baseUrl}/print-fulfilment/v1/print-runs${query}`, { headers })
      const { printRuns } = (await response.json()) as {
        printRuns: { despatchMethod: string; state: string }[]
      }
      return printRuns.map(({ despatchMethod, state }) => `${despatchMethod} ${state}`).toSorted()
    }

    expect(await statesOf('')).toEqual(['FIRST CLOSED', 'SECOND CLOSED'])
    expect(await statesOf('?state=VOIDED')).toEqual(['ECONOMY VOIDED'])
  })

  test('accounts for each letter, with one refused, one failed, one recalled and one printed again', async () => {
    const sent = [...guideOutput('send ').matchAll(/"id":"([^"]+)"/g)].map(([, id]) => id!)
    const letters = await Promise.all(
      sent.map(async (id) => {
        const { body } = await consumer.call<{ status: string; comment?: string }>(
          'GET',
          `jobs/${id}`,
        )
        return [body.status, ...(body.comment === undefined ? [] : [body.comment])].join(': ')
      }),
    )
    const timelines = await Promise.all(
      sent.map(async (id) =>
        JSON.stringify((await consumer.call('GET', `jobs/${id}/events`)).body.events),
      ),
    )

    expect(letters.toSorted()).toEqual([
      ...Array<string>(6).fill('DESPATCHED'),
      'PRODUCTION',
      'REJECTED: Failed at the print provider: TOO_DARK: More ink than the paper holds',
      expect.stringMatching(/^REJECTED: .*recalled.*Sent by mistake/i),
      'REJECTED: Refused by the print provider: FONT_MISSING: A font is not embedded',
    ])
    expect(timelines.filter((events) => events.includes('"reprint"'))).toHaveLength(1)
    expect(timelines.filter((events) => events.includes('R01 gone away'))).toHaveLength(1)
  })

  test('fetches a print stream with two pages for each sheet, and a ZIP', async () => {
    const { totals } = JSON.parse(String(await readWork('manifest.json')))
    const stream = await PDFDocument.load(await readWork('print-stream.pdf'))

    expect(stream.getPageCount()).toBe(2 * totals.sheetCount)
    expect((await readWork('documents.zip')).subarray(0, 4)).toEqual(Buffer.from('PK\x03\x04'))
  })

  const readWork = (name: string) => readFile(join(followed.work, name))

  /** Returns the output of the block that contains the command. */
  function guideOutput(command: string): string {
    const block = fences.find(({ isRun, text }) => isRun && text.includes(`\n${command}`))
    return followed.outputs.get(block!.place)!
  }
})

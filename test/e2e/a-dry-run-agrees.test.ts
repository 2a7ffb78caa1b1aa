import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from '@despatch/testing/eventually'
import { PDFDocument } from 'pdf-lib'
import { expect, test } from 'vitest'
import { aConsumer } from '../stack/a-consumer.ts'
import { aSmallLetter } from '../stack/a-small-letter.ts'
import { putContract } from '../stack/put-contract.ts'
import { sharedDespatch } from '../stack/shared-despatch.ts'

const despatch = await sharedDespatch()
const { baseUrl, consumer: credential } = despatch.credentials
const consumer = await aConsumer(baseUrl, credential)
const choosing = { jobType: 'CHOOSING', templateReference: 'CHOOSING' }
const strict = { jobType: 'STRICT', templateReference: 'STRICT' }
await putContract(despatch.credentials, choosing, { refusedRules: ['P504'] })
await putContract(despatch.credentials, strict, { strict: true })

type Answer = {
  verdict: 'accepted' | 'rejected'
  comment?: string
  printableAddress: unknown
  findings: { number: string }[]
}
type Files = () => Promise<Record<string, Uint8Array>>

const none: Files = async () => ({})
const notify = { jobType: 'NOTIFY', templateReference: 'NOTIFY' }
const inEngland = { line1: '1 High Street', line2: 'England', postcode: 'AB1 2CD' }
const structuredAddress = {
  subBuildingName: 'Flat 1',
  buildingName: 'The Old Brewery of the Long Name',
  buildingNumber: '12',
  thoroughfareName: 'High Street',
  dependentLocality: 'Llanfair',
  postTown: 'Anytown',
  postcode: 'AB1 2CD',
  dps: '1A',
}

type Case = [what: string, numbers: string[], files: Files, params: object]

test.concurrent.each<Case>([
  ['a letter without files', ['P004'], none, {}],
  ['a structured address', ['P004'], none, { address: { structuredAddress } }],
  [
    'unknown members, an optional one that is null, and a name that is cut',
    ['P001', 'P001', 'P004', 'P504'],
    none,
    { colour: 1, paper: 2, despatchMethod: null, recipientName: `Ms ${'Ada-'.repeat(30)}Example` },
  ],
  [
    'an address that names no place',
    ['P004', 'P502'],
    none,
    { address: { unstructuredAddress: { line1: '-', postcode: 'AB1 2CD' } } },
  ],
  [
    'a handling instruction',
    ['P004'],
    none,
    { handlingInstruction: { line1: 'RETURN IF UNDELIVERED' } },
  ],
  ['the example of a letter', [], anExample('letter.pdf', 'enclosure'), {}],
  ['the example with an address', [], anExample('letter-with-address.pdf', 'pdfContent'), notify],
  ['the example that is refused', ['P401'], anExample('letter-landscape.pdf', 'enclosure'), {}],
  ['an empty file', ['P101'], async () => ({ scan: new Uint8Array() }), {}],
  [
    'two files, each with another fault as a file',
    ['P103', 'P104'],
    async () => ({ a: (await aPdf([{}])).subarray(0, 300), b: Buffer.from('just text') }),
    {},
  ],
  ['a picture that is not whole', ['P301'], async () => ({ photo: changedAt(aPng, 45) }), {}],
  ['too many pages', ['P402'], async () => ({ scan: await aPdf(Array(100).fill({})) }), {}],
  [
    'print at the edge, and an address that cannot be printed',
    ['P403', 'P407', 'P501'],
    async () => ({ scan: await aPdf([{ textAt: [2, 400] }]) }),
    { recipientName: 'Ms \u{1f600}' },
  ],
  [
    'not the file that is to be printed as supplied',
    ['P407', 'P407', 'P408'],
    async () => ({ pdfContent: await aPdf([{}]), other: await aPdf([{}]) }),
    notify,
  ],
])('a dry run and the real run agree on %s', (_what, numbers, files, params) =>
  agree(numbers, files, params),
)

/** Returns once the dry run of a request and the real run have given these findings and the same verdict. */
async function agree(numbers: readonly string[], files: Files, params: object): Promise<void> {
  const body = await aBody(await files(), params)

  const tried = await dryRun(body)
  const real = await run(body)

  expect(tried.findings.map(({ number }) => number)).toEqual(numbers)
  expect({
    ...tried,
    printableAddress: real.verdict === 'accepted' && tried.printableAddress,
  }).toEqual(real)
}

test.concurrent.each<[what: string, params: object, verdict: Answer['verdict'], comment?: string]>([
  [
    'refuses what is cut',
    { ...choosing, recipientName: 'A'.repeat(91) },
    'rejected',
    'recipientName is printed only in part: it does not fit in two lines.',
  ],
  [
    'refuses no other rule than the one that it names',
    { ...choosing, address: { unstructuredAddress: inEngland } },
    'accepted',
    'P511: line2 is the country of a UK address.',
  ],
  [
    'is strict',
    { ...strict, address: { unstructuredAddress: inEngland } },
    'rejected',
    'line2 is the country of a UK address.',
  ],
  ['is strict, and nothing is found', strict, 'accepted'],
])(
  'a dry run and the real run agree when a contract %s',
  async (_what, params, verdict, comment) => {
    const body = await aBody({}, params)

    const tried = await dryRun(body)
    const real = await run(body)

    expect([tried.verdict, tried.comment]).toEqual([verdict, comment])
    expect({
      ...tried,
      printableAddress: verdict === 'accepted' && tried.printableAddress,
    }).toEqual(real)
  },
)

/**
 * Builds a body with each file as an upload, which a dry run does not use up. The file that is printed as supplied is
 * inline.
 */
async function aBody(files: Record<string, Uint8Array>, params: object) {
  const fileParams: object[] = []
  const customParams: object[] = []
  for (const [fileId, bytes] of Object.entries(files)) {
    if (fileId === 'pdfContent') {
      customParams.push({ key: fileId, value: Buffer.from(bytes).toString('base64') })
    } else fileParams.push({ fileId, uploadId: await consumer.upload(bytes) })
  }
  return {
    standardParams: { ...aSmallLetter.standardParams, ...params },
    ...(customParams.length > 0 && { customParams }),
    ...(fileParams.length > 0 && { fileParams }),
  }
}

function dryRun(body: unknown): Promise<Omit<Answer, 'pages'>> {
  return eventually(
    async () => {
      const { status, body: answer } = await consumer.call<Answer>('POST', 'jobs/validate', body)
      // All these cases ask at the same time, so some get 503 and retry.
      if (status === 503) return undefined
      expect({ status, answer }).toMatchObject({ status: 200 })
      const { verdict, comment, printableAddress, findings } = answer
      return { verdict, ...(comment && { comment }), printableAddress, findings }
    },
    { deadlineMs: 60_000, pollMs: 500, message: 'the dry run has a place' },
  )
}

async function run(body: unknown) {
  const id = await consumer.submit(body)
  const job = await eventually(
    async () => {
      const { body: read } = await consumer.call('GET', `jobs/${id}`)
      return ['QUARANTINE', 'VALIDATING'].includes(String(read.status)) ? undefined : read
    },
    { deadlineMs: 90_000, pollMs: 500, message: 'the print job is judged' },
  )
  const { body: timeline } = await consumer.call<{ events: { findings?: Answer['findings'] }[] }>(
    'GET',
    `jobs/${id}/events`,
  )
  return {
    verdict: job.status === 'REJECTED' ? 'rejected' : 'accepted',
    ...(job.comment ? { comment: job.comment } : {}),
    printableAddress: job.printableAddress ?? false,
    findings: timeline.events.flatMap(({ findings = [] }) => findings),
  }
}

function anExample(name: string, fileId: string): Files {
  const path = join(import.meta.dirname, '../../docs/examples', name)
  return async () => ({ [fileId]: await readFile(path) })
}

async function aPdf(pages: readonly { textAt?: [number, number] }[]): Promise<Uint8Array> {
  const document = await PDFDocument.create()
  for (const { textAt: [x, y] = [72, 500] } of pages) {
    document.addPage([595.28, 841.89]).drawText('A page', { x, y })
  }
  return document.save()
}

const aPng = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

function changedAt(bytes: Uint8Array, index: number): Uint8Array {
  const changed = new Uint8Array(bytes)
  changed[index]! ^= 0xff
  return changed
}

import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { aFulfilment, refusals } from './a-fulfilment.ts'

const fulfilment = await shared(aFulfilment())
await setTemplateData(true)

function setTemplateData(isWanted: boolean) {
  return fulfilment.rows('update contract set template_data = $1', isWanted)
}
const read = (batchNumber: string, job = '001') =>
  fulfilment.call(
    'GET',
    `/print-runs/${batchNumber}/fulfilment-jobs/${batchNumber}-${job}/template-data`,
  )

const linesOf = (bytes: Buffer) =>
  bytes
    .toString()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

const setCustomParams = (key: string, customParams: unknown) =>
  fulfilment.rows(
    'update print_job set custom_params = $2 where key = $1',
    key,
    JSON.stringify(customParams),
  )

describe('200', () => {
  test('returns the custom parameters of each document in order, except files', async () => {
    const { batchNumber, printJobs } = await fulfilment.aReleasedRun({}, {})
    const [one, other] = printJobs
    const params = [
      { key: 'salutation', value: 'Dear "Friend",\nof ours' },
      { key: 'photograph', value: 'a file' },
      { key: 'amount', value: '£12.50' },
    ]
    await setCustomParams(one!.key, params)
    await fulfilment.rows(
      `insert into print_job_file (print_job_key, position, file_id, source, sha256, bytes, media_type)
        values ($1, 0, 'photograph', 'custom-param', '\\x00', 1, 'image/png')`,
      one!.key,
    )
    // the same name, but no file
    await setCustomParams(other!.key, [{ key: 'photograph', value: 'none' }])
    const { documents } = await claim(batchNumber)

    const { status, headers, bytes } = await read(batchNumber)

    const place = ({ sha256 }: { sha256: string }) => {
      const document = documents.find((found: { sha256: string }) => found.sha256 === sha256)
      return { documentId: document.documentId, sequence: document.sequence }
    }
    const template = { jobType: 'LETTER', templateReference: 'LETTER' }
    const expected = [
      { ...place(one!), ...template, customParams: [params[0], params[2]] },
      { ...place(other!), ...template, customParams: [{ key: 'photograph', value: 'none' }] },
    ].toSorted((a, b) => a.sequence - b.sequence)
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'application/x-ndjson; charset=utf-8',
      'no-store',
    ])
    expect(linesOf(bytes)).toEqual(expected)
  })

  test('returns an empty list for a print job without parameters', async () => {
    const { batchNumber } = await fulfilment.aClaimedRun({})

    const { bytes } = await read(batchNumber)

    expect(linesOf(bytes)).toMatchObject([{ sequence: 1, customParams: [] }])
  })

  test('returns only data of the fulfilment job, page after page', async () => {
    const light = Array.from({ length: 205 }, () => ({ sheets: 6 }))
    const { batchNumber } = await fulfilment.aClaimedRun(...light, { sheets: 20 })

    const first = await read(batchNumber)
    const second = await read(batchNumber, '002')

    const sequencesOf = (bytes: Buffer) => linesOf(bytes).map(({ sequence }) => sequence)
    expect(sequencesOf(first.bytes)).toEqual(Array.from({ length: 205 }, (_, index) => index + 1))
    expect(sequencesOf(second.bytes)).toEqual([206])
  })

  test('returns nothing for a contract without template data', async () => {
    const { batchNumber } = await fulfilment.aClaimedRun({})
    await setTemplateData(false)

    const { status, bytes } = await read(batchNumber)

    await setTemplateData(true)
    expect([status, bytes.length]).toEqual([200, 0])
  })
})

test('404: the fulfilment job is not in a claimed run of the provider', async () => {
  const released = await fulfilment.aReleasedRun({})
  const claimed = await fulfilment.aClaimedRun({})
  const moved = await fulfilment.aClaimedRun({})
  await fulfilment.voidRun(moved)

  const answers = [
    await read(released.batchNumber),
    await read(claimed.batchNumber, '002'),
    await read(moved.batchNumber),
  ]

  expect(refusals(...answers)).toEqual(Array(3).fill([404, 'FulfilmentJobNotFound']))
})

async function claim(batchNumber: string) {
  await fulfilment.call('POST', `/print-runs/${batchNumber}/claim`, { key: batchNumber })
  const { body } = await fulfilment.call('GET', `/print-runs/${batchNumber}/manifest`)
  return body
}

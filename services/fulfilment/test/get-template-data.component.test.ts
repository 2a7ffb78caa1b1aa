import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { aFulfilment } from './a-fulfilment.ts'

const fulfilment = await shared(aFulfilment())
await fulfilment.database.pool.query('update contract set template_data = true')

const read = (batchNumber: string, fulfilmentJobId: string, options: object = {}) =>
  fulfilment.call(
    'GET',
    `/print-runs/${batchNumber}/fulfilment-jobs/${fulfilmentJobId}/template-data`,
    options,
  )

const linesOf = (bytes: Buffer) =>
  bytes
    .toString()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

async function setCustomParams(key: string, customParams: unknown): Promise<void> {
  await fulfilment.database.pool.query('update print_job set custom_params = $2 where key = $1', [
    key,
    JSON.stringify(customParams),
  ])
}

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
    await fulfilment.database.pool.query(
      `insert into print_job_file (print_job_key, position, file_id, source, sha256, bytes, media_type)
        values ($1, 0, 'photograph', 'custom-param', '\\x00', 1, 'image/png')`,
      [one!.key],
    )
    // the same name, but no file
    await setCustomParams(other!.key, [{ key: 'photograph', value: 'none' }])
    const { documents } = await claim(batchNumber)

    const { status, headers, bytes } = await read(batchNumber, `${batchNumber}-001`)

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

    const { bytes } = await read(batchNumber, `${batchNumber}-001`)

    expect(linesOf(bytes)).toMatchObject([{ sequence: 1, customParams: [] }])
  })

  test('returns only data of the fulfilment job, page after page', async () => {
    const light = Array.from({ length: 205 }, () => ({ sheets: 6 }))
    const { batchNumber } = await fulfilment.aClaimedRun(...light, { sheets: 20 })

    const first = await read(batchNumber, `${batchNumber}-001`)
    const second = await read(batchNumber, `${batchNumber}-002`)

    const sequencesOf = (bytes: Buffer) => linesOf(bytes).map(({ sequence }) => sequence)
    expect(sequencesOf(first.bytes)).toEqual(Array.from({ length: 205 }, (_, index) => index + 1))
    expect(sequencesOf(second.bytes)).toEqual([206])
  })

  test('returns nothing for a contract without template data', async () => {
    const { batchNumber } = await fulfilment.aClaimedRun({})
    await fulfilment.database.pool.query('update contract set template_data = false')

    const { status, bytes } = await read(batchNumber, `${batchNumber}-001`)

    await fulfilment.database.pool.query('update contract set template_data = true')
    expect([status, bytes.length]).toEqual([200, 0])
  })
})

describe('404', () => {
  test('the fulfilment job is not in a claimed run of the provider', async () => {
    const released = await fulfilment.aReleasedRun({})
    const claimed = await fulfilment.aClaimedRun({})
    const moved = await fulfilment.aClaimedRun({})
    await fulfilment.database.pool.query(
      `update print_run set state = 'VOIDED', voided_at = now() where batch_number = $1`,
      [moved.batchNumber],
    )
    const job = ({ batchNumber }: { batchNumber: string }) => `${batchNumber}-001`

    const answers = [
      await read(released.batchNumber, job(released)),
      await read(claimed.batchNumber, `${claimed.batchNumber}-002`),
      await read(claimed.batchNumber, job(claimed), { provider: 'south' }),
      await read('R999999', 'R999999-001'),
      await read(moved.batchNumber, job(moved)),
    ]

    expect(answers.map(({ status, body }) => [status, body.errors[0].code])).toEqual(
      Array.from({ length: 5 }, () => [404, 'FulfilmentJobNotFound']),
    )
  })
})

async function claim(batchNumber: string) {
  await fulfilment.call('POST', `/print-runs/${batchNumber}/claim`, { key: batchNumber })
  const { body } = await fulfilment.call('GET', `/print-runs/${batchNumber}/manifest`)
  return body
}

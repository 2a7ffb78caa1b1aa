import { shared } from '@despatch/testing/shared'
import { expect, onTestFinished, test } from 'vitest'
import {
  type Answer,
  aDriver,
  aDriverDatabase,
  aFullDriverEnquiry,
} from './a-full-driver-enquiry.ts'
import { aScriptedSource, hangsUp, json, type Script, silent } from './a-scripted-source.ts'

const number = 'CANAR657054SM9IJ'
const canary = aDriver({
  driver: {
    drivingLicenceNumber: number,
    firstNames: 'KANARIENNE',
    lastName: 'CANARY',
    gender: 'Female',
    dateOfBirth: '1964-07-05',
    address: { unstructuredAddress: { line1: '13 VOLIERE ROAD', postcode: 'ZZ99 3CZ' } },
  },
  tachoCards: [{ cardNumber: 'DBCANARYCARD0000' }],
})
const secrets = [
  number,
  'canar657054sm9ij',
  'CANAR 657054',
  'KANARIENNE',
  'CANARY',
  'VOLIERE',
  'ZZ99 3CZ',
  '1964-07-05',
  'DBCANARYCARD0000',
]

const database = await shared(aDriverDatabase([canary]))

const sources: [what: string, script: Script][] = [
  ['answers', json({ cpcs: [], tachoCards: canary.tachoCards })],
  ['repeats the number in an error', json({ errors: [{ detail: `${number} CANARY` }] }, 500)],
  ['repeats the number in another shape', json({ cpcs: number, tachoCards: number })],
  ['repeats the number as broken JSON', { status: 200, body: `{"${number}` }],
  ['is not available', json({}, 503)],
  ['hangs up', hangsUp],
  ['does not answer', silent],
]

test.for(sources)(
  'with a source that %s no data of the driver is in a log line, a metric or a refusal',
  async ([, script]) => {
    const source = await aScriptedSource(script)
    const enquiry = await aFullDriverEnquiry(
      database,
      {
        DESPATCH_CPC_URL: source.url,
        DESPATCH_TACHOGRAPH_URL: source.url,
        DESPATCH_SOURCE_TIMEOUT_MS: '700',
        LOG_LEVEL: 'trace',
      },
      { breaker: { callsMin: 2, resetMs: 10_000 } },
    )
    onTestFinished(async () => {
      await enquiry.close()
      await source.stop()
    })
    const both = { includeCPC: true, includeTacho: true }
    const asks: unknown[] = [
      { drivingLicenceNumber: number },
      { drivingLicenceNumber: 'canar657054sm9ij', ...both },
      { drivingLicenceNumber: 'CANAR 657054 SM9IJ', ...both, acceptPartialResponse: true },
      { drivingLicenceNumber: number, ...both },
      { drivingLicenceNumber: `${number}X` },
      { drivingLicenceNumber: [number] },
      { drivingLicenceNumber: number, acceptPartialResponse: number, includeCPC: number },
      { [number]: number },
      `{"drivingLicenceNumber":"${number}"`,
      `"${number}"`,
      [number],
    ]

    const answers: Answer[] = []
    for (const ask of asks) answers.push(await enquiry.post(ask))
    await enquiry.post({ drivingLicenceNumber: number }, {})
    const rows = await enquiry.enquiries()

    const refusals = answers.filter(({ status }) => status !== 200).map(({ body }) => body)
    expect(refusals.length).toBeGreaterThanOrEqual(7)
    const written = [
      enquiry.lines.join(''),
      await enquiry.metrics(),
      JSON.stringify(refusals),
      JSON.stringify(answers.map(({ headers }) => headers)),
      JSON.stringify(rows),
      JSON.stringify(source.heard.map(({ url, headers }) => [url, headers])),
    ]
    expect(enquiry.lines.length).toBeGreaterThanOrEqual(asks.length)
    for (const text of written) {
      for (const secret of secrets) expect(text).not.toContain(secret)
    }
  },
)

test('a database fault leaves no data of the driver in the log or the answer', async () => {
  const broken = await aDriverDatabase([canary])
  const enquiry = await aFullDriverEnquiry(broken)
  onTestFinished(async () => {
    await enquiry.close()
    await broken.close()
  })
  await broken.pool.query('alter table driver_record rename column record to elsewhere')
  const faulty = await enquiry.post({ drivingLicenceNumber: number })
  await broken.pool.query('drop table driver_record')
  const gone = await enquiry.post({ drivingLicenceNumber: number })

  expect([faulty.status, gone.status]).toEqual([500, 500])
  const written = `${enquiry.lines.join('')}${JSON.stringify([faulty.body, gone.body])}`
  for (const secret of secrets) expect(written).not.toContain(secret)
})

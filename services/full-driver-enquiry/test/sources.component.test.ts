import { eventually } from '@despatch/testing/eventually'
import { shared } from '@despatch/testing/shared'
import { expect, onTestFinished, test } from 'vitest'
import type { BreakerLimits } from '../src/sources/guard-source.ts'
import {
  aDriver,
  aDriverDatabase,
  aFullDriverEnquiry,
  type Headers,
  nowhere,
  sourceToken,
} from './a-full-driver-enquiry.ts'
import {
  aScriptedSource,
  dribbles,
  hangsUp,
  json,
  type Script,
  type ScriptedSource,
  silent,
} from './a-scripted-source.ts'

/** Longer than a busy machine takes to answer for the other source. */
const shortMs = '2000'
/** Long enough for a source that responds at once on a busy machine. */
const longMs = '15000'
const both = { includeCPC: true, includeTacho: true }
const someCpc = { cpcs: [{ lgvValidTo: '2028-09-09' }] }
const someCards = { tachoCards: [{ cardNumber: 'DB12345678901000' }] }

const database = await shared(aDriverDatabase())

async function anEnquiry(settings: Headers, breaker?: BreakerLimits) {
  const enquiry = await aFullDriverEnquiry(database, settings, { ...(breaker && { breaker }) })
  onTestFinished(() => enquiry.close())
  return enquiry
}

async function aSource(script: Script): Promise<ScriptedSource> {
  const source = await aScriptedSource(script)
  onTestFinished(() => source.stop())
  return source
}

/** An enquiry whose sources do what the scripts say. Its breaker never opens. */
async function aScriptedEnquiry(
  scripts: { cpc: Script; tachograph: Script },
  settings: Headers = {},
  breaker: BreakerLimits = { callsMin: 10_000, resetMs: 10_000 },
) {
  const cpc = await aSource(scripts.cpc)
  const tachograph = await aSource(scripts.tachograph)
  const urls = { DESPATCH_CPC_URL: cpc.url, DESPATCH_TACHOGRAPH_URL: tachograph.url }
  const enquiry = await anEnquiry(
    { ...urls, DESPATCH_SOURCE_TIMEOUT_MS: longMs, ...settings },
    breaker,
  )
  return { ...enquiry, cpc, tachograph }
}

test('with includeCPC and includeTacho the answer contains the data of the sources', async () => {
  const { cpcs, testPass, tachoCards, tachoUnderPreviousDln } = aDriver()
  const { retrieve } = await aScriptedEnquiry({
    cpc: json({ cpcs, testPass }),
    tachograph: json({ tachoCards, tachoUnderPreviousDln }),
  })

  const { status, body } = await retrieve(both)

  expect(status).toBe(200)
  expect(body).toMatchObject({
    cpc: { cpcs },
    testPass: [
      {
        categoryCode: 'H',
        categoryLegalLiteral: 'Tracked vehicles',
        testDate: '1990-01-01',
        status: 'Claimed',
      },
    ],
    holder: { tachoCards, tachoUnderPreviousDln },
  })
  expect(body).not.toHaveProperty('errors')
})

const failed = [502, 'BadGateway', 'its source failed'] as const
const unavailable = [503, 'ServiceUnavailable', 'its source is not available'] as const
const timedOut = [504, 'GatewayTimeout', 'its source did not respond in time'] as const

test.for<[what: string, script: Script, expected: readonly [number, string, string]]>([
  ['answers 500', json({ errors: [] }, 500), failed],
  ['answers 404', json({ errors: [] }, 404), failed],
  ['refuses the token', json({ errors: [] }, 401), failed],
  ['redirects', json({}, 302), failed],
  ['answers broken JSON', { status: 200, body: '{"cpcs":[' }, failed],
  ['answers nothing', { status: 200, body: '' }, failed],
  ['answers another shape', json({ cpcs: 'none' }), failed],
  ['answers null', json(null), failed],
  ['answers too much', json({ cpcs: [], more: 'x'.repeat(100_000) }), failed],
  ['answers 503', json({ errors: [] }, 503), unavailable],
  ['drops the connection', hangsUp, unavailable],
  ['answers 504', json({ errors: [] }, 504), timedOut],
  ['does not answer', silent, timedOut],
  ['does not end its answer', dribbles, timedOut],
])('a source that %s', async ([, script, [status, code, reason]]) => {
  const { retrieve } = await aScriptedEnquiry(
    { cpc: script, tachograph: json(someCards) },
    { DESPATCH_SOURCE_TIMEOUT_MS: status === 504 ? shortMs : longMs },
  )
  const detail = `CPC data could not be retrieved: ${reason}`
  const error = { status: String(status), code, detail }

  const [refused, accepted] = await Promise.all([
    retrieve(both),
    retrieve({ ...both, acceptPartialResponse: true }),
  ])

  expect(refused.status).toBe(status)
  expect(refused.body).toEqual({ errors: [error] })
  expect(accepted.status).toBe(200)
  expect(accepted.body).toMatchObject({ holder: someCards, errors: [error] })
  expect(accepted.body).not.toHaveProperty('cpc')
})

test('a source that cannot be connected counts as unavailable', async () => {
  const { retrieve } = await anEnquiry({ DESPATCH_CPC_URL: nowhere })

  expect((await retrieve({ includeCPC: true })).status).toBe(503)
})

test('unknown members of a source are not returned', async () => {
  const { retrieve } = await aScriptedEnquiry({
    cpc: json({ cpcs: [{ national: true, secret: 1 }], secret: 1 }),
    tachograph: json({ ...someCards, secret: 1 }),
  })

  const { body } = await retrieve(both)

  expect(body.cpc).toEqual({ cpcs: [{ national: true }] })
  expect(body.holder).toEqual(someCards)
})

test('the sources are asked at the same time', async () => {
  const waiting: (() => void)[] = []
  const meet = (answer: object): Script => {
    const { status, body } = json(answer) as { status: number; body: string }
    return (response) => {
      waiting.push(() => void response.writeHead(status).end(body))
      if (waiting.length === 2) for (const go of waiting) go()
    }
  }
  const { retrieve } = await aScriptedEnquiry({ cpc: meet(someCpc), tachograph: meet(someCards) })

  const { status, body } = await retrieve(both)

  expect(status).toBe(200)
  expect(body).toMatchObject({ cpc: someCpc, holder: someCards })
})

test('an unrequested source is not called, and no source is called for an unknown driver', async () => {
  const { retrieve, cpc, tachograph } = await aScriptedEnquiry({
    cpc: json(someCpc),
    tachograph: json(someCards),
  })

  await retrieve()
  await retrieve({ includeCPC: false, includeTacho: false, acceptPartialResponse: true })
  expect([cpc.heard.length, tachograph.heard.length]).toEqual([0, 0])
  await retrieve({ ...both, drivingLicenceNumber: 'NOBOD610267JO9AA' })
  await retrieve({ ...both, drivingLicenceNumber: 'X' })
  expect([cpc.heard.length, tachograph.heard.length]).toEqual([0, 0])
  await retrieve({ includeTacho: true })
  expect([cpc.heard.length, tachograph.heard.length]).toEqual([0, 1])
})

test('a source gets the number only in the body, with the token and the correlation id', async () => {
  const { post, insurer, cpc } = await aScriptedEnquiry({
    cpc: json(someCpc),
    tachograph: json(someCards),
  })

  await post(
    { drivingLicenceNumber: 'morga 657054 sm9ij', includeCPC: true },
    { ...insurer.headers, 'x-correlation-id': 'corr-1' },
  )

  const [{ url, headers, body }] = cpc.heard as [ScriptedSource['heard'][number]]
  expect(url).toBe('/driver-sources/v1/cpc/retrieve')
  expect(headers).toMatchObject({
    authorization: `Bearer ${sourceToken}`,
    'content-type': 'application/json',
    'x-correlation-id': 'corr-1',
  })
  expect(body).toBe('{"drivingLicenceNumber":"MORGA657054SM9IJ"}')
  expect(JSON.stringify([url, headers])).not.toContain('MORGA')
})

test('the URL of a source may have a path', async () => {
  const source = await aSource(json(someCpc))
  const { retrieve } = await anEnquiry({ DESPATCH_CPC_URL: `${source.url}/inside/` })

  await retrieve({ includeCPC: true })

  expect(source.heard.map(({ url }) => url)).toEqual(['/inside/driver-sources/v1/cpc/retrieve'])
})

test('an open breaker stops calls to a failing source, and the other source continues', async () => {
  const { retrieve, metrics, lines, cpc, tachograph } = await aScriptedEnquiry(
    { cpc: json({}, 500), tachograph: json(someCards) },
    {},
    { callsMin: 3, resetMs: 600_000 },
  )
  const ask = () => retrieve({ ...both, acceptPartialResponse: true })

  const statuses: string[] = []
  for (let count = 0; count < 6; count += 1) {
    const { body } = await ask()
    expect(body.holder).toEqual(someCards)
    statuses.push(body.errors[0].status)
  }

  expect(statuses).toEqual(['502', '502', '502', '503', '503', '503'])
  expect([cpc.heard.length, tachograph.heard.length]).toEqual([3, 6])
  expect((await retrieve({ includeCPC: true })).status).toBe(503)
  const written = await metrics()
  for (const sample of [
    'driver_source_answers_total{source="cpc",outcome="failed",service="full-driver-enquiry"} 3',
    'driver_source_answers_total{source="cpc",outcome="unavailable",service="full-driver-enquiry"} 4',
    'driver_source_answers_total{source="tachograph",outcome="answered",service="full-driver-enquiry"} 6',
    'driver_source_breaker_state{source="cpc",state="open",service="full-driver-enquiry"} 1',
    'driver_source_breaker_state{source="cpc",state="closed",service="full-driver-enquiry"} 0',
    'driver_source_breaker_state{source="tachograph",state="closed",service="full-driver-enquiry"} 1',
    'driver_source_call_duration_seconds_count{service="full-driver-enquiry",source="cpc"} 3',
  ]) {
    expect(written).toContain(sample)
  }
  const changes = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg.includes('breaker'))
  expect(changes).toEqual([
    expect.objectContaining({
      level: 'warn',
      msg: 'driver-source.breaker-changed',
      source: 'cpc',
      state: 'open',
    }),
  ])
})

test('a half-open breaker sends one call, which opens or closes the breaker', async () => {
  const { retrieve, lines, cpc } = await aScriptedEnquiry(
    { cpc: json({}, 500), tachograph: json(someCards) },
    {},
    { callsMin: 2, resetMs: 50 },
  )
  const ask = () => retrieve({ includeCPC: true })
  const isNow = (state: string) => () =>
    lines
      .map((line) => JSON.parse(line))
      .findLast(({ msg }) => msg === 'driver-source.breaker-changed')?.state === state
  const halfOpen = { message: 'the breaker is half open' }

  await ask()
  await ask()
  await eventually(isNow('half-open'), halfOpen)
  const [heard] = [cpc.heard.length]
  let answerProbe = () => {}
  cpc.script = (response) => {
    answerProbe = () => void response.writeHead(500).end()
  }
  const probe = ask()
  await eventually(() => cpc.heard.length === heard + 1, { message: 'the source is tried' })
  expect((await Promise.all([ask(), ask(), ask()])).map(({ status }) => status)).toEqual([
    503, 503, 503,
  ])
  expect(cpc.heard.length).toBe(heard + 1)
  answerProbe()
  expect((await probe).status).toBe(502)

  cpc.script = json(someCpc)
  await eventually(isNow('half-open'), halfOpen)
  expect((await ask()).status).toBe(200)
  expect(isNow('closed')()).toBe(true)
  expect((await Promise.all([ask(), ask(), ask()])).map(({ status }) => status)).toEqual([
    200, 200, 200,
  ])
})

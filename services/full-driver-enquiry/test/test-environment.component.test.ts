import { retrieveResponseSchema } from '@despatch/contracts/full-driver-enquiry/retrieve-response'
import { shared } from '@despatch/testing/shared'
import { driverScenarios, type SourceBehaviour } from '@despatch/uat-scenarios/driver-scenarios'
import { expect, onTestFinished, test } from 'vitest'
import { decidePartialResponse, type PartState } from '../src/sources/partial-response.ts'
import { aDriver, aDriverDatabase, aFullDriverEnquiry, refusal } from './a-full-driver-enquiry.ts'

const clock = { now: new Date('2026-06-15T12:00:00Z') }

const database = await shared(aDriverDatabase())
// no server listens at the addresses of the sources: a predefined number does not require them
const uat = await shared(aFullDriverEnquiry(database, { DESPATCH_ENVIRONMENT: 'uat' }, { clock }))
const production = await shared(aFullDriverEnquiry(database))

test.for(driverScenarios)(
  '$drivingLicenceNumber: $title',
  async ({ drivingLicenceNumber, status, outcome }) => {
    const answer = await uat.retrieve({ drivingLicenceNumber })

    expect(answer.status).toBe(status)
    if (outcome.kind !== 'record') {
      expect(answer.body.errors).toHaveLength(1)
      expect(answer.body.errors[0]).toMatchObject({ status: String(status) })
      return
    }
    const { driver, licence, token } = outcome.record(clock.now)
    expect(answer.body).toMatchObject({ driver, licence, token })
    expect(answer.body).not.toHaveProperty('cpc')
    expect(answer.body).not.toHaveProperty('holder')
    expect(retrieveResponseSchema.parse(answer.body)).toEqual(answer.body)
  },
)

const letters: Record<string, SourceBehaviour> = {
  A: 'answers',
  F: 'fails',
  U: 'unavailable',
  T: 'times-out',
}
const states: Record<SourceBehaviour, PartState> = {
  answers: 'answered',
  fails: 'failed',
  unavailable: 'unavailable',
  'times-out': 'timed-out',
}
const statuses: Record<string, number> = {
  'source-failed': 502,
  'source-unavailable': 503,
  'source-timed-out': 504,
}
const sourceScenarios = driverScenarios.flatMap(({ drivingLicenceNumber, outcome }) => {
  const coded = /^SRC([AFUT])([AFUT])/.exec(drivingLicenceNumber)
  if (!coded || outcome.kind !== 'record') return []
  const [cpc, tachograph] = [letters[coded[1]!]!, letters[coded[2]!]!]
  return [{ drivingLicenceNumber, cpc, tachograph, record: outcome.record(clock.now) }]
})

test('every combination of the outcomes of two sources has a number', () => {
  expect(sourceScenarios).toHaveLength(16)
})

// which parts are missed under which condition is a matter of the decision alone, and of its own test
const acceptances = ['false', 'true'] as const

test.for(sourceScenarios)(
  '$drivingLicenceNumber: CPC source $cpc, tachograph source $tachograph',
  async ({ drivingLicenceNumber, cpc, tachograph, record }) => {
    for (const accepts of acceptances) {
      const { status, body } = await uat.retrieve({
        drivingLicenceNumber,
        includeCPC: true,
        includeTacho: true,
        acceptPartialResponse: accepts,
      })

      const parts = { cpc: states[cpc], tachograph: states[tachograph] }
      const decision = decidePartialResponse({ ...parts, accepts })
      if (decision.kind === 'refuse') {
        expect(status).toBe(statuses[decision.problem.kind])
        continue
      }
      expect(status).toBe(200)
      expect(retrieveResponseSchema.parse(body)).toEqual(body)
      expect(body.cpc).toEqual(cpc === 'answers' ? { cpcs: record.cpcs } : undefined)
      expect(body.holder?.tachoCards).toEqual(
        tachograph === 'answers' ? record.tachoCards : undefined,
      )
      expect(body.errors?.map(({ detail }: { detail: string }) => detail) ?? []).toEqual(
        decision.missing.map(({ detail }) => detail),
      )
    }
  },
)

test('the dates of predefined records follow the clock', async () => {
  const drivingLicenceNumber = 'SRCAA701010UA9TT'
  const later = await aFullDriverEnquiry(
    database,
    { DESPATCH_ENVIRONMENT: 'uat' },
    { clock: { now: new Date('2026-06-20T12:00:00Z') } },
  )
  onTestFinished(() => later.close())

  const before = (await uat.retrieve({ drivingLicenceNumber })).body.token.validFromDate
  const after = (await later.retrieve({ drivingLicenceNumber })).body.token.validFromDate

  expect([before, after]).toEqual(['2024-06-15', '2024-06-20'])
})

test('any other number is looked up in the records', async () => {
  expect((await uat.retrieve()).body.driver).toEqual(aDriver().driver)
  expect((await uat.retrieve({ includeCPC: true })).status).toBe(503)
  expect((await uat.retrieve({ drivingLicenceNumber: 'NOBOD610267JO9AA' })).status).toBe(404)
})

test('in production a predefined number has no special effect', async () => {
  const { drivingLicenceNumber } = sourceScenarios[0]!

  expect(await production.retrieve({ drivingLicenceNumber })).toMatchObject(
    refusal(
      404,
      'ENQ018',
      'For the given drivingLicenceNumber field, no driver record could be found',
    ),
  )
})

test('a predefined number is audited like any other', async () => {
  await uat.retrieve({
    drivingLicenceNumber: 'SRCAU701010UA9TT',
    includeTacho: true,
    acceptPartialResponse: true,
  })

  expect((await uat.enquiries()).at(-1)).toMatchObject({
    outcome: 'partial',
    status: 200,
    asked: ['includeTacho', 'acceptPartialResponse=true'],
  })
})

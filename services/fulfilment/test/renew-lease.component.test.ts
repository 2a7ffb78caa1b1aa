import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { aFulfilment, refusals } from './a-fulfilment.ts'

const fulfilment = await shared(aFulfilment())

const renew = (batchNumber: string, options: object = {}) =>
  fulfilment.call('POST', `/print-runs/${batchNumber}/lease`, options)

async function setLease(batchNumber: string, interval: string): Promise<void> {
  await fulfilment.rows(
    'update print_run set lease_until = now() + $2::interval where batch_number = $1',
    batchNumber,
    interval,
  )
}

const secondsLeft = (leaseUntil: string) => (Date.parse(leaseUntil) - Date.now()) / 1_000

describe('200', () => {
  test('extends the lease to the given number of seconds from now', async () => {
    const { batchNumber } = await fulfilment.aClaimedRun({})

    const { status, body } = await renew(batchNumber, { body: { leaseSeconds: 7_200 } })

    expect({ status, body }).toEqual({
      status: 200,
      body: { batchNumber, leaseUntil: expect.stringMatching(/Z$/) },
    })
    expect(Math.abs(secondsLeft(body.leaseUntil) - 7_200)).toBeLessThan(60)
  })

  test('extends the lease by the default without a body', async () => {
    const { batchNumber } = await fulfilment.aClaimedRun({})
    await setLease(batchNumber, '1 second')

    const { body } = await renew(batchNumber)

    expect(Math.abs(secondsLeft(body.leaseUntil) - 900)).toBeLessThan(60)
  })

  test('never shortens the lease', async () => {
    const { batchNumber } = await fulfilment.aClaimedRun({})
    const long = await renew(batchNumber, { body: { leaseSeconds: 86_400 } })

    const short = await renew(batchNumber, { body: { leaseSeconds: 60 } })

    expect(short.body).toEqual(long.body)
  })

  test('renews an expired lease', async () => {
    const { batchNumber } = await fulfilment.aClaimedRun({ despatchMethod: 'SPECIAL' })
    await setLease(batchNumber, '-1 second')

    await renew(batchNumber)

    const { body } = await fulfilment.call('GET', '/print-runs?despatchMethod=SPECIAL')
    expect(body.printRuns).toMatchObject([{ batchNumber, state: 'CLAIMED' }])
  })
})

test('409: names the state of a run that is not claimed, acknowledged or reassigned', async () => {
  const released = await fulfilment.aReleasedRun({})
  const acknowledged = await fulfilment.anAcknowledgedRun({})
  const moved = await fulfilment.aClaimedRun({})
  await fulfilment.voidRun(moved)

  const answers = await Promise.all(
    [released, acknowledged, moved].map(({ batchNumber }) => renew(batchNumber)),
  )

  expect(refusals(...answers)).toEqual(Array(3).fill([409, 'PrintRunNotClaimable']))
  expect(answers.map(({ body }) => body.errors[0].detail)).toEqual([
    `Print run ${released.batchNumber} has not been claimed: there is no lease`,
    `Print run ${acknowledged.batchNumber} has been acknowledged and needs no lease`,
    `Print run ${moved.batchNumber} was reassigned and must no longer be printed`,
  ])
})

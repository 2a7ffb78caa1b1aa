import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { aFulfilment } from './a-fulfilment.ts'

const fulfilment = await shared(aFulfilment())

const renew = (batchNumber: string, options: object = {}) =>
  fulfilment.call('POST', `/print-runs/${batchNumber}/lease`, options)

async function setLease(batchNumber: string, interval: string): Promise<void> {
  await fulfilment.database.pool.query(
    'update print_run set lease_until = now() + $2::interval where batch_number = $1',
    [batchNumber, interval],
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

describe('404', () => {
  test('the run belongs to another provider', async () => {
    const { batchNumber } = await fulfilment.aClaimedRun({})

    const { status, body } = await renew(batchNumber, { provider: 'south' })

    expect([status, body.errors[0].code]).toEqual([404, 'PrintRunNotFound'])
  })
})

describe('409', () => {
  test('names the state of a run that is not claimed, acknowledged or reassigned', async () => {
    const released = await fulfilment.aReleasedRun({})
    const acknowledged = await fulfilment.anAcknowledgedRun({})
    const moved = await fulfilment.aClaimedRun({})
    await fulfilment.database.pool.query(
      `update print_run set state = 'VOIDED', voided_at = now() where batch_number = $1`,
      [moved.batchNumber],
    )

    const answers = await Promise.all(
      [released, acknowledged, moved].map(({ batchNumber }) => renew(batchNumber)),
    )

    expect(
      answers.map(({ status, body }) => [status, body.errors[0].code, body.errors[0].detail]),
    ).toEqual([
      [
        409,
        'PrintRunNotClaimable',
        `Print run ${released.batchNumber} has not been claimed: there is no lease`,
      ],
      [
        409,
        'PrintRunNotClaimable',
        `Print run ${acknowledged.batchNumber} has been acknowledged and needs no lease`,
      ],
      [
        409,
        'PrintRunNotClaimable',
        `Print run ${moved.batchNumber} was reassigned and must no longer be printed`,
      ],
    ])
  })
})

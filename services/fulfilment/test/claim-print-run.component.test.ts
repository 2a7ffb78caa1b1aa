import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { aFulfilment } from './a-fulfilment.ts'

const fulfilment = await shared(aFulfilment())

const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const claim = (batchNumber: string, key: string, options: object = {}) =>
  fulfilment.call('POST', `/print-runs/${batchNumber}/claim`, { key, ...options })

describe('200', () => {
  test('freezes the run, returns the end of the lease, and moves the print jobs to PRODUCTION', async () => {
    const { batchNumber, printJobs } = await fulfilment.aReleasedRun({ sheets: 6 }, { sheets: 20 })

    const { status, body } = await claim(batchNumber, 'first', { body: { leaseSeconds: 3_600 } })

    expect({ status, body }).toEqual({
      status: 200,
      body: {
        batchNumber,
        state: 'CLAIMED',
        claimedAt: isoTime,
        leaseUntil: isoTime,
        manifestVersion: 1,
        manifestDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
        documentCount: 2,
        sheetCount: 26,
        pageCount: 52,
        byteCount: 200,
        manifest: `/print-fulfilment/v1/print-runs/${batchNumber}/manifest`,
      },
    })
    expect(Date.parse(body.leaseUntil) - Date.parse(body.claimedAt)).toBe(3_600_000)
    expect(await fulfilment.statuses(printJobs.map(({ key }) => key))).toEqual([
      'PRODUCTION',
      'PRODUCTION',
    ])
    expect(await fulfilment.findJob(printJobs[1]!.id)).toMatchObject({
      batchNumber,
      fulfilmentJobId: `${batchNumber}-002`,
      documentId: expect.stringMatching(/^D\d{9}$/),
      printLocation: 'NORTH',
    })
  })

  test('returns the same bytes for the same key at any time', async () => {
    const { batchNumber, acknowledgement } = await fulfilment.aClaimedRun({})
    const key = `claim ${batchNumber}`
    const first = await claim(batchNumber, key)

    const before = await claim(batchNumber, key)
    await fulfilment.call('POST', `/print-runs/${batchNumber}/acknowledgement`, {
      body: acknowledgement,
    })
    const after = await claim(batchNumber, key)

    expect([before.status, after.status]).toEqual([200, 200])
    expect(before.bytes.equals(first.bytes)).toBe(true)
    expect(after.bytes.equals(first.bytes)).toBe(true)
  })

  test('returns the same frozen run for another key until the acknowledgement', async () => {
    const { batchNumber } = await fulfilment.aReleasedRun({}, {})
    const first = await claim(batchNumber, 'lost')
    const manifest = await fulfilment.call('GET', `/print-runs/${batchNumber}/manifest`)

    const again = await claim(batchNumber, 'found')

    const { leaseUntil: _, ...frozen } = first.body
    expect(again.body).toMatchObject(frozen)
    expect(await fulfilment.call('GET', `/print-runs/${batchNumber}/manifest`)).toMatchObject({
      bytes: manifest.bytes,
    })
    expect((await claim(batchNumber, 'lost')).bytes.equals(first.bytes)).toBe(true)
  })

  test('freezes the run once for two concurrent claims', async () => {
    const { batchNumber, printJobs } = await fulfilment.aReleasedRun({}, {}, {})

    const [one, two, sameKey] = await Promise.all([
      claim(batchNumber, 'one of two'),
      claim(batchNumber, 'two of two'),
      claim(batchNumber, 'one of two'),
    ])

    expect([one.status, two.status, sameKey.status]).toEqual([200, 200, 200])
    expect(one.body.manifestDigest).toBe(two.body.manifestDigest)
    expect(one.bytes.equals(sameKey.bytes)).toBe(true)
    const { rows } = await fulfilment.database.pool.query(
      `select count(*) as events from print_job_event where transition = 'produce' and print_job_key = any ($1)`,
      [printJobs.map(({ key }) => key)],
    )
    expect(rows).toEqual([{ events: 3 }])
  })

  test('omits print jobs that were deleted before, and keeps the order of the others', async () => {
    const { batchNumber, printJobs } = await fulfilment.aReleasedRun({}, {}, {})
    await fulfilment.deleteJob(printJobs[1]!.id)

    const { body } = await claim(batchNumber, 'after deletion')

    expect(body).toMatchObject({ documentCount: 2, manifestVersion: 2 })
    const { body: manifest } = await fulfilment.call('GET', `/print-runs/${batchNumber}/manifest`)
    const sequences = manifest.documents.map((document: { sequence: number }) => document.sequence)
    expect(sequences).toHaveLength(2)
    expect(sequences).toEqual(sequences.toSorted())
  })
})

describe('a claim concurrent with deletions', () => {
  const rounds = 12
  const deletersAtOnce = 4

  test('leaves every print job either deleted or in the manifest', async () => {
    for (let round = 0; round < rounds; round++) {
      const { batchNumber, printJobs } = await fulfilment.aReleasedRun(
        ...Array.from({ length: 60 }, () => ({})),
      )

      const { claimed, outcomes } = await claimAmongDeletions(batchNumber, {
        key: `race ${round}`,
        ids: printJobs.slice(20).map(({ id }) => id),
        deletionsBefore: round + 1,
      })

      const { body: manifest } = await fulfilment.call('GET', `/print-runs/${batchNumber}/manifest`)
      const printed = manifest.documents.map((document: { sha256: string }) => document.sha256)
      const kept = printJobs.filter(({ id }) => outcomes.get(id) !== 'deleted')
      expect(outcomes.size).toBe(40)
      for (const outcome of outcomes.values()) {
        expect(['deleted', 'not-pending']).toContain(outcome)
      }
      expect(printed.toSorted()).toEqual(kept.map(({ sha256 }) => sha256).toSorted())
      expect(claimed.body.documentCount).toBe(kept.length)
      expect(new Set(await fulfilment.statuses(kept.map(({ key }) => key)))).toEqual(
        new Set(['PRODUCTION']),
      )
      expect(await fulfilment.deleteJob(kept[0]!.id)).toBe('not-pending')
    }
  })

  /** Several callers delete print jobs, each one after the other, and a claim comes in the middle of it. */
  async function claimAmongDeletions(
    batchNumber: string,
    options: { key: string; ids: readonly string[]; deletionsBefore: number },
  ) {
    const outcomes = new Map<string, string>()
    const { promise: claimTime, resolve: startClaim } = Promise.withResolvers<void>()
    const waiting = options.ids.values()
    const deleteSome = async () => {
      for (const id of waiting) {
        outcomes.set(id, await fulfilment.deleteJob(id))
        if (outcomes.size === options.deletionsBefore) startClaim()
      }
    }
    const [claimed] = await Promise.all([
      claimTime.then(() => claim(batchNumber, options.key)),
      ...Array.from({ length: deletersAtOnce }, deleteSome),
    ])
    return { claimed, outcomes }
  }
})

describe('404', () => {
  test('the run belongs to another provider, and looks unknown', async () => {
    const { batchNumber, printJobs } = await fulfilment.aReleasedRun({})

    const theirs = await claim(batchNumber, 'south 1', { provider: 'south' })
    const none = await claim('R999999', 'south 2', { provider: 'south' })

    expect({ status: theirs.status, body: theirs.body }).toEqual(
      aProblem(404, {
        status: '404 NOT_FOUND',
        code: 'PrintRunNotFound',
        title: 'No such print run',
        detail: `There is no print run ${batchNumber}`,
      }),
    )
    expect(none.status).toBe(404)
    expect(await fulfilment.statuses([printJobs[0]!.key])).toEqual(['PENDING'])
  })
})

describe('409', () => {
  test('the same key comes with another body, or for another run', async () => {
    const one = await fulfilment.aReleasedRun({})
    const two = await fulfilment.aReleasedRun({})
    await claim(one.batchNumber, 'spent')

    const otherBody = await claim(one.batchNumber, 'spent', { body: { leaseSeconds: 60 } })
    const otherRun = await claim(two.batchNumber, 'spent')

    expect([otherBody, otherRun].map(({ status, body }) => [status, body.errors[0].code])).toEqual([
      [409, 'ClaimKeyReused'],
      [409, 'ClaimKeyReused'],
    ])
    expect(await fulfilment.statuses([two.printJobs[0]!.key])).toEqual(['PENDING'])
  })

  test('one key claims two runs at once, and gets only one of them', async () => {
    const runs = [await fulfilment.aReleasedRun({}), await fulfilment.aReleasedRun({})]

    const answers = await Promise.all(runs.map(({ batchNumber }) => claim(batchNumber, 'both')))

    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    const statuses = await fulfilment.statuses(runs.map(({ printJobs }) => printJobs[0]!.key))
    expect(statuses.toSorted()).toEqual(['PENDING', 'PRODUCTION'])
  })

  test('the run was acknowledged under another key', async () => {
    const { batchNumber } = await fulfilment.anAcknowledgedRun({})

    const { status, body } = await claim(batchNumber, 'too late')

    expect([status, body.errors[0].code]).toEqual([409, 'PrintRunNotClaimable'])
  })

  test('the run was reassigned; only the earlier claim is still answered', async () => {
    const { batchNumber } = await fulfilment.aReleasedRun({})
    const before = await claim(batchNumber, 'before the move')
    await fulfilment.database.pool.query(
      `update print_run set state = 'VOIDED', voided_at = now() where batch_number = $1`,
      [batchNumber],
    )

    const repeat = await claim(batchNumber, 'before the move')
    const other = await claim(batchNumber, 'after the move')

    expect(repeat.status).toBe(200)
    expect(repeat.bytes.equals(before.bytes)).toBe(true)
    expect([other.status, other.body.errors[0]]).toMatchObject([
      409,
      {
        code: 'PrintRunNotClaimable',
        detail: `Print run ${batchNumber} was reassigned and must no longer be printed`,
      },
    ])
  })

  test('all documents of the run were withdrawn', async () => {
    const { batchNumber, printJobs } = await fulfilment.aReleasedRun({})
    await fulfilment.deleteJob(printJobs[0]!.id)

    const answers = [await claim(batchNumber, 'empty'), await claim(batchNumber, 'empty')]

    expect(answers.map(({ status, body }) => [status, body.errors[0].code])).toEqual([
      [409, 'PrintRunNotClaimable'],
      [409, 'PrintRunNotClaimable'],
    ])
  })
})

import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { aFulfilment, refusals } from './a-fulfilment.ts'

const fulfilment = await shared(aFulfilment())
const { statusesOf } = fulfilment

const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const claim = ({ batchNumber }: { batchNumber: string }, key: string, options: object = {}) =>
  fulfilment.call('POST', `/print-runs/${batchNumber}/claim`, { key, ...options })
const readManifest = ({ batchNumber }: { batchNumber: string }) =>
  fulfilment.call('GET', `/print-runs/${batchNumber}/manifest`)

describe('200', () => {
  test('freezes the run, returns the end of the lease, and moves the print jobs to PRODUCTION', async () => {
    const run = await fulfilment.aReleasedRun({ sheets: 6 }, { sheets: 20 })
    const { batchNumber } = run

    const { status, body } = await claim(run, 'first', { body: { leaseSeconds: 3_600 } })

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
    expect(await statusesOf(run)).toEqual(['PRODUCTION', 'PRODUCTION'])
    expect(await fulfilment.findJob(run.printJobs[1]!.id)).toMatchObject({
      batchNumber,
      fulfilmentJobId: `${batchNumber}-002`,
      documentId: expect.stringMatching(/^D\d{9}$/),
      printLocation: 'NORTH',
    })
  })

  test('returns the same bytes for the same key, even after the acknowledgement and after a move', async () => {
    const run = await fulfilment.aClaimedRun({})
    const key = `claim ${run.batchNumber}`
    const first = await claim(run, key)

    const answers = [await claim(run, key)]
    await fulfilment.acknowledge(run)
    answers.push(await claim(run, key))
    await fulfilment.voidRun(run)
    answers.push(await claim(run, key))

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(answers.filter(({ bytes }) => !bytes.equals(first.bytes))).toEqual([])
  })

  test('returns the same frozen run for another key until the acknowledgement', async () => {
    const run = await fulfilment.aReleasedRun({}, {})
    const first = await claim(run, 'lost')
    const { bytes } = await readManifest(run)

    const again = await claim(run, 'found')

    const { leaseUntil: _, ...frozen } = first.body
    expect(again.body).toMatchObject(frozen)
    expect(await readManifest(run)).toMatchObject({ bytes })
    expect((await claim(run, 'lost')).bytes.equals(first.bytes)).toBe(true)
  })

  test('freezes the run once for two concurrent claims', async () => {
    const run = await fulfilment.aReleasedRun({}, {}, {})

    const [one, two, sameKey] = await Promise.all([
      claim(run, 'one of two'),
      claim(run, 'two of two'),
      claim(run, 'one of two'),
    ])

    expect([one.status, two.status, sameKey.status]).toEqual([200, 200, 200])
    expect(one.body.manifestDigest).toBe(two.body.manifestDigest)
    expect(one.bytes.equals(sameKey.bytes)).toBe(true)
    expect(
      await fulfilment.rows(
        `select count(*) as events from print_job_event where transition = 'produce' and print_job_key = any ($1)`,
        run.printJobs.map(({ key }) => key),
      ),
    ).toEqual([{ events: 3 }])
  })

  test('omits print jobs that were deleted before, and keeps the order of the others', async () => {
    const run = await fulfilment.aReleasedRun({}, {}, {})
    await fulfilment.deleteJob(run.printJobs[1]!.id)

    const { body } = await claim(run, 'after deletion')

    expect(body).toMatchObject({ documentCount: 2, manifestVersion: 2 })
    const { documents } = (await readManifest(run)).body
    const sequences = documents.map((document: { sequence: number }) => document.sequence)
    expect(sequences).toHaveLength(2)
    expect(sequences).toEqual(sequences.toSorted())
  })
})

describe('a claim concurrent with deletions', () => {
  const rounds = 12
  const deletersAtOnce = 4

  test('leaves every print job either deleted or in the manifest', async () => {
    for (let round = 0; round < rounds; round++) {
      const run = await fulfilment.aReleasedRun(...Array.from({ length: 60 }, () => ({})))
      const { printJobs } = run

      const { claimed, outcomes } = await claimAmongDeletions(run, {
        key: `race ${round}`,
        ids: printJobs.slice(20).map(({ id }) => id),
        deletionsBefore: round + 1,
      })

      const { documents } = (await readManifest(run)).body
      const printed = documents.map((document: { sha256: string }) => document.sha256)
      const kept = printJobs.filter(({ id }) => outcomes.get(id) !== 'deleted')
      expect(outcomes.size).toBe(40)
      for (const outcome of outcomes.values()) {
        expect(['deleted', 'not-pending']).toContain(outcome)
      }
      expect(printed.toSorted()).toEqual(kept.map(({ sha256 }) => sha256).toSorted())
      expect(claimed.body.documentCount).toBe(kept.length)
      expect(new Set(await statusesOf({ printJobs: kept }))).toEqual(new Set(['PRODUCTION']))
      expect(await fulfilment.deleteJob(kept[0]!.id)).toBe('not-pending')
    }
  })

  /** Several callers delete print jobs, each one after the other, and a claim comes in the middle of it. */
  async function claimAmongDeletions(
    run: { batchNumber: string },
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
      claimTime.then(() => claim(run, options.key)),
      ...Array.from({ length: deletersAtOnce }, deleteSome),
    ])
    return { claimed, outcomes }
  }
})

describe('409', () => {
  test('the same key comes with another body, or for another run', async () => {
    const one = await fulfilment.aReleasedRun({})
    const two = await fulfilment.aReleasedRun({})
    await claim(one, 'spent')

    const otherBody = await claim(one, 'spent', { body: { leaseSeconds: 60 } })
    const otherRun = await claim(two, 'spent')

    expect(refusals(otherBody, otherRun)).toEqual(Array(2).fill([409, 'ClaimKeyReused']))
    expect(await statusesOf(two)).toEqual(['PENDING'])
  })

  test('one key claims two runs at once, and gets only one of them', async () => {
    const runs = [await fulfilment.aReleasedRun({}), await fulfilment.aReleasedRun({})]

    const answers = await Promise.all(runs.map((run) => claim(run, 'both')))

    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    const statuses = await statusesOf({ printJobs: runs.flatMap(({ printJobs }) => printJobs) })
    expect(statuses.toSorted()).toEqual(['PENDING', 'PRODUCTION'])
  })

  test('the run was acknowledged under another key, was reassigned, or has only withdrawn documents', async () => {
    const acknowledged = await fulfilment.anAcknowledgedRun({})
    const moved = await fulfilment.aReleasedRun({})
    await claim(moved, 'before the move')
    await fulfilment.voidRun(moved)
    const empty = await fulfilment.aReleasedRun({})
    await fulfilment.deleteJob(empty.printJobs[0]!.id)

    const late = await claim(acknowledged, 'too late')
    const gone = await claim(moved, 'after the move')
    const nothing = [await claim(empty, 'empty'), await claim(empty, 'empty')]

    expect(refusals(late, gone, ...nothing)).toEqual(Array(4).fill([409, 'PrintRunNotClaimable']))
    expect(gone.body.errors[0].detail).toBe(
      `Print run ${moved.batchNumber} was reassigned and must no longer be printed`,
    )
  })
})

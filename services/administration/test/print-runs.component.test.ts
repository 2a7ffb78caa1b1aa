import { hash, randomUUID } from 'node:crypto'
import { documentKey } from '@despatch/object-store/keys'
import { insertUnstoredDocuments } from '@despatch/store/print-job/unstored-documents'
import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import { describe, expect, test } from 'vitest'
import { anAdministration, refusal } from './an-administration.ts'

const administration = await shared(anAdministration())
const runs = await shared(somePrintRuns(administration.url))
await administration.asAdmin('POST', '/providers', {
  providerId: 'south',
  name: 'South',
  printLocations: ['SOUTH', 'OFF'],
})
await administration.asAdmin('PUT', '/providers/south/sites/SOUTH', {
  enabled: true,
  share: 0,
  reprintsFreeMax: 10,
  reprintsFreePercent: 1,
})

const as = (method: 'GET' | 'POST', path: string, body?: unknown) =>
  administration.as('operator', method, path, body)

const toSouth = { providerId: 'south', printLocation: 'SOUTH', reason: 'fire' }

async function lastRecorded() {
  const { body } = await administration.asAdmin('GET', '/audit-events?limit=1')
  const { actor, action, detail } = body.auditEvents[0]
  return { actor, action, detail }
}

const conflict = (detail: string) =>
  refusal('409 CONFLICT', 'PrintRunConflict', detail, 'Not possible now')

describe('GET /print-runs', () => {
  test('200: lists runs newest first, by state and by provider, page by page', async () => {
    const released = await runs.aReleasedRun()
    const claimed = await runs.aClaimedRun()
    const open = await runs.anOpenRun(2)
    const own = [released, claimed, open].map(({ batchNumber }) => batchNumber)

    const first = await as('GET', '/print-runs?providerId=north&limit=2')
    const second = await as(
      'GET',
      `/print-runs?providerId=north&limit=1&cursor=${first.body.nextCursor}`,
    )
    const collecting = await as('GET', '/print-runs?state=OPEN')
    const ofSouth = await as('GET', '/print-runs?providerId=south')

    const numbers = ({ body }: typeof first) =>
      body.printRuns.map(({ batchNumber }: { batchNumber: string }) => batchNumber)
    expect(numbers(first)).toEqual([open.batchNumber, claimed.batchNumber])
    expect(numbers(second)).toEqual([released.batchNumber])
    expect(numbers(ofSouth).filter((number: string) => own.includes(number))).toEqual([])
    expect(collecting.body).toEqual({
      printRuns: [
        {
          batchNumber: open.batchNumber,
          state: 'OPEN',
          providerId: 'north',
          printLocation: 'NORTH',
          despatchMethod: 'SECOND',
          format: 'LETTER',
          stationery: 'A4-PLAIN',
          plex: 'duplex',
          colour: true,
          printEpoch: 1,
          documentCount: 2,
          sheetCount: 2,
          pageCount: 4,
          byteCount: 20,
          waitingReprintCount: 0,
          openedAt: expect.any(String),
          cutOffAt: expect.any(String),
          expectedDespatchDate: expect.any(String),
        },
      ],
    })
    await runs.gather()
  })
})

describe('GET /print-runs/{batchNumber}', () => {
  test('200: returns an acknowledged run with its counts and its missing documents', async () => {
    const { batchNumber, documentIds } = await runs.anAcknowledgedRun(3)
    await runs.pool.query(
      `update print_run_document set outcome = 'FAILED' where batch_number = $1 and document_id = $2`,
      [batchNumber, documentIds[0]],
    )

    const { status, body } = await as('GET', `/print-runs/${batchNumber}`)

    expect(status).toBe(200)
    expect(body).toMatchObject({
      state: 'ACCEPTED',
      documentCount: 3,
      manifestVersion: 1,
      manifestDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
      claimedAt: expect.any(String),
      acknowledgedAt: expect.any(String),
      account: {
        expected: 3,
        despatched: 0,
        refused: 0,
        failed: 1,
        recalled: 0,
        posted: 0,
        moved: 0,
        missing: 2,
      },
      unaccounted: documentIds.slice(1).map((documentId) => ({
        documentId,
        printJobKey: expect.any(String),
        printJobId: expect.any(String),
        recipientName: expect.any(String),
        updatedAt: expect.any(String),
        attempt: 1,
        advice: 'recall',
        standing: `Attempt 1 at document ${documentId} has not been reported on: recall it, and settle the recall`,
      })),
    })

    await runs.pool.query(
      `update print_job set purge_began_at = now() from print_run_document document
       where document.print_job_key = print_job.key and document.batch_number = $1`,
      [batchNumber],
    )
    const purged = await as('GET', `/print-runs/${batchNumber}`)
    expect(purged.body.unaccounted[0]).not.toHaveProperty('recipientName')
  })
})

describe('POST /print-runs/{batchNumber}/release', () => {
  test('200: the next pass releases the run, and a repetition is safe', async () => {
    const { batchNumber } = await runs.anOpenRun()
    const path = `/print-runs/${batchNumber}/release`

    const asked = await as('POST', path)
    const again = await as('POST', path)
    const { released } = await runs.gather({ runAgeMs: 3_600_000 })
    const after = await as('POST', path)

    const actor = `consumer:${administration.ids.operator}`
    expect(asked).toMatchObject({
      status: 200,
      body: {
        state: 'OPEN',
        releaseAskedAt: expect.any(String),
        releaseAskedBy: actor,
        releaseAskedByUserName: 'operator',
      },
    })
    expect(again.body).toEqual(asked.body)
    expect(released).toEqual([batchNumber])
    expect(after).toMatchObject({ status: 200, body: { state: 'RELEASED' } })
    expect(await lastRecorded()).toEqual({
      actor,
      action: 'print-run.release-asked',
      detail: { batchNumber, providerId: 'north', printLocation: 'NORTH' },
    })
  })

  test('409: the cut-off has released the run', async () => {
    const { batchNumber } = await runs.aReleasedRun()

    expect(await as('POST', `/print-runs/${batchNumber}/release`)).toMatchObject(
      conflict(`Print run ${batchNumber} is RELEASED: only an OPEN print run can be released`),
    )
  })
})

describe('POST /print-runs/{batchNumber}/move', () => {
  test('201: a claimed run is reassigned with a higher epoch', async () => {
    const { batchNumber } = await runs.aClaimedRun(2)

    const moved = await as('POST', `/print-runs/${batchNumber}/move`, {
      ...toSouth,
      nothingPrinted: true,
    })
    const before = await as('GET', `/print-runs/${batchNumber}`)
    const after = await as('GET', `/print-runs/${moved.body.batchNumber}`)

    expect(moved.status).toBe(201)
    const run = {
      batchNumber: moved.body.batchNumber,
      movedFrom: batchNumber,
      providerId: 'south',
      printLocation: 'SOUTH',
      printEpoch: 2,
      documentCount: 2,
    }
    expect(moved.body).toEqual(run)
    expect(before.body).toMatchObject({
      state: 'VOIDED',
      voidReason: 'fire',
      movedTo: run.batchNumber,
      account: { expected: 2, moved: 2, missing: 0 },
    })
    expect(after.body).toMatchObject({ state: 'RELEASED', ...run })
    expect(await lastRecorded()).toEqual({
      actor: `consumer:${administration.ids.operator}`,
      action: 'print-run.moved',
      detail: { ...run, reason: 'fire', nothingPrinted: true },
    })
    expect(await runs.claim('south', run.batchNumber)).toMatchObject({ kind: 'claimed' })
  })

  test('201: an unclaimed run is reassigned unchanged, even while it collects', async () => {
    const { batchNumber, keys } = await runs.anOpenRun()
    const pdf = Buffer.from(randomUUID())
    const sha256 = hash('sha256', pdf)
    const unstored = { sha256, pdf }
    await administration.db.transaction().execute((tx) => insertUnstoredDocuments(tx, [unstored]))
    await administration.pool.query(
      "update print_run_document set sha256 = decode($1, 'hex') where batch_number = $2",
      [sha256, batchNumber],
    )

    const moved = await as('POST', `/print-runs/${batchNumber}/move`, toSouth)

    // what is released is in the object store
    expect(await administration.objects.head(documentKey(sha256))).toBeDefined()

    expect(moved).toMatchObject({ status: 201, body: { printEpoch: 1, documentCount: 1 } })
    expect(await runs.statuses(keys)).toEqual([['PENDING', null]])
    expect(await as('GET', `/print-runs/${batchNumber}`)).toMatchObject({
      body: { state: 'CLOSED', movedTo: moved.body.batchNumber },
    })
  })

  test('201: a run that its provider refused completely is reassigned without nothingPrinted', async () => {
    const { batchNumber, keys } = await runs.aRefusedRun(2)

    const moved = await as('POST', `/print-runs/${batchNumber}/move`, toSouth)

    expect(moved).toMatchObject({ status: 201, body: { printEpoch: 2, documentCount: 2 } })
    expect(await as('GET', `/print-runs/${batchNumber}`)).toMatchObject({
      body: { state: 'VOIDED', refusal: 'The press is on fire', account: { moved: 2, missing: 0 } },
    })
    expect(await runs.statuses(keys)).toEqual([
      ['PRODUCTION', null],
      ['PRODUCTION', null],
    ])
  })

  test('409: the run has more documents than agreed, and none is reassigned', async () => {
    const { batchNumber } = await runs.aClaimedRun(2)
    const path = `/print-runs/${batchNumber}/move`
    const body = { ...toSouth, nothingPrinted: true }

    const fewer = await as('POST', path, { ...body, expectedCount: 1 })
    const untouched = await as('GET', `/print-runs/${batchNumber}`)
    const exactly = await as('POST', path, { ...body, expectedCount: 2 })

    expect(fewer).toMatchObject(
      conflict(`Print run ${batchNumber} has 2 such documents, more than 1. Nothing is reassigned`),
    )
    expect(untouched).toMatchObject({ body: { state: 'CLAIMED' } })
    expect(exactly).toMatchObject({ status: 201, body: { documentCount: 2 } })
  })

  test('409: all remaining documents are in unanswered recalls', async () => {
    const { batchNumber, documentIds } = await runs.aClaimedRun(2)
    const body = { ...toSouth, nothingPrinted: true }
    const recalls = `/print-runs/${batchNumber}/recalls`
    const one = await as('POST', recalls, { documentIds: [documentIds[0]], reason: 'wrong fee' })
    const rest = await as('POST', recalls, { all: true, reason: 'wrong fee' })

    const waiting = await as('POST', `/print-runs/${batchNumber}/move`, body)
    for (const { body: recall } of [one, rest]) {
      await as('POST', `/recalls/${recall.recallId}/settle`, {
        allStopped: true,
        note: 'by telephone',
      })
    }
    const settled = await as('POST', `/print-runs/${batchNumber}/move`, body)

    const [first, second] = [one, rest].map(
      ({ body: { recallId } }) =>
        `npx despatch runs settle-recall ${recallId} --note <text> --too-late <documentId>... or --all-stopped`,
    )
    expect(waiting).toMatchObject(
      conflict(
        `The remaining documents of print run ${batchNumber} are being recalled. Settle the recall first: ${first}, ${second}`,
      ),
    )
    expect(settled).toMatchObject(
      conflict(`Print run ${batchNumber} has no documents left to reassign`),
    )
  })

  test('the count omits documents in an open recall, and answers 409 or 404 if nothing can be reassigned', async () => {
    const { batchNumber, documentIds } = await runs.aClaimedRun(2)
    const path = `/print-runs/${batchNumber}/move`
    const recall = (choice: object) =>
      as('POST', `/print-runs/${batchNumber}/recalls`, { ...choice, reason: 'wrong fee' })

    await recall({ documentIds: [documentIds[0]] })
    const counted = await as('POST', `${path}/count`)
    const moved = await as('POST', path, {
      ...toSouth,
      nothingPrinted: true,
      expectedCount: counted.body.documentCount,
    })
    const ended = await as('POST', `${path}/count`)
    const { batchNumber: other } = await runs.aClaimedRun()
    const all = await as('POST', `/print-runs/${other}/recalls`, { all: true, reason: 'wrong fee' })
    const recalled = await as('POST', `/print-runs/${other}/move/count`)

    expect(counted).toMatchObject({ status: 200, body: { batchNumber, documentCount: 1 } })
    expect(moved).toMatchObject({ status: 201, body: { documentCount: 1 } })
    expect(ended.status).toBe(409)
    expect(recalled).toMatchObject({ status: 409 })
    expect(recalled.body.errors[0].detail).toContain(all.body.recallId)
    expect((await as('POST', '/print-runs/R999999/move/count')).status).toBe(404)
  })

  test('400: nothingPrinted is missing for a claimed run', async () => {
    const { batchNumber } = await runs.aClaimedRun()
    const path = `/print-runs/${batchNumber}/move`

    const silent = await as('POST', path, toSouth)
    const denied = await as('POST', path, { ...toSouth, nothingPrinted: false })

    expect(silent).toMatchObject(
      aProblem(400, {
        title: 'nothingPrinted',
        detail: `nothingPrinted must be true, because print run ${batchNumber} is claimed`,
      }),
    )
    expect(denied).toMatchObject(aProblem(400, { title: 'nothingPrinted' }))
    expect(await as('GET', `/print-runs/${batchNumber}`)).toMatchObject({
      body: { state: 'CLAIMED' },
    })
  })

  test('409: the provider works on the run', async () => {
    const { batchNumber } = await runs.anAcknowledgedRun()
    const body = { ...toSouth, nothingPrinted: true }

    expect(await as('POST', `/print-runs/${batchNumber}/move`, body)).toMatchObject(
      conflict(
        `Print run ${batchNumber} is ACCEPTED: its provider is working on it. Recall it, and settle the recall if the provider cannot respond`,
      ),
    )
  })

  test('409: the site is disabled or cannot print the run, which stays open', async () => {
    const { batchNumber } = await runs.anOpenRun()
    const path = `/print-runs/${batchNumber}/move`
    await runs.pool.query(
      `update print_site set capabilities = capabilities || '{"colour":false}' where print_location = 'OFF'`,
    )

    const off = await as('POST', path, { ...toSouth, printLocation: 'OFF' })
    const on = { enabled: true, share: 0, reprintsFreeMax: 10, reprintsFreePercent: 1 }
    await administration.asAdmin('PUT', '/providers/south/sites/OFF', on)
    const unable = await as('POST', path, { ...toSouth, printLocation: 'OFF' })

    expect(off).toMatchObject(conflict('Site OFF of south is disabled: enable it first'))
    expect(unable).toMatchObject(
      conflict(
        'Site OFF of south cannot print it: it requires A4-PLAIN, LETTER, duplex, colour, SECOND, 1 sheets',
      ),
    )
    expect(await as('GET', `/print-runs/${batchNumber}`)).toMatchObject({ body: { state: 'OPEN' } })
    await runs.gather()
  })

  test('404: the print run, provider or site is unknown', async () => {
    const { batchNumber } = await runs.aReleasedRun()
    const path = `/print-runs/${batchNumber}/move`

    const answers = [
      await as('POST', '/print-runs/R1/move', toSouth),
      await as('POST', path, { ...toSouth, providerId: 'nobody' }),
      await as('POST', path, { ...toSouth, printLocation: 'NORTH' }),
    ]

    expect(answers.map(({ status, body }) => [status, body.errors[0].code])).toEqual([
      [404, 'PrintRunNotFound'],
      [404, 'ProviderNotFound'],
      [404, 'PrintSiteNotFound'],
    ])
  })
})

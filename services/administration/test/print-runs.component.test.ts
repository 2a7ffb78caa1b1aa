import { hash, randomUUID } from 'node:crypto'
import { documentKey } from '@despatch/object-store/keys'
import { insertUnstoredDocuments } from '@despatch/store/print-job/unstored-documents'
import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import { describe, expect, test } from 'vitest'
import { anAdministration, printRunConflict } from './an-administration.ts'

const administration = await shared(anAdministration())
const runs = await shared(somePrintRuns(administration.url))
await administration.asAdmin('POST', '/providers', {
  providerId: 'south',
  name: 'South',
  printLocations: ['SOUTH', 'OFF'],
})
const enabled = { enabled: true, share: 0, reprintsFreeMax: 10, reprintsFreePercent: 1 }
await administration.asAdmin('PUT', '/providers/south/sites/SOUTH', enabled)

const { asOperator: as } = administration
const operator = administration.actorOf('operator')
const toSouth = { providerId: 'south', printLocation: 'SOUTH', reason: 'fire' }
const nothingPrinted = true
const move = (batchNumber: string, others: object = {}) =>
  as('POST', `/print-runs/${batchNumber}/move`, { ...toSouth, ...others })
const show = async (batchNumber: string) => (await as('GET', `/print-runs/${batchNumber}`)).body
const recordedOf = (batchNumber: string) => administration.audited(`about=${batchNumber}`)

test('GET /print-runs: 200, lists runs newest first, by state and by provider, page by page', async () => {
  const released = await runs.aReleasedRun()
  const claimed = await runs.aClaimedRun()
  const open = await runs.anOpenRun(2)
  const own = [released, claimed, open].map(({ batchNumber }) => batchNumber)

  const first = await as('GET', '/print-runs?providerId=north&limit=2')
  const next = `cursor=${first.body.nextCursor}`
  const second = await as('GET', `/print-runs?providerId=north&limit=1&${next}`)
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

test('GET /print-runs/{batchNumber}: 200, returns an acknowledged run with its counts and its missing documents', async () => {
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
  expect((await show(batchNumber)).unaccounted[0]).not.toHaveProperty('recipientName')
})

describe('POST /print-runs/{batchNumber}/release', () => {
  test('200: the next pass releases the run, and a repetition is safe', async () => {
    const { batchNumber } = await runs.anOpenRun()
    const path = `/print-runs/${batchNumber}/release`

    const asked = await as('POST', path)
    const again = await as('POST', path)
    const { released } = await runs.gather({ runAgeMs: 3_600_000 })
    const after = await as('POST', path)

    expect(asked).toMatchObject({
      status: 200,
      body: {
        state: 'OPEN',
        releaseAskedAt: expect.any(String),
        releaseAskedBy: operator,
        releaseAskedByUserName: 'operator',
      },
    })
    expect(again.body).toEqual(asked.body)
    expect(released).toEqual([batchNumber])
    expect(after).toMatchObject({ status: 200, body: { state: 'RELEASED' } })
    expect(await recordedOf(batchNumber)).toEqual([
      {
        actor: operator,
        action: 'print-run.release-asked',
        detail: { batchNumber, providerId: 'north', printLocation: 'NORTH' },
      },
    ])
  })

  test('409: the cut-off has released the run', async () => {
    const { batchNumber } = await runs.aReleasedRun()

    expect(await as('POST', `/print-runs/${batchNumber}/release`)).toMatchObject(
      printRunConflict(
        `Print run ${batchNumber} is RELEASED: only an OPEN print run can be released`,
      ),
    )
  })
})

describe('POST /print-runs/{batchNumber}/move', () => {
  test('201: a claimed run is reassigned with a higher epoch', async () => {
    const { batchNumber } = await runs.aClaimedRun(2)

    const moved = await move(batchNumber, { nothingPrinted })

    const run = {
      batchNumber: moved.body.batchNumber,
      movedFrom: batchNumber,
      providerId: 'south',
      printLocation: 'SOUTH',
      printEpoch: 2,
      documentCount: 2,
    }
    expect([moved.status, moved.body]).toEqual([201, run])
    expect(await show(batchNumber)).toMatchObject({
      state: 'VOIDED',
      voidReason: 'fire',
      movedTo: run.batchNumber,
      account: { expected: 2, moved: 2, missing: 0 },
    })
    expect(await show(run.batchNumber)).toMatchObject({ state: 'RELEASED', ...run })
    expect(await recordedOf(batchNumber)).toEqual([
      {
        actor: operator,
        action: 'print-run.moved',
        detail: { ...run, reason: 'fire', nothingPrinted },
      },
    ])
  })

  test('201: the documents of a run that still collects are stored before it is reassigned', async () => {
    const { batchNumber, keys } = await runs.anOpenRun()
    const pdf = Buffer.from(randomUUID())
    const sha256 = hash('sha256', pdf)
    const unstored = { sha256, pdf }
    await administration.db.transaction().execute((tx) => insertUnstoredDocuments(tx, [unstored]))
    await administration.pool.query(
      "update print_run_document set sha256 = decode($1, 'hex') where batch_number = $2",
      [sha256, batchNumber],
    )

    const moved = await move(batchNumber)

    expect(await administration.objects.head(documentKey(sha256))).toBeDefined()
    expect(moved).toMatchObject({ status: 201, body: { printEpoch: 1, documentCount: 1 } })
    expect(await runs.statuses(keys)).toEqual([['PENDING', null]])
    expect(await show(batchNumber)).toMatchObject({
      state: 'CLOSED',
      movedTo: moved.body.batchNumber,
    })
  })

  test('201: a run that its provider refused completely is reassigned without nothingPrinted', async () => {
    const { batchNumber } = await runs.aRefusedRun(2)

    expect(await move(batchNumber)).toMatchObject({
      status: 201,
      body: { printEpoch: 2, documentCount: 2 },
    })
    expect(await show(batchNumber)).toMatchObject({
      state: 'VOIDED',
      refusal: 'The press is on fire',
      account: { moved: 2, missing: 0 },
    })
  })

  test('409: the run has more documents than agreed, and none is reassigned', async () => {
    const { batchNumber } = await runs.aClaimedRun(2)

    const fewer = await move(batchNumber, { nothingPrinted, expectedCount: 1 })
    const untouched = await show(batchNumber)
    const exactly = await move(batchNumber, { nothingPrinted, expectedCount: 2 })

    expect(fewer).toMatchObject(
      printRunConflict(
        `Print run ${batchNumber} has 2 such documents, more than 1. Nothing is reassigned`,
      ),
    )
    expect(untouched).toMatchObject({ state: 'CLAIMED' })
    expect(exactly).toMatchObject({ status: 201, body: { documentCount: 2 } })
  })

  test('POST /print-runs/{batchNumber}/move/count: omits documents in an open recall, and answers 409 if nothing can be reassigned', async () => {
    const { batchNumber, documentIds } = await runs.aClaimedRun(2)
    const path = `/print-runs/${batchNumber}`
    const recall = (choice: object) =>
      as('POST', `${path}/recalls`, { ...choice, reason: 'wrong fee' })

    const one = await recall({ documentIds: [documentIds[0]] })
    const counted = await as('POST', `${path}/move/count`)
    const rest = await recall({ all: true })
    const waiting = [
      await as('POST', `${path}/move/count`),
      await move(batchNumber, { nothingPrinted }),
    ]
    for (const { body } of [one, rest]) {
      const settlement = { allStopped: true, note: 'by telephone' }
      await as('POST', `/recalls/${body.recallId}/settle`, settlement)
    }
    const settled = [
      await as('POST', `${path}/move/count`),
      await move(batchNumber, { nothingPrinted }),
    ]

    expect([counted.status, counted.body]).toEqual([200, { batchNumber, documentCount: 1 }])
    const commands = [one, rest].map(
      ({ body: { recallId } }) =>
        `npx despatch runs settle-recall ${recallId} --note <text> --too-late <documentId>... or --all-stopped`,
    )
    const detail = `The remaining documents of print run ${batchNumber} are being recalled. Settle the recall first: ${commands.join(', ')}`
    for (const answer of waiting) expect(answer).toMatchObject(printRunConflict(detail))
    for (const answer of settled) {
      expect(answer).toMatchObject(
        printRunConflict(`Print run ${batchNumber} has no documents left to reassign`),
      )
    }
  })

  test('400: nothingPrinted is missing for a claimed run', async () => {
    const { batchNumber } = await runs.aClaimedRun()

    const detail = `nothingPrinted must be true, because print run ${batchNumber} is claimed`
    expect(await move(batchNumber)).toMatchObject(
      aProblem(400, { title: 'nothingPrinted', detail }),
    )
    expect(await show(batchNumber)).toMatchObject({ state: 'CLAIMED' })
  })

  test('409: the provider works on the run', async () => {
    const { batchNumber } = await runs.anAcknowledgedRun()

    expect(await move(batchNumber, { nothingPrinted })).toMatchObject(
      printRunConflict(
        `Print run ${batchNumber} is ACCEPTED: its provider is working on it. Recall it, and settle the recall if the provider cannot respond`,
      ),
    )
  })

  test('404 or 409: the site is unknown, disabled or cannot print the run, which stays open', async () => {
    const { batchNumber } = await runs.anOpenRun()
    await runs.pool.query(
      `update print_site set capabilities = capabilities || '{"colour":false}' where print_location = 'OFF'`,
    )

    const unknown = await move(batchNumber, { printLocation: 'NORTH' })
    const off = await move(batchNumber, { printLocation: 'OFF' })
    await administration.asAdmin('PUT', '/providers/south/sites/OFF', enabled)
    const unable = await move(batchNumber, { printLocation: 'OFF' })

    expect(unknown).toMatchObject(aProblem(404, { code: 'PrintSiteNotFound' }))
    expect(off).toMatchObject(printRunConflict('Site OFF of south is disabled: enable it first'))
    expect(unable).toMatchObject(
      printRunConflict(
        'Site OFF of south cannot print it: it requires A4-PLAIN, LETTER, duplex, colour, SECOND, 1 sheets',
      ),
    )
    expect(await show(batchNumber)).toMatchObject({ state: 'OPEN' })
    await runs.gather()
  })
})

import { randomUUID } from 'node:crypto'
import { parkStep, retryStep } from '@despatch/store/print-job/steps'
import { saveSubmissions } from '@despatch/store/print-job/submissions'
import { eventually } from '@despatch/testing/eventually'
import { aSubmission, someStandardParams } from '@despatch/testing/print-job-builders'
import { shared } from '@despatch/testing/shared'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import { takeLetters } from '@despatch/testing/take-letters'
import { takeWaitingLetters } from '@despatch/testing/take-waiting-letters'
import { beforeEach, describe, expect, test } from 'vitest'
import { anAdministration, refusal } from './an-administration.ts'

const administration = await shared(anAdministration())
const runs = await shared(somePrintRuns(administration.url))
// Keeps the documents of one test out of the print run of the next.
beforeEach(() => runs.gather())

const { asOperator: as } = administration
const reason = 'asked for by telephone'
const operator = administration.actorOf('operator')
/** Acts on a print job as an operator. */
const act = (key: string, action: string) => as('POST', `/print-jobs/${key}/${action}`, { reason })
const show = async (key: string) => (await as('GET', `/print-jobs/${key}`)).body

type Detail = Parameters<typeof aSubmission>[1]

async function aSavedJob(detail: Detail = {}) {
  const submission = aSubmission(runs.consumer, detail)
  await saveSubmissions(runs.pool, [submission])
  return submission
}

async function aPendingJob(detail: Detail = {}) {
  const submission = await aSavedJob(detail)
  await runs.accept([submission.key])
  return submission
}

async function aParkedJob() {
  const submission = await aSavedJob()
  const taken = await takeWaitingLetters(runs.db)
  await parkStep(runs.db, taken.find(({ key }) => key === submission.key)!, 'StorageDown')
  return submission
}

async function keysFound(search: Record<string, unknown>): Promise<string[]> {
  const { status, body } = await as('POST', '/print-jobs/search', search)
  expect(status).toBe(200)
  return body.printJobs.map(({ printJobKey }: { printJobKey: string }) => printJobKey)
}

const keysFoundBy = (find: string) => keysFound({ find })

/** Waits until the service has written the search terms of all print jobs. */
const allIndexed = () =>
  eventually(
    async () => {
      const { rows } = await runs.pool.query('select from print_job where search_terms is null')
      return rows.length === 0
    },
    { message: 'all print jobs have search terms' },
  )

const recordedOf = (key: string) => administration.audited(`about=${key}`)

/** Inserts a callback for a print job, and returns its id. */
async function aCallback(key: string): Promise<string> {
  const { rows } = await runs.pool.query(
    `insert into callback (id, consumer_id, origin, sequence, status, body, due_at, print_job_key)
     values (gen_random_uuid(), $1, 'https://example.com', 1, 'PENDING', '{}', now(), $2) returning id`,
    [runs.consumer.consumerId, key],
  )
  return rows[0].id
}

const refused = (detail: string) =>
  refusal('409 CONFLICT', 'NotPossible', detail, 'Not possible now')

describe('POST /print-jobs/count', () => {
  const count = async (search: Record<string, unknown>) =>
    (await as('POST', '/print-jobs/count', search)).body

  test('200: counts what a search with the same text and filters finds', async () => {
    const job = await aPendingJob()
    for (const [search, found] of [
      [{ find: job.id }, 1],
      [{ find: job.id, statuses: ['PENDING'] }, 1],
      [{ find: job.id, statuses: ['REJECTED'] }, 0],
      [{ find: job.id, createdTo: '2026-01-31T09:00:00Z' }, 0],
      [{ find: job.id, rule: 'P107' }, 0],
      [{ only: 'parked', consumerId: randomUUID() }, 0],
    ] as const) {
      expect([search, await count(search)]).toEqual([search, { count: found, isAtLeast: false }])
    }
  })

  test.each<[number, search: object]>([
    [200, { dueFrom: '2000-01-01', dueTo: '2100-12-31' }],
    [400, { dueFrom: '1999-12-31' }],
    [400, { dueTo: '2101-01-01' }],
    [400, { status: 'PENDING', statuses: ['REJECTED'] }],
  ])('%i: %o, here and in a search', async (status, search) => {
    for (const path of ['/print-jobs/count', '/print-jobs/search']) {
      expect([path, (await as('POST', path, search)).status]).toEqual([path, status])
    }
  })
})

describe('POST /print-jobs/search', () => {
  test('200: finds a print job by each kind of id, business identifier, postcode and correlation id', async () => {
    const businessIdentifier = `case-${randomUUID()}`
    const address = { unstructuredAddress: { line1: 'A', postcode: 'ZE1 0AA' } }
    const standardParams = { ...someStandardParams, businessIdentifier, address }
    const correlationId = `trace-${randomUUID()}`
    const job = await aPendingJob({ standardParams, correlationId, searchTerms: null })
    await allIndexed()
    await runs.gather({ runAgeMs: 3_600_000 })
    const { rows } = await runs.pool.query(
      'select batch_number, document_id from print_run_document where print_job_key = $1',
      [job.key],
    )
    const callbackId = await aCallback(job.key)
    await aPendingJob()

    const { batch_number: batchNumber, document_id: documentId } = rows[0]
    for (const find of [
      ...[job.id, job.key, batchNumber, documentId, callbackId],
      ...[businessIdentifier, job.correlationId, 'ZE1 0AA', 'ze10aa'],
    ]) {
      expect([find, await keysFoundBy(find)]).toEqual([find, [job.key]])
    }
    for (const near of [job.id.slice(1), businessIdentifier.slice(1), 'ZE1', randomUUID()]) {
      expect([near, await keysFoundBy(near)]).toEqual([near, []])
    }
  })

  test('200: returns the fields of the list for each print job', async () => {
    const { key, id } = await aPendingJob()
    await runs.gather({ runAgeMs: 3_600_000 })
    const { consumerId } = runs.consumer

    expect((await as('POST', '/print-jobs/search', { find: id })).body).toEqual({
      printJobs: [
        {
          printJobKey: key,
          id,
          consumerId,
          consumerName: 'A consumer',
          status: 'PENDING',
          userName: expect.stringMatching(/^consumer-/),
          recipientName: 'Ms A Person',
          postcode: 'AB1 2CD',
          dueDate: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
          // at midnight, its day may end meanwhile
          lateness: expect.stringMatching(/^(before-production|at-risk|overdue)$/),
          createdAt: expect.any(String),
          updatedAt: expect.any(String),
          batchNumber: expect.stringMatching(/^R\d+$/),
          documentId: expect.stringMatching(/^D\d+$/),
        },
      ],
    })
  })

  test('200: finds the same id of two consumers, and of one of them', async () => {
    const id = randomUUID()
    const job = await aSavedJob({ id })
    const others = await somePrintRuns(administration.url)
    const other = aSubmission(others.consumer, { id })
    await saveSubmissions(others.pool, [other])
    await others.close()

    expect((await keysFoundBy(id)).toSorted()).toEqual([job.key, other.key].toSorted())
    expect(await keysFound({ find: id, consumerId: others.consumer.consumerId })).toEqual([
      other.key,
    ])
  })

  test('200: filters print jobs that are held, parked or failing', async () => {
    const held = await aPendingJob({ heldBy: 'contract' })
    const parked = await aParkedJob()
    const failing = await aSavedJob()
    const [step] = await takeLetters(runs.db, [failing.key])
    await retryStep(runs.db, step!, { seconds: 60, failure: 'TimeoutError' })
    const triedAgain = await aSavedJob()
    await runs.pool.query('update print_job set step_failures = 1 where key = $1', [triedAgain.key])
    await takeLetters(runs.db, [triedAgain.key], 'slow')
    const rejected = await aSavedJob({ heldBy: 'consumer' })
    await runs.pool.query(`update print_job set status = 'REJECTED' where key = $1`, [rejected.key])

    const these = [held, parked, failing, triedAgain, rejected].map(({ key }) => key)
    const found = async (search: Record<string, unknown>) =>
      (await keysFound(search)).filter((key) => these.includes(key))

    expect(await found({ only: 'held' })).toEqual([held.key])
    expect(await found({ only: 'parked' })).toEqual([parked.key])
    expect((await found({ only: 'failing' })).toSorted()).toEqual(
      [failing.key, triedAgain.key].toSorted(),
    )
    expect(await found({ only: 'held', status: 'QUARANTINE' })).toEqual([])
    expect(await found({ status: 'REJECTED' })).toEqual([rejected.key])
  })

  test('200: lists oldest first, page by page, by the keys, which begin with the time', async () => {
    const jobs = await Promise.all([aSavedJob(), aSavedJob(), aSavedJob()])
    const search = { status: 'QUARANTINE', order: 'oldest' }
    const all = await keysFound(search)

    const { nextCursor } = (await as('POST', '/print-jobs/search', { ...search, limit: 2 })).body

    expect(all).toEqual(all.toSorted())
    expect(all).toEqual(expect.arrayContaining(jobs.map(({ key }) => key)))
    expect(await keysFound({ ...search, cursor: nextCursor })).toEqual(all.slice(2))
  })

  test('404: a search text in the URL, which would be logged', async () => {
    expect(await as('GET', '/print-jobs?find=ZE1')).toMatchObject({ status: 404 })
  })
})

describe('GET /print-jobs/{printJobKey}', () => {
  test('200: returns timeline, files, callbacks and possible actions', async () => {
    const file = {
      fileId: 'photo',
      source: 'custom-param' as const,
      sha256: 'ab'.repeat(32),
      bytes: 10,
      mediaType: 'image/png',
    }
    const standardParams = { ...someStandardParams, businessIdentifier: 'case-1' }
    const { recipientName, address, ...submittedParams } = standardParams
    const job = await aPendingJob({ files: [file], standardParams })
    await runs.gather({ runAgeMs: 3_600_000 })
    const callbackId = await aCallback(job.key)

    const { status, headers, body } = await as('GET', `/print-jobs/${job.key}`)

    expect([status, headers['cache-control']]).toEqual([200, 'no-store'])
    expect(body).toMatchObject({
      printJobKey: job.key,
      id: job.id,
      status: 'PENDING',
      correlationId: job.correlationId,
      jobType: 'LETTER',
      templateReference: 'LETTER',
      businessIdentifier: 'case-1',
      submittedParams,
      submittedAddress: { recipientName, address },
      runState: 'OPEN',
      printableAddress: { line1: 'A', recipientLine1: 'B', recipientLine2: '', dps: null },
      files: [{ ...file, isPinned: false }],
      events: [
        { sequence: 1, transition: 'submit' },
        { sequence: 2, transition: 'release' },
        { sequence: 3, transition: 'accept' },
      ],
      callbacks: [{ callbackId, jobStatus: 'PENDING', status: 'DUE' }],
      actions: [
        { action: 'hold', isPossible: true },
        { action: 'release', isPossible: false, whyNot: 'It is not held.' },
        { action: 'cancel', isPossible: true },
        { action: 'redrive', isPossible: false, whyNot: expect.stringMatching(/not parked/) },
        { action: 'override-address', isPossible: false, whyNot: expect.stringMatching(/Hold it/) },
      ],
    })
  })

  test('200: after the start of a purge returns no personal data, and personal data no longer finds the print job', async () => {
    const standardParams = { ...someStandardParams, businessIdentifier: `case-${randomUUID()}` }
    const file = { fileId: 'photo-of-ms-person', source: 'custom-param' as const }
    const { key, correlationId } = await aPendingJob({
      standardParams,
      correlationId: `trace-${randomUUID()}`,
      searchTerms: null,
      files: [{ ...file, sha256: 'cd'.repeat(32), bytes: 10, mediaType: 'image/png' }],
    })
    await as('POST', `/print-jobs/${key}/hold`, { reason: 'Ms Person asked for it' })
    const list = async () =>
      (await as('POST', '/print-jobs/search', { find: correlationId })).body.printJobs
    const [listed] = await list()
    await runs.pool.query(
      `update print_job set status = 'REJECTED', comment = 'Ms Person has it', purge_began_at = now(),
         printable_address = printable_address || '{"postcode":"ZE1 0AB"}' where key = $1`,
      [key],
    )

    const { body } = await as('GET', `/print-jobs/${key}`)

    expect(listed).toMatchObject({ businessIdentifier: standardParams.businessIdentifier })
    for (const shown of [body, await list()]) {
      expect(JSON.stringify(shown)).not.toMatch(/Person|case-|ZE1|High Street/)
    }
    expect(body).toMatchObject({ printJobKey: key, status: 'REJECTED', files: [] })
    expect(body.events.at(-1)).toMatchObject({ transition: 'hold', actor: operator })
    expect(body.events.at(-1)).not.toHaveProperty('reason')
    expect(await keysFoundBy(standardParams.businessIdentifier)).toEqual([])
    expect(await keysFoundBy('ZE1 0AB')).toEqual([])
    expect(await keysFoundBy(correlationId)).toEqual([key])
  })

  test('200: returns a deleted print job with its past', async () => {
    const job = await aPendingJob()
    await runs.deleteJob(job.id)

    const { body } = await as('GET', `/print-jobs/${job.key}`)

    expect(body).toMatchObject({ deletedAt: expect.any(String), status: 'PENDING' })
    expect(body.actions[0]).toEqual({
      action: 'hold',
      isPossible: false,
      whyNot: 'It was cancelled.',
    })
  })
})

describe('POST /print-jobs/{printJobKey}/hold', () => {
  test('200: the checks of a held letter that waits for a worker continue', async () => {
    const { key } = await aSavedJob()

    expect(await act(key, 'hold')).toMatchObject({ status: 200, body: { status: 'QUARANTINE' } })
    expect((await takeWaitingLetters(runs.db)).map((step) => step.key)).toContain(key)
  })

  test('200: removes the letter from its run, with actor and reason in the timeline and the audit log', async () => {
    const { keys } = await runs.anOpenRun(2)
    const [key] = keys as [string]

    const held = await act(key, 'hold')

    expect(held).toMatchObject({
      status: 200,
      body: { heldBy: operator, heldByUserName: 'operator', holdReason: reason },
    })
    expect(held.body).not.toHaveProperty('batchNumber')
    expect(held.body).not.toHaveProperty('runState')
    const step = { transition: 'hold', actor: operator, actorUserName: 'operator', reason }
    expect(held.body.events.at(-1)).toMatchObject(step)
    const recorded = {
      actor: operator,
      action: 'print-job.held',
      consumerId: runs.consumer.consumerId,
      detail: { printJobKey: key, printJobId: held.body.id, reason },
    }
    expect(await recordedOf(key)).toEqual([recorded])
    expect(await act(key, 'hold')).toMatchObject(refused('An operator already holds it.'))
    expect(await recordedOf(key)).toEqual([recorded])
  })
})

test('POST /print-jobs/{printJobKey}/release: 200, releases any hold, and the next pass gathers the print job', async () => {
  const { key } = await aPendingJob({ heldBy: 'contract' })

  const released = await act(key, 'release')
  await runs.gather({ runAgeMs: 3_600_000 })

  expect(released.status).toBe(200)
  expect(released.body).not.toHaveProperty('heldAt')
  expect(await show(key)).toMatchObject({ runState: 'OPEN' })
  expect(await recordedOf(key)).toMatchObject([{ action: 'print-job.released' }])
})

describe('POST /print-jobs/{printJobKey}/cancel', () => {
  test('200: deletes the print job as its consumer would, and removes it from its run', async () => {
    const { keys, batchNumber } = await runs.aReleasedRun(2)
    const [key] = keys as [string]

    const cancelled = await act(key, 'cancel')

    expect(cancelled).toMatchObject({ status: 200, body: { deletedAt: expect.any(String) } })
    const step = { transition: 'delete', actor: operator, reason }
    expect(cancelled.body.events.at(-1)).toMatchObject(step)
    const { rows } = await runs.pool.query(
      'select print_job_key as key from print_run_document where batch_number = $1 and removed_at is null',
      [batchNumber],
    )
    expect(rows).toEqual([{ key: keys[1] }])
    expect(await recordedOf(key)).toMatchObject([{ action: 'print-job.cancelled' }])
  })

  test('200: rejects a parked print job, and its consumer gets a callback', async () => {
    const { key } = await aSavedJob()
    await runs.pool.query(
      `update print_job set parked_at = now(), callback_params = '{}', callback_origin = 'https://a.example'
       where key = $1`,
      [key],
    )

    const { status, body } = await act(key, 'cancel')

    expect({ status, body }).toMatchObject({
      status: 200,
      body: { status: 'REJECTED', comment: 'Despatch could not process this print job' },
    })
    expect(body).not.toHaveProperty('parkedAt')
    expect(body.events.at(-1)).toMatchObject({ transition: 'reject', reason })
    expect(body.callbacks).toHaveLength(1)
  })
})

test('POST /print-jobs/{printJobKey}/redrive: 200, wakes a parked print job for another attempt', async () => {
  const { key } = await aParkedJob()
  const parked = { parkedAt: expect.any(String), failure: 'StorageDown' }
  expect(await show(key)).toMatchObject(parked)

  const redriven = await act(key, 'redrive')

  expect(redriven.status).toBe(200)
  expect(redriven.body).not.toHaveProperty('parkedAt')
  const step = { transition: 'redrive', actor: operator, reason }
  expect(redriven.body.events.at(-1)).toMatchObject(step)
  const taken = await takeWaitingLetters(runs.db)
  expect(taken.filter((each) => each.key === key)).toMatchObject([{ starts: 1, failures: 0 }])
  expect(await recordedOf(key)).toMatchObject([{ action: 'print-job.redriven' }])
  expect(await act(key, 'redrive')).toMatchObject(
    refused('It is not parked; it continues automatically.'),
  )
})

test('no found or shown data is logged', async () => {
  const { key } = await aPendingJob()
  await keysFoundBy('ZE1 0AA')
  await as('GET', `/print-jobs/${key}`)

  const logged = administration.lines.join('')

  expect(logged).not.toMatch(/ZE1|ze10aa|case-|Ms A Person|High Street|telephone/)
  expect(logged).toContain('/print-jobs')
})

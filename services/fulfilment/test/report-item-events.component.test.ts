import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { aFulfilment } from './a-fulfilment.ts'
import { aProductionReport } from './production-report.ts'

const fulfilment = await shared(aFulfilment())
const production = aProductionReport(fulfilment)
const { keyOf, rows } = fulfilment

describe('POST /print-runs/{batchNumber}/events', () => {
  test('the first accepted event moves the run to IN_PRODUCTION', async () => {
    const run = await fulfilment.anAcknowledgedRun({}, {})
    const { batchNumber } = run
    const [documentId] = run.documentIds
    expect(await production.results(batchNumber, [{ documentId: 'D1', type: 'FETCHED' }])).toEqual([
      'unknown-document',
    ])
    expect(await production.stateOf(batchNumber)).toBe('ACCEPTED')

    const { status, body } = await production.report(batchNumber, [
      { eventId: 'one', documentId, type: 'FETCHED' },
    ])

    expect({ status, body }).toEqual({
      status: 200,
      body: { batchNumber, results: [{ eventId: 'one', result: 'APPLIED' }] },
    })
    expect(await production.stateOf(batchNumber)).toBe('IN_PRODUCTION')
    expect(await production.standings(batchNumber)).toEqual(['1 FETCHED', '1'])
  })

  test('a document of another run is unknown, with or without a serial number', async () => {
    const { batchNumber } = await fulfilment.anAcknowledgedRun({})
    const other = await fulfilment.anAcknowledgedRun({})
    const [elsewhere] = other.documentIds

    const results = await production.results(batchNumber, [
      { documentId: elsewhere, type: 'FETCHED' },
      { documentId: elsewhere, type: 'PRINTED', serialNumber: 'S-elsewhere' },
    ])

    expect(results).toEqual(['unknown-document', 'unknown-document'])
    expect(await production.standings(other.batchNumber)).toEqual(['1'])
  })

  test('later events of a call see earlier ones, and the timeline lists all stored events', async () => {
    const run = await fulfilment.anAcknowledgedRun({})
    const [documentId] = run.documentIds

    const results = await production.results(run.batchNumber, [
      { documentId, type: 'FETCHED' },
      { documentId, type: 'ENCLOSED' },
      { documentId, type: 'PRINTED' },
      { documentId, type: 'PRINTED' },
      { documentId, type: 'DIVERTED', reasonCode: 'CHECK' },
      { documentId, type: 'SPOILED', reasonCode: 'JAM' },
      { documentId, type: 'PRINTED', attempt: 2 },
    ])

    expect(results).toEqual([
      'APPLIED',
      'APPLIED',
      'RECORDED',
      'already-reported',
      'RECORDED',
      'APPLIED',
      'attempt-not-authorised',
    ])
    expect(await production.standings(run.batchNumber)).toEqual(['1 SPOILED'])
    expect(await production.timeline(await keyOf(documentId))).toEqual([
      'fetch',
      'enclose',
      'print',
      'divert CHECK',
      'spoil JAM',
    ])
  })

  test('a repeated event changes nothing, and only another provider can use its id for another event', async () => {
    const run = await fulfilment.anAcknowledgedRun({}, {})
    const other = await fulfilment.anAcknowledgedRun({})
    const [one, two] = run.documentIds
    const [elsewhere] = other.documentIds
    const event = { eventId: 'known', documentId: one, type: 'PRINTED' }
    await production.report(run.batchNumber, [event])

    expect(await production.results(run.batchNumber, [event])).toEqual(['DUPLICATE'])
    expect(await production.results(run.batchNumber, [{ ...event, documentId: two }])).toEqual([
      'event-id-reused',
    ])
    expect(
      await production.results(other.batchNumber, [{ ...event, documentId: elsewhere }]),
    ).toEqual(['event-id-reused'])
    expect(await production.timeline(await keyOf(one))).toEqual(['print'])

    await rows(`update print_run_event set provider_id = 'south' where event_id = 'known'`)
    const ofSouth = { ...event, documentId: two }
    expect(await production.results(run.batchNumber, [ofSouth])).toEqual(['APPLIED'])
  })

  test('a refused event has a reason, and can be sent again later', async () => {
    const run = await fulfilment.anAcknowledgedRun({})
    const { batchNumber } = run
    const [documentId] = run.documentIds
    const again = { eventId: 'again', documentId, type: 'PRINTED', attempt: 2 }

    const { body } = await production.report(batchNumber, [again])
    expect(body.results).toEqual([
      {
        eventId: 'again',
        result: 'REFUSED',
        refusal: 'attempt-not-authorised',
        detail: 'The document was not to be printed under this attempt',
      },
    ])
    await production.report(batchNumber, [{ documentId, type: 'SPOILED' }])
    await fulfilment.call('POST', `/print-runs/${batchNumber}/reprints`, {
      body: { documents: [{ documentId, reasonCode: 'JAM' }] },
    })

    expect(await production.results(batchNumber, [again])).toEqual(['APPLIED'])
  })

  test('a failed document rejects its print job, with the reason', async () => {
    const run = await fulfilment.anAcknowledgedRun({ wantsCallback: true }, {})
    const { batchNumber, printJobs } = run
    const document = run.manifest.documents.find(
      ({ sha256 }: { sha256: string }) => sha256 === printJobs[0]!.sha256,
    )
    const failure = { documentId: document.documentId, type: 'FAILED', reasonCode: 'UNPRINTABLE' }

    await production.report(batchNumber, [{ ...failure, reason: 'The file is broken' }])

    expect(await fulfilment.findJob(printJobs[0]!.id)).toMatchObject({
      status: 'REJECTED',
      comment: 'Failed at the print provider: UNPRINTABLE: The file is broken',
    })
    expect(
      await rows('select status from callback where print_job_key = $1', printJobs[0]!.key),
    ).toEqual([{ status: 'REJECTED' }])
    expect(await production.timeline(printJobs[0]!.key)).toEqual([
      'reject Failed at the print provider: UNPRINTABLE: The file is broken',
    ])
    expect((await production.standings(batchNumber)).toSorted()).toEqual(['1', '1 FAILED'])
  })

  test('a run all of whose documents have failed is reconciled', async () => {
    const run = await fulfilment.anAcknowledgedRun({}, {})
    const documentIds = run.documentIds

    await production.report(
      run.batchNumber,
      documentIds.map((documentId) => ({ documentId, type: 'FAILED' })),
    )

    expect(await production.stateOf(run.batchNumber)).toBe('RECONCILED')
    const late = { documentId: documentIds[0]!, type: 'PRINTED' }
    expect(await production.results(run.batchNumber, [late])).toEqual(['RECORDED'])
  })

  test('a spoiled or failed document leaves an unconfirmed posting', async () => {
    const run = await fulfilment.anAcknowledgedRun({ sheets: 2 }, { sheets: 2 }, { sheets: 2 })
    const { batchNumber } = run
    const [spoiled, failed, posted] = run.documentIds
    const saved = await fulfilment.post({ batchNumber })
    const { postingId } = saved.body
    expect([saved.status, await production.stateOf(batchNumber)]).toEqual([201, 'POSTED'])

    await production.report(batchNumber, [
      { documentId: spoiled, type: 'SPOILED' },
      { documentId: failed, type: 'FAILED' },
    ])

    const counts = 'select document_count, sheet_count from'
    const left = [{ document_count: 1, sheet_count: 2 }]
    expect(await rows(`${counts} posting where id = $1`, postingId)).toEqual(left)
    expect(await rows(`${counts} posting_run where posting_id = $1`, postingId)).toEqual(left)
    expect(await production.stateOf(batchNumber)).toBe('IN_PRODUCTION')
    await fulfilment.confirm(postingId)
    const standings = await production.standings(batchNumber)
    expect(standings.toSorted()).toEqual(['1 DESPATCHED', '1 FAILED', '1 SPOILED'])

    expect(
      await production.results(batchNumber, [
        { documentId: posted, type: 'SPOILED' },
        { documentId: posted, type: 'FAILED' },
        { documentId: posted, type: 'PRINTED' },
      ]),
    ).toEqual(['not-spoilable', 'not-failable', 'RECORDED'])
  })

  test('events of later steps override those of earlier steps', async () => {
    const run = await fulfilment.anAcknowledgedRun({})
    const [documentId] = run.documentIds
    const property = (key: string, value: string) => ({ key, value })
    const later = [property('trayId', '2'), property('mailmarkItemId', '12345678')]
    const machine = property('machineId', '7')

    await production.report(run.batchNumber, [
      { documentId, type: 'ENCLOSED', despatchProperties: later },
      { documentId, type: 'PRINTED', despatchProperties: [property('trayId', '1'), machine] },
    ])

    expect(
      await rows(
        'select despatch_properties, mailmark_item_id from print_run_document where document_id = $1',
        documentId,
      ),
    ).toEqual([
      {
        despatch_properties: [later[0], machine, later[1]],
        mailmark_item_id: '12345678',
      },
    ])
  })
})

test('409: the run is not acknowledged', async () => {
  const { batchNumber, documentIds } = await fulfilment.aClaimedRun({})

  const { status, body } = await production.report(batchNumber, [
    { documentId: documentIds[0], type: 'FETCHED' },
  ])

  expect({ status, body }).toEqual(
    aProblem(409, {
      status: '409 CONFLICT',
      code: 'PrintRunNotInProduction',
      title: 'Print run is not in production',
      detail: `Print run ${batchNumber} is not in production: it was not acknowledged, was refused, or is closed`,
    }),
  )
})

test.each([
  ['no reason code', { type: 'SPOILED', reasonCode: undefined }, 'reasonCode', 'NotNull'],
  ['a time long ago', { occurredAt: '0001-01-01T00:00:00+14:00' }, 'occurredAt', 'Pattern'],
  ['an id of an earlier event of the call', { eventId: 'one' }, 'eventId', 'Duplicate'],
])('400: an event has %s', async (_, event, member, code) => {
  const sound = { eventId: 'one', documentId: 'D1', type: 'FETCHED' }

  const { status, body } = await production.report('B1', [
    sound,
    { ...sound, eventId: 'two', ...event },
  ])

  const title = `events[1].${member}`
  expect({ status, body }).toEqual(
    aProblem(400, {
      status: '400 BAD_REQUEST',
      code,
      title,
      detail: expect.stringContaining(title),
    }),
  )
})

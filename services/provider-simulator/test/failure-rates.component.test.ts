import { eventually } from '@despatch/testing/eventually'
import { expect, test } from 'vitest'
import { aFactory } from './a-factory.ts'

const [reasonCode, reason] = ['SMUDGED', 'The toner is smudged']
const spoil = { outcome: 'spoil', reasonCode, reason }

test('in a test environment it follows the predefined outcome of each document', async () => {
  const { gateway, start, becomes, printed, events } = await aFactory()
  const letters = { D1: 'printed', D2: 'refused', D3: 'spoiled', D4: 'failed', D5: 'returned' }
  const run = gateway.release('R1', letters)
  const refusal = { reasonCode: 'UNPRINTABLE', reason: 'The document cannot be printed' }
  gateway.outcomes.set('D2', { outcome: 'refuse', ...refusal })
  gateway.outcomes.set('D3', spoil)
  gateway.outcomes.set('D4', { outcome: 'fail', reasonCode: 'JAM', reason: 'The paper jams' })
  gateway.outcomes.set('D5', { outcome: 'return', reasonCode: 'R01' })

  await start({ DESPATCH_SIMULATOR_OUTCOMES_URL: `${gateway.url}/uat/print-outcomes` })
  await becomes('R1', 'CLOSED')

  expect(await printed()).toEqual(['D1 1', 'D3 1', 'D3 2', 'D5 1'])
  expect([...run.standings].map(([documentId, { outcome }]) => [documentId, outcome])).toEqual([
    ['D1', 'DESPATCHED'],
    ['D2', 'REFUSED'],
    ['D3', 'DESPATCHED'],
    ['D4', 'FAILED'],
    ['D5', 'DESPATCHED'],
  ])
  expect(run.posted).toEqual([['D1', 'D3', 'D5']])
  const returned = { documentId: 'D5', reasonCode: 'R01', disposition: 'DESTROYED' }
  expect([...gateway.returns]).toEqual([['R1-D5', { ...returned, scannedAt: expect.any(String) }]])
  const told = events.filter(({ kind }) =>
    ['refused', 'spoiled', 'reprint-authorised', 'reprinted', 'failed', 'returned'].includes(kind),
  )
  const ofRun = { batchNumber: 'R1' }
  expect(told).toEqual([
    { ...ofRun, kind: 'refused', documentId: 'D2', ...refusal },
    { ...ofRun, kind: 'spoiled', documentId: 'D3', attempt: 1, reasonCode, reason },
    { ...ofRun, kind: 'failed', documentId: 'D4', reasonCode: 'JAM' },
    { ...ofRun, kind: 'reprint-authorised', documentId: 'D3', attempt: 2 },
    { ...ofRun, kind: 'reprinted', documentId: 'D3', attempt: 2, sheets: 2 },
    { ...ofRun, kind: 'returned', documentId: 'D5', reasonCode: 'R01' },
  ])
})

test('who starts the factory can decide the outcome of each document', async () => {
  const { gateway, start, becomes } = await aFactory()
  const run = gateway.release('R1', { D1: 'printed', D2: 'refused' })
  const refusal = { reasonCode: 'UNPRINTABLE', reason: 'The document cannot be printed' }

  await start(
    {},
    {
      outcomeOf: async (documentId) =>
        documentId === 'D2' ? { outcome: 'refuse', ...refusal } : { outcome: 'print' },
    },
  )
  await becomes('R1', 'CLOSED')

  expect(run.acknowledgement?.refusals).toEqual([{ documentId: 'D2', ...refusal }])
})

test('a reprint that waits for an operator keeps neither the other letters nor other runs waiting', async () => {
  const { gateway, start, becomes, printed, stop } = await aFactory()
  const run = gateway.release('R1', { D1: 'a letter', D2: 'spoiled' }, { reprintsFreeMax: 0 })
  gateway.outcomes.set('D2', spoil)
  const settings = { DESPATCH_SIMULATOR_OUTCOMES_URL: `${gateway.url}/uat/print-outcomes` }

  await start(settings)
  await becomes('R1', 'POSTED')
  gateway.release('R2', { D3: 'a letter' })
  await becomes('R2', 'CLOSED')
  expect(await printed()).toEqual(['D1 1', 'D2 1', 'D3 1'])
  await stop()
  await start(settings)
  run.decide('D2', 'AUTHORISED')
  await becomes('R1', 'CLOSED')

  expect(await printed()).toEqual(['D1 1', 'D2 1', 'D2 2', 'D3 1'])
  expect(run.posted).toEqual([['D1'], ['D2']])
  expect(run.reprints).toHaveLength(1)
})

test('a reprint that is refused is dropped', async () => {
  const { gateway, start, becomes, printed } = await aFactory()
  const run = gateway.release('R1', { D1: 'a letter', D2: 'spoiled' }, { reprintsFreeMax: 0 })
  gateway.outcomes.set('D2', spoil)

  await start({ DESPATCH_SIMULATOR_OUTCOMES_URL: `${gateway.url}/uat/print-outcomes` })
  await becomes('R1', 'POSTED')
  run.decide('D2', 'REFUSED')
  await becomes('R1', 'CLOSED')

  expect(await printed()).toEqual(['D1 1', 'D2 1'])
  expect(run.posted).toEqual([['D1']])
})

test('a reprint whose file is another one fails', async () => {
  const { gateway, start, becomes, printed } = await aFactory()
  const run = gateway.release('R1', { D1: 'spoiled' }, { reprintsFreeMax: 0 })
  gateway.outcomes.set('D1', spoil)

  await start({ DESPATCH_SIMULATOR_OUTCOMES_URL: `${gateway.url}/uat/print-outcomes` })
  await eventually(() => run.reprints.length > 0, { message: 'a reprint is asked for' })
  gateway.files.get('/files/D1')!.content = 'altered'
  run.decide('D1', 'AUTHORISED')
  await becomes('R1', 'CLOSED')

  expect(run.standings.get('D1')?.outcome).toBe('FAILED')
  expect(await printed()).toEqual(['D1 1'])
})

test('documents that are wanted back are stopped before they are posted', async () => {
  const { gateway, start, stop, happened, becomes, events } = await aFactory()
  const run = gateway.release('R1', { D1: 'a letter', D2: 'wanted back' })
  await start({ floor: { printTimeMs: 600_000 } })
  await becomes('R1', 'IN_PRODUCTION')
  await stop()
  const recall = gateway.recall('R1', 'D2')

  await start()
  await becomes('R1', 'CLOSED')
  await happened('closed')

  expect(recall).toMatchObject({
    state: 'ACCEPTED',
    documents: [{ documentId: 'D2', state: 'RECALLED' }],
  })
  expect(run.posted).toEqual([['D1']])
  expect(events).toContainEqual({ kind: 'recalled', batchNumber: 'R1', documentId: 'D2' })
})

test('a recalled document is not printed any more', async () => {
  const { gateway, start, becomes, printed } = await aFactory()
  gateway.release('R1', { D1: 'a letter', D2: 'wanted back' })
  gateway.recall('R1', 'D2')

  await start()
  await becomes('R1', 'CLOSED')

  expect(await printed()).toEqual(['D1 1'])
})

test('for a document that has left, a recall comes too late', async () => {
  const { gateway, start, becomes, happened, events } = await aFactory()
  const outcomes = `${gateway.url}/uat/print-outcomes`
  gateway.release('R1', { D1: 'posted', D2: 'held' })
  gateway.outcomes.set('D2', { outcome: 'hold' })
  await start({ DESPATCH_SIMULATOR_OUTCOMES_URL: outcomes })
  await happened('posted')

  const late = gateway.recall('R1', 'D1')
  await eventually(() => late.state === 'REJECTED', { message: 'it is too late for D1' })
  const both = gateway.recall('R1', 'D1', 'D2')
  await becomes('R1', 'CLOSED')
  await happened('closed')

  expect(both.documents).toEqual([
    { documentId: 'D1', state: 'TOO_LATE' },
    { documentId: 'D2', state: 'RECALLED' },
  ])
  expect(events.at(-1)).toEqual({ kind: 'closed', batchNumber: 'R1', documentCount: 2 })
})

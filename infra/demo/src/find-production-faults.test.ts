import { expect, test } from 'vitest'
import { aWorld, type World } from '../test/a-world.ts'
import { findProductionFaults } from './find-production-faults.ts'

const find = ({ despatched, rejected, refused, printRun, printLog }: World) =>
  findProductionFaults([despatched, rejected, refused], [printRun], printLog)

test('a closed run with a reprint and a refusal has no faults', () => {
  expect(find(aWorld())).toEqual([])
})

test.each<{ name: string; spoil: (world: World) => void; faults: string[] }>([
  {
    name: 'a run that is not closed and misses a document',
    spoil: ({ printRun: { account } }) => {
      Object.assign(account, { state: 'POSTED', despatched: 0, missing: 1 })
    },
    faults: ['print run R1 is POSTED and not CLOSED', 'print run R1 misses 1 documents'],
  },
  {
    name: 'an account that does not add up',
    spoil: ({ printRun: { account } }) => {
      account.refused = 2
    },
    faults: ['the account of print run R1 does not add up to the 2 expected'],
  },
  {
    name: 'an account of other documents than those of the manifest',
    spoil: ({ printRun: { account } }) => {
      Object.assign(account, { expected: 3, failed: 1 })
    },
    faults: ['the account of print run R1 expects 3 documents, its manifest 2'],
  },
  {
    name: 'a print stream in which a document begins on a back side',
    spoil: ({ printRun: { printStream } }) => {
      printStream.pages = 5
    },
    faults: ['the print stream of R1-001 has 5 pages on 3 sheets'],
  },
  {
    name: 'an attempt that was printed twice',
    spoil: ({ printLog }) => {
      printLog.push(printLog[1]!)
    },
    faults: [
      'attempt 2 of D1 was printed more than once',
      'letter 1 was printed as attempts 1, 2, 2',
    ],
  },
  {
    name: 'a refused letter that was printed',
    spoil: ({ printLog }) => {
      printLog.push({ documentId: 'D3', attempt: 1, batchNumber: 'R1' })
    },
    faults: ['letter 3 was printed as attempts 1'],
  },
  {
    name: 'a timeline without the reprint',
    spoil: ({ despatched }) => {
      despatched.events = despatched.events.filter(({ transition }) => transition !== 'reprint')
    },
    faults: ['the timeline of letter 1 has spoil'],
  },
  {
    name: 'a letter whose consumer is not told when it is to be despatched',
    spoil: ({ despatched }) => {
      delete despatched.job!.expectedDespatchDate
    },
    faults: ['letter 1 has the despatch date undefined, its manifest 2026-12-24'],
  },
])('finds $name', ({ spoil, faults }) => {
  const world = aWorld()
  spoil(world)
  expect(find(world)).toEqual(faults)
})

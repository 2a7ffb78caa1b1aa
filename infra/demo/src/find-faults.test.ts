import { expect, test } from 'vitest'
import { aCallback, aWorld, timeline, type World } from '../test/a-world.ts'
import { findFaults } from './find-faults.ts'

test('a letter despatched, one rejected and one refused as they should be have no faults', () => {
  const { despatched, rejected, refused, printRun } = aWorld()
  expect(findFaults([despatched, rejected, refused], [printRun])).toEqual([])
})

test.each<{ name: string; spoil: (world: World) => void; faults: string[] }>([
  {
    name: 'a letter that is not despatched',
    spoil: ({ despatched }) => {
      despatched.events = timeline('QUARANTINE', 'REJECTED')
      despatched.job!.comment = 'File map is empty'
    },
    faults: ['letter 1 is REJECTED (File map is empty) and not DESPATCHED'],
  },
  {
    name: 'a letter that has left out a status',
    spoil: ({ despatched }) => {
      despatched.events = timeline('QUARANTINE', 'PENDING', 'PRODUCTION', 'DESPATCHED')
    },
    faults: ['letter 1 went through QUARANTINE PENDING PRODUCTION DESPATCHED'],
  },
  {
    name: 'a letter that the factory refused and that reads as rejected by the checks',
    spoil: ({ refused }) => {
      refused.events = timeline('QUARANTINE', 'VALIDATING', 'REJECTED')
    },
    faults: ['letter 3 went through QUARANTINE VALIDATING REJECTED'],
  },
  {
    name: 'a refusal without the comment of the factory',
    spoil: ({ refused }) => {
      refused.job!.comment = 'Refused'
    },
    faults: ['letter 3 was rejected for another reason: Refused'],
  },
  {
    name: 'a callback that came twice',
    spoil: ({ despatched }) => {
      despatched.callbacks.push(despatched.callbacks[0]!)
    },
    faults: ['letter 1 had 2 callbacks instead of 1'],
  },
  {
    name: 'a callback with another status and other sheets',
    spoil: ({ despatched }) => {
      despatched.callbacks = [aCallback('id-1', 'REJECTED')]
    },
    faults: [
      'a callback of letter 1 says REJECTED of id-1',
      'the callback of letter 1 reports  sheets, its manifest 2',
    ],
  },
  {
    name: 'a rejection for another reason',
    spoil: ({ rejected }) => {
      rejected.job!.comment = 'The PDF is damaged'
    },
    faults: ['letter 2 was rejected for another reason: The PDF is damaged'],
  },
  {
    name: 'a letter that no manifest lists',
    spoil: ({ despatched }) => {
      despatched.job!.documentId = 'D9'
    },
    faults: ['letter 1 is in no manifest'],
  },
  {
    name: 'a document that is no PDF',
    spoil: ({ printRun }) => {
      printRun.documents[0] = { ...printRun.documents[0]!, isPdf: false }
    },
    faults: ['document D1 is not a PDF of 4 pages'],
  },
  {
    name: 'a manifest whose totals are not those of its documents',
    spoil: ({ printRun }) => {
      printRun.manifest.totals = { documentCount: 3, sheetCount: 4, pageCount: 6, byteCount: 8 }
    },
    faults: [
      'the manifest of print run R1 has documentCount 3, fetched: 2',
      'the manifest of print run R1 has sheetCount 4, fetched: 3',
    ],
  },
])('finds $name', ({ spoil, faults }) => {
  const world = aWorld()
  spoil(world)
  expect(findFaults([world.despatched, world.rejected, world.refused], [world.printRun])).toEqual(
    faults,
  )
})

import type { CallbackEnvelope } from '@despatch/contracts/callback/envelope'
import { expect, test } from 'vitest'
import type { CollectedDocument, PrintRun } from './collect-documents.ts'
import { findFaults } from './find-faults.ts'
import type { LetterProgress } from './letter-progress.ts'
import type { SampleLetter } from './letters/sample-letters.ts'

type World = { despatched: LetterProgress; rejected: LetterProgress; printRun: PrintRun }

test('a letter despatched and one rejected as they should be have no faults', () => {
  const { despatched, rejected, printRun } = aWorld()
  expect(findFaults([despatched, rejected], [printRun])).toEqual([])
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
      'the callback of letter 1 tells  sheets, its manifest 2',
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
      printRun.manifest.totals = { documentCount: 2, sheetCount: 3, pageCount: 4, byteCount: 5 }
    },
    faults: [
      'the manifest of print run R1 has documentCount 2, fetched: 1',
      'the manifest of print run R1 has sheetCount 3, fetched: 2',
    ],
  },
])('finds $name', ({ spoil, faults }) => {
  const world = aWorld()
  spoil(world)
  expect(findFaults([world.despatched, world.rejected], [world.printRun])).toEqual(faults)
})

function aWorld(): World {
  const document: CollectedDocument = {
    documentId: 'D1',
    sheets: 2,
    pages: 4,
    bytes: 5,
    sha256: '',
    content: '',
    pdf: new Uint8Array(5),
    isPdf: true,
    pagesFound: 4,
  }
  return {
    despatched: {
      letter: aLetter(1, { status: 'DESPATCHED', pages: 4 }),
      events: timeline('QUARANTINE', 'VALIDATING', 'PENDING', 'PRODUCTION', 'DESPATCHED'),
      callbacks: [
        aCallback('id-1', 'DESPATCHED', [
          { key: 'totalSheets', value: '2' },
          { key: 'postageClass', value: '1ST' },
          { key: 'mailingProduct', value: 'UNCODED' },
        ]),
      ],
      job: { id: 'id-1', status: 'DESPATCHED', batchNumber: 'R1', documentId: 'D1' },
    },
    rejected: {
      letter: aLetter(2, { status: 'REJECTED', commentIncludes: 'page 2' }),
      events: timeline('QUARANTINE', 'VALIDATING', 'REJECTED'),
      callbacks: [aCallback('id-2', 'REJECTED')],
      job: { id: 'id-2', status: 'REJECTED', comment: 'Not A4 portrait: page 2.' },
    },
    printRun: {
      manifest: {
        batchNumber: 'R1',
        totals: { documentCount: 1, sheetCount: 2, pageCount: 4, byteCount: 5 },
        documents: [document],
      },
      documents: [document],
    },
  }
}

function aLetter(number: number, expected: SampleLetter['expected']): SampleLetter {
  return { number, id: `id-${number}`, expected } as SampleLetter
}

function timeline(...statuses: string[]): LetterProgress['events'] {
  return statuses.map((status, index) => ({ sequence: index + 1, status, at: '' }))
}

function aCallback(
  jobId: string,
  jobStatus: 'DESPATCHED' | 'REJECTED',
  despatchProperties?: { key: string; value: string }[],
): CallbackEnvelope {
  return { data: { jobId, jobStatus, despatchProperties } } as CallbackEnvelope
}

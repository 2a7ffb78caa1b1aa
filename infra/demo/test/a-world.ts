import type { CallbackEnvelope } from '@despatch/contracts/callback/envelope'
import type { CollectedDocument, PrintRun } from '../src/collect-documents.ts'
import type { LetterProgress } from '../src/letter-progress.ts'
import type { SampleLetter } from '../src/letters/sample-letters.ts'
import type { PrintedAttempt } from '../src/users/print-factory.ts'

export type World = {
  /** Spoiled once and reprinted. */
  despatched: LetterProgress
  /** Rejected by the checks. */
  rejected: LetterProgress
  /** Refused by the factory. */
  refused: LetterProgress
  printRun: PrintRun
  printLog: PrintedAttempt[]
}

/** Returns three letters and their print run without any problem. */
export function aWorld(): World {
  const documents = [
    aDocument({ documentId: 'D1', sheets: 2, pages: 4, bytes: 5 }),
    aDocument({ documentId: 'D3', sheets: 1, pages: 2, bytes: 3 }),
  ]
  const planned = { batchNumber: 'R1', expectedDespatchDate: '2026-12-24' }
  return {
    despatched: {
      letter: aLetter(1, { status: 'DESPATCHED', pages: 4, attempt: 2 }),
      events: [
        ...timeline('QUARANTINE', 'VALIDATING', 'PENDING', 'PRODUCTION'),
        ...['print', 'spoil', 'reprint', 'print'].map((transition) => ({
          ...timeline('PRODUCTION')[0]!,
          transition,
        })),
        ...timeline('DESPATCHED'),
      ],
      callbacks: [
        aCallback('id-1', 'DESPATCHED', [
          { key: 'totalSheets', value: '2' },
          { key: 'postageClass', value: '1ST' },
          { key: 'mailingProduct', value: 'UNCODED' },
        ]),
      ],
      job: { id: 'id-1', status: 'DESPATCHED', documentId: 'D1', ...planned },
    },
    rejected: {
      letter: aLetter(2, { status: 'REJECTED', by: 'checks', commentIncludes: 'page 2' }),
      events: timeline('QUARANTINE', 'VALIDATING', 'REJECTED'),
      callbacks: [aCallback('id-2', 'REJECTED')],
      job: { id: 'id-2', status: 'REJECTED', comment: 'Not A4 portrait: page 2.' },
    },
    refused: {
      letter: aLetter(3, { status: 'REJECTED', by: 'provider', commentIncludes: 'cannot' }),
      events: timeline('QUARANTINE', 'VALIDATING', 'PENDING', 'PRODUCTION', 'REJECTED'),
      callbacks: [aCallback('id-3', 'REJECTED')],
      job: { id: 'id-3', status: 'REJECTED', documentId: 'D3', comment: 'It cannot be printed' },
    },
    printRun: {
      manifest: {
        ...planned,
        plex: 'duplex',
        totals: { documentCount: 2, sheetCount: 3, pageCount: 6, byteCount: 8 },
        fulfilmentJobs: [{ fulfilmentJobId: 'R1-001', sheetCount: 3, printStream: '' }],
        documents,
      },
      documents,
      account: {
        batchNumber: 'R1',
        state: 'CLOSED',
        expected: 2,
        despatched: 1,
        refused: 1,
        failed: 0,
        recalled: 0,
        missing: 0,
        reprints: 1,
        waitingReprints: 0,
        isBalanced: true,
        missingDocuments: [],
      },
      printStream: {
        fulfilmentJobId: 'R1-001',
        pdf: new Uint8Array(),
        pages: 6,
        sheetsOfManifest: 3,
      },
    },
    printLog: [1, 2].map((attempt) => ({ documentId: 'D1', attempt, batchNumber: 'R1' })),
  }
}

export function timeline(...statuses: string[]): LetterProgress['events'] {
  return statuses.map((status, index) => ({
    sequence: index + 1,
    transition: '',
    status,
    at: '',
  }))
}

export function aCallback(
  jobId: string,
  jobStatus: 'DESPATCHED' | 'REJECTED',
  despatchProperties?: { key: string; value: string }[],
): CallbackEnvelope {
  return { data: { jobId, jobStatus, despatchProperties } } as CallbackEnvelope
}

function aLetter(number: number, expected: SampleLetter['expected']): SampleLetter {
  return { number, id: `id-${number}`, expected } as SampleLetter
}

function aDocument(
  document: Pick<CollectedDocument, 'documentId' | 'sheets' | 'pages' | 'bytes'>,
): CollectedDocument {
  return {
    ...document,
    sha256: '',
    content: '',
    pdf: new Uint8Array(document.bytes),
    isPdf: true,
    pagesFound: document.pages,
  }
}

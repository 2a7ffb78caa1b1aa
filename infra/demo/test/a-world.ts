import type { EnquiryResponse } from '@despatch/contracts/administration/enquiry'
import type { CallbackEnvelope } from '@despatch/contracts/callback/envelope'
import type { RecordAnswers } from '../src/ask-about-records.ts'
import type { CollectedDocument, PrintRun } from '../src/collect-documents.ts'
import type { Refusal } from '../src/explain-refusal.ts'
import type { LetterProgress } from '../src/letter-progress.ts'
import type { SampleLetter } from '../src/letters/sample-letters.ts'
import type { SampleRecords } from '../src/records/sample-records.ts'
import type { PrintJobEvent } from '../src/users/consumer.ts'
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
  refusal: Refusal
  records: { made: SampleRecords; answers: RecordAnswers }
}

/** Returns three letters, their print run and answers about records without any problem. */
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
      } as unknown as PrintRun['manifest'],
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
    refusal: aRefusal(),
    records: { made: someRecords(), answers: theAnswers() },
  }
}

export function timeline(...statuses: PrintJobEvent['status'][]): LetterProgress['events'] {
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
  } as CollectedDocument
}

function aRefusal(): Refusal {
  const comment = 'Page 2 lies on its side.'
  const findings: Refusal['findings'] = [
    { rule: 'page-size', number: 'P401', severity: 'refusal', detail: comment },
    { rule: 'font-not-embedded', severity: 'note', detail: 'A font.' },
  ]
  return {
    progress: {
      letter: { number: 5 },
      events: [],
      callbacks: [{ data: { comment } }],
      job: { id: 'id-5', status: 'REJECTED', comment },
    } as unknown as LetterProgress,
    dryRun: { verdict: 'rejected', comment, findings } as unknown as Refusal['dryRun'],
    findings,
    proofs: [
      { name: 'proof.pdf', bytes: Buffer.from('%PDF-1.7') },
      { name: 'page.png', bytes: Buffer.from('\x89PNG\r\n', 'latin1') },
    ],
  }
}

function someRecords(): SampleRecords {
  return {
    files: [],
    vehicle: { registrationNumber: 'AB12CDE', colour: 'BLACK' },
    misspeltLastName: 'Bennet',
    driver: {
      driver: {
        drivingLicenceNumber: 'BENNE604241AM9RF',
        firstNames: 'Alex',
        lastName: 'Bennett',
        gender: 'Male',
        dateOfBirth: '1961-04-24',
      },
      licence: { type: 'Full', status: 'Valid' },
      entitlement: [{ categoryCode: 'B', categoryType: 'Full' }],
      endorsements: [],
      token: { issueNumber: '11' },
      cpcs: [{ lgvValidTo: '2027-01-01', national: false }],
      tachoCards: [{ cardNumber: 'DB00203895526003' }],
    },
  }
}

function theAnswers(): RecordAnswers {
  const { vehicle, driver: record } = someRecords()
  const { cpcs, tachoCards, ...driver } = record
  const { drivingLicenceNumber, lastName, gender } = driver.driver
  const services = ['vehicle-enquiry', 'driver-find', 'driver-find', 'full-driver-enquiry'] as const
  const audit = services.map((service, index): EnquiryResponse => {
    const id = String(index + 1)
    const at = '2026-01-31T09:00:00.000Z'
    const consumerId = '9d0bb3a4-8c52-4b4c-9d3a-7d0d4d1f0a11'
    return {
      id,
      at,
      consumerId,
      service,
      outcome: 'found',
      status: 200,
      correlationId: id,
      asked: [],
    }
  })
  return {
    vehicle,
    spelt: { results: [], totalCount: '0' },
    sounding: { results: [{ drivingLicenceNumber, lastName, gender }], totalCount: '1' },
    driver: { ...driver, cpc: { cpcs: cpcs! }, holder: { tachoCards: tachoCards! } },
    audit,
    auditOfDriver: [audit[3]!],
  }
}

import { isDeepStrictEqual } from 'node:util'
import type { RecordAnswers } from './ask-about-records.ts'
import type { PrintRun } from './collect-documents.ts'
import type { Refusal } from './explain-refusal.ts'
import { type LetterProgress, statusesOf, statusOf } from './letter-progress.ts'
import type { SampleRecords } from './records/sample-records.ts'
import { sum } from './screen/count.ts'
import type { PrintedAttempt } from './users/print-factory.ts'

/** Something that the demonstration found, and what it must be. */
type Check = readonly [what: string, found: unknown, expected: unknown]

export type Findings = {
  letters: readonly LetterProgress[]
  printRuns: readonly PrintRun[]
  printLog: readonly PrintedAttempt[]
  refusal: Refusal
  /** Absent: there were records from elsewhere. */
  records?: { made: SampleRecords; answers: RecordAnswers } | undefined
}

const timelines = {
  DESPATCHED: 'QUARANTINE VALIDATING PENDING PRODUCTION DESPATCHED',
  checks: 'QUARANTINE VALIDATING REJECTED',
  provider: 'QUARANTINE VALIDATING PENDING PRODUCTION REJECTED',
}
const signatures = { pdf: '%PDF-', png: '\x89PNG' }
const audited = ['vehicle-enquiry', 'driver-find', 'driver-find', 'full-driver-enquiry']

/** Returns what is not as it must be, one line per problem. */
export function findFaults({ letters, printRuns, printLog, refusal, records }: Findings): string[] {
  const attempts = printLog.map(({ documentId, attempt }) => `${documentId} ${attempt}`)
  const checks: Check[] = [
    ...letters.flatMap((progress) => checkLetter(progress, { printRuns, printLog })),
    ...printRuns.flatMap(checkPrintRun),
    ['attempts printed twice', attempts.filter((one, at) => attempts.indexOf(one) !== at), []],
    ...checkRefusal(refusal),
    ...(records ? checkRecords(records.made, records.answers) : []),
  ]
  return checks
    .filter(([, found, expected]) => !isDeepStrictEqual(found, expected))
    .map(([what, ...values]) => `${what}: ${values.map(write).join(' instead of ')}`)
}

function write(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing'
}

function checkLetter(
  progress: LetterProgress,
  { printRuns, printLog }: Pick<Findings, 'printRuns' | 'printLog'>,
): Check[] {
  const { letter, callbacks, job, events } = progress
  const { expected, id } = letter
  const name = `letter ${letter.number}`
  const status = statusOf(progress)
  if (status !== expected.status) {
    return [[`${name}${job?.comment ? ` (${job.comment})` : ''}`, status, expected.status]]
  }
  const reported = callbacks.map(({ data }) => ({ id: data.jobId, status: data.jobStatus }))
  const printed = printLog.filter(({ documentId }) => documentId === job?.documentId)
  const attempts = expected.status === 'DESPATCHED' ? expected.attempt : 0
  const reprints = events
    .map(({ transition }) => transition)
    .filter((transition) => transition === 'spoil' || transition === 'reprint')
  const end = expected.status === 'REJECTED' ? expected.by : expected.status
  const common: Check[] = [
    [`timeline of ${name}`, statusesOf(progress).join(' '), timelines[end]],
    [`status of ${name}`, job?.status, status],
    [`callbacks of ${name}`, reported, [{ id, status }]],
    [
      `attempts of ${name}`,
      printed.map(({ attempt }) => attempt),
      Array.from({ length: attempts }, (_, index) => index + 1),
    ],
    [`reprints in the timeline of ${name}`, reprints, attempts > 1 ? ['spoil', 'reprint'] : []],
  ]
  if (expected.status === 'REJECTED') {
    const { commentIncludes } = expected
    const isSaid = job?.comment?.includes(commentIncludes) ?? false
    return [
      ...common,
      [`comment of ${name}`, isSaid ? commentIncludes : job?.comment, commentIncludes],
    ]
  }
  const run = printRuns.find(({ manifest }) => manifest.batchNumber === job?.batchNumber)
  const document = run?.documents.find(({ documentId }) => documentId === job?.documentId)
  const sheets = callbacks.map(
    ({ data }) => data.despatchProperties?.find(({ key }) => key === 'totalSheets')?.value,
  )
  return [
    ...common,
    [`pages of ${name} in its manifest`, document?.pages, expected.pages],
    [`sheets in the callback of ${name}`, sheets, [String(document?.sheets)]],
    [
      `despatch date of ${name}`,
      job?.expectedDespatchDate ?? 'none',
      run?.manifest.expectedDespatchDate,
    ],
  ]
}

function checkPrintRun({ manifest, documents, account, printStream }: PrintRun): Check[] {
  const { batchNumber, totals, plex } = manifest
  const { expected, despatched, refused, failed, recalled, missing } = account
  const { fulfilmentJobId, pages, sheetsOfManifest } = printStream
  return [
    [`state of print run ${batchNumber}`, account.state, 'CLOSED'],
    [`missing documents of print run ${batchNumber}`, missing, 0],
    [
      `documents of the account of print run ${batchNumber}`,
      [expected, sum([despatched, refused, failed, recalled, missing])],
      [totals.documentCount, totals.documentCount],
    ],
    [
      `totals of the manifest of print run ${batchNumber}`,
      totals,
      {
        documentCount: documents.length,
        sheetCount: sum(documents.map((document) => document.sheets)),
        pageCount: sum(documents.map(({ pagesFound }) => pagesFound)),
        byteCount: sum(documents.map(({ pdf }) => pdf.length)),
      },
    ],
    ...documents.map((document): Check => {
      const found = document.isPdf ? document.pagesFound : 'not a PDF'
      return [`pages of document ${document.documentId}`, found, document.pages]
    }),
    ...(plex === 'duplex'
      ? [[`pages of the print stream of ${fulfilmentJobId}`, pages, 2 * sheetsOfManifest] as const]
      : []),
  ]
}

/** The dry run, the timeline, the comment, the callback and the proof of a rejected letter must agree. */
function checkRefusal({ progress, dryRun, findings, proofs }: Refusal): Check[] {
  const { letter, job, callbacks } = progress
  const name = `letter ${letter.number}`
  const sentence = findings.find(({ severity }) => severity === 'refusal')?.detail
  const comments = [dryRun.comment, job?.comment, ...callbacks.map(({ data }) => data.comment)]
  return [
    [`refusals in the timeline of ${name}`, sentence !== undefined, true],
    [`verdict of the dry run of ${name}`, dryRun.verdict, 'rejected'],
    [`findings of the dry run of ${name}`, dryRun.findings, findings],
    [`comments of ${name}`, comments, comments.map(() => sentence)],
    ...proofs.map(({ name: file, bytes }): Check => {
      const signature = signatures[file.endsWith('.pdf') ? 'pdf' : 'png']
      const beginning = Buffer.from(bytes).toString('latin1', 0, signature.length)
      return [`beginning of ${file}`, beginning, signature]
    }),
  ]
}

/** The vehicle and the driver must be answered as they were imported, found by sound alone, and audited. */
function checkRecords({ vehicle, driver: known }: SampleRecords, answers: RecordAnswers): Check[] {
  const { driver: reported, spelt, sounding, audit, auditOfDriver } = answers
  const { drivingLicenceNumber, lastName, gender } = known.driver
  const isFoundAsSpelt = spelt.results.some(
    (result) => result.drivingLicenceNumber === drivingLicenceNumber,
  )
  const searches = [spelt, sounding]
  const auditText = JSON.stringify(audit)
  const numbers = [vehicle.registrationNumber, drivingLicenceNumber]
  return [
    ['the vehicle', answers.vehicle, vehicle],
    ['the driver', reported.driver, known.driver],
    ["the driver's licence", reported.licence, known.licence],
    ["the driver's token", reported.token, known.token],
    ["the driver's entitlements", reported.entitlement.length, known.entitlement.length],
    ["the driver's endorsements", reported.endorsements.length, known.endorsements.length],
    ["the driver's CPC data", reported.cpc?.cpcs, known.cpcs],
    ["the driver's tachograph cards", reported.holder?.tachoCards, known.tachoCards],
    ["the driver's errors", reported.errors, undefined],
    ['driver found by an exact match of a misspelt name', isFoundAsSpelt, false],
    [
      'first driver who sounds alike',
      sounding.results[0],
      { drivingLicenceNumber, lastName, gender },
    ],
    [
      'x-total-count',
      searches.map(({ totalCount }) => totalCount),
      searches.map(({ results }) => String(results.length)),
    ],
    [
      'audit of the enquiries',
      audit.map(({ service, status }) => `${service} ${status}`),
      audited.map((service) => `${service} 200`),
    ],
    ["audit about the driver's number", auditOfDriver.map(({ id }) => id), [audit.at(-1)?.id]],
    ['numbers in the audit', numbers.filter((number) => auditText.includes(number)), []],
  ]
}

import { expect, test } from 'vitest'
import { checkPrintHistory, type Rule } from '../../faults/checks/check-print-history.ts'
import type { PrintHistory } from '../../faults/facts/print-history.ts'

const steps = (...transitions: string[]) =>
  transitions.map((transition, index) => ({ sequence: index + 1, transition }))
const begun = ['submit', 'release', 'accept']

/**
 * One letter that was spoiled and reprinted, one that was refused, one that was deleted, and one that was reassigned.
 */
function aGoodHistory(): PrintHistory {
  const document = {
    batchNumber: 'R1',
    firstAttempt: 1,
    attempt: 1,
    sha256: 'aa',
    outcome: null,
    postingId: null,
    isLive: true,
  }
  const line = { providerId: 'north', batchNumber: 'R1', attempt: 1, sha256: 'aa' }
  return {
    printJobs: [
      {
        key: 'spoiled',
        status: 'DESPATCHED',
        isDeleted: false,
        timeline: steps(...begun, 'produce', 'print', 'spoil', 'reprint', 'print', 'despatch'),
      },
      {
        key: 'refused',
        status: 'REJECTED',
        isDeleted: false,
        timeline: steps(...begun, 'produce', 'reject'),
      },
      { key: 'deleted', status: 'PENDING', isDeleted: true, timeline: steps(...begun, 'delete') },
      {
        key: 'moved',
        status: 'DESPATCHED',
        isDeleted: false,
        timeline: steps(...begun, 'produce', 'move-run', 'despatch'),
      },
    ],
    runs: [
      { batchNumber: 'R1', providerId: 'north', state: 'CLOSED', isClaimed: true },
      { batchNumber: 'R2', providerId: 'north', state: 'VOIDED', isClaimed: true },
      { batchNumber: 'R3', providerId: 'south', state: 'CLOSED', isClaimed: true },
    ],
    documents: [
      {
        ...document,
        documentId: 'D1',
        key: 'spoiled',
        attempt: 2,
        outcome: 'DESPATCHED',
        postingId: 'P1',
      },
      { ...document, documentId: 'D2', key: 'refused', outcome: 'REFUSED' },
      { ...document, documentId: 'D3', key: 'deleted', isLive: false },
      { ...document, batchNumber: 'R2', documentId: 'D4', key: 'moved', isLive: false },
      {
        ...document,
        batchNumber: 'R3',
        documentId: 'D4',
        key: 'moved',
        firstAttempt: 2,
        attempt: 2,
        outcome: 'DESPATCHED',
        postingId: 'P2',
      },
    ],
    reprints: [{ batchNumber: 'R1', documentId: 'D1', attempt: 2, state: 'AUTHORISED' }],
    postings: [
      { id: 'P1', confirmedCount: 1 },
      { id: 'P2', confirmedCount: 1 },
    ],
    printLog: [
      { ...line, documentId: 'D1' },
      { ...line, documentId: 'D1', attempt: 2 },
      { ...line, providerId: 'south', batchNumber: 'R3', documentId: 'D4', attempt: 2 },
    ],
  }
}

test('a history without losses and repetitions has no findings', () => {
  expect(checkPrintHistory(aGoodHistory())).toEqual([])
})

test('one attempt number in two runs counts as the same sheet twice', () => {
  const history = aGoodHistory()
  history.documents[4]!.firstAttempt = 1
  history.documents[4]!.attempt = 1
  history.printLog[2]!.attempt = 1
  history.printLog.push({ ...history.printLog[0]!, batchNumber: 'R2', documentId: 'D4' })

  expect(checkPrintHistory(history)).toEqual([
    { rule: 'an attempt is printed once', subject: 'D4 attempt 1', detail: 'was printed 2 times' },
  ])
})

type Plant = (history: PrintHistory) => unknown
/** For each rule, what breaks it. */
const planted: Record<Rule, Record<string, Plant>> = {
  'every letter comes to its end': {
    'a letter that stays in production': (history) =>
      Object.assign(history.printJobs[1]!, { status: 'PRODUCTION' }),
  },
  'every claimed run is closed or voided': {
    'a run that is never closed': ({ runs }) => Object.assign(runs[0]!, { state: 'POSTED' }),
  },
  'a closed run accounts for each of its documents once': {
    'a document of a closed run without an outcome': (history) =>
      doctor(history, 1, { outcome: null }),
    'an outcome that its letter does not have': (history) =>
      doctor(history, 1, { outcome: 'DESPATCHED' }),
    'a letter that is in two runs': (history) => doctor(history, 3, { isLive: true }),
  },
  'an attempt is printed once': {
    'a sheet that is printed twice': (history) => print(history, {}),
  },
  'a further attempt was authorised': {
    'a reprint that waits for an operator and is printed': ({ reprints }) =>
      Object.assign(reprints[0]!, { state: 'WAITING' }),
    'an attempt that nobody knows': (history) => print(history, { attempt: 3 }),
  },
  'what is printed was claimed, with these bytes': {
    'a document that is not in the run': (history) => print(history, { documentId: 'D9' }),
    'other bytes on paper': ({ printLog }) => Object.assign(printLog[0]!, { sha256: 'bb' }),
    'a run that another provider prints': ({ printLog }) =>
      Object.assign(printLog[0]!, { providerId: 'south' }),
  },
  'what is despatched was printed': {
    'a letter that is despatched and was never printed': ({ printLog }) => printLog.splice(1, 1),
  },
  'what was deleted is never printed': {
    'a deleted letter on paper': (history) => print(history, { documentId: 'D3' }),
    'a deleted letter that stays in its run': (history) => doctor(history, 2, { isLive: true }),
  },
  'a despatched letter is in one confirmed posting': {
    'a despatched letter in no posting': (history) => doctor(history, 0, { postingId: null }),
    'a letter that two factories have posted': (history) =>
      doctor(history, 3, { outcome: 'DESPATCHED', postingId: 'P1' }),
    'a posting that has confirmed more than it covers': ({ postings }) =>
      Object.assign(postings[0]!, { confirmedCount: 2 }),
  },
  'a letter stays in its run until somebody takes it out': {
    'a letter that is gathered from one run into another': (history) =>
      doctor(history, 1, { isLive: false }),
  },
}

function doctor(
  { documents }: PrintHistory,
  place: number,
  detail: Partial<PrintHistory['documents'][number]>,
) {
  Object.assign(documents[place]!, detail)
}

/** Prints the first sheet once more, with what is given. */
function print({ printLog }: PrintHistory, detail: Partial<PrintHistory['printLog'][number]>) {
  printLog.push({ ...printLog[0]!, ...detail })
}

const rows = Object.entries(planted).flatMap(([rule, faults]) =>
  Object.entries(faults).map(([fault, plant]) => ({ rule, fault, plant })),
)

test.each(rows)('finds $fault', ({ rule, plant }) => {
  const history = aGoodHistory()
  plant(history)

  expect(checkPrintHistory(history).map((finding) => finding.rule)).toContain(rule)
})

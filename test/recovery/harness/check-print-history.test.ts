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

type Plant = (history: PrintHistory) => void
const planted: [fault: string, rule: Rule, plant: Plant][] = [
  [
    'a letter that stays in production',
    'every letter comes to its end',
    ({ printJobs }) => {
      printJobs[1]!.status = 'PRODUCTION'
    },
  ],
  [
    'a run that is never closed',
    'every claimed run is closed or voided',
    ({ runs }) => {
      runs[0]!.state = 'POSTED'
    },
  ],
  [
    'a document of a closed run without an outcome',
    'a closed run accounts for each of its documents once',
    ({ documents }) => {
      documents[1]!.outcome = null
    },
  ],
  [
    'an outcome that its letter does not have',
    'a closed run accounts for each of its documents once',
    ({ documents }) => {
      documents[1]!.outcome = 'DESPATCHED'
    },
  ],
  [
    'a letter that is in two runs',
    'a closed run accounts for each of its documents once',
    ({ documents }) => {
      documents[3]!.isLive = true
    },
  ],
  [
    'a sheet that is printed twice',
    'an attempt is printed once',
    ({ printLog }) => {
      printLog.push({ ...printLog[0]! })
    },
  ],
  [
    'a reprint that waits for an operator and is printed',
    'a further attempt was authorised',
    ({ reprints }) => {
      reprints[0]!.state = 'WAITING'
    },
  ],
  [
    'an attempt that nobody knows',
    'a further attempt was authorised',
    ({ printLog }) => {
      printLog.push({ ...printLog[0]!, attempt: 3 })
    },
  ],
  [
    'a document that is not in the run',
    'what is printed was claimed, with these bytes',
    ({ printLog }) => {
      printLog.push({ ...printLog[0]!, documentId: 'D9' })
    },
  ],
  [
    'other bytes on paper',
    'what is printed was claimed, with these bytes',
    ({ printLog }) => {
      printLog[0]!.sha256 = 'bb'
    },
  ],
  [
    'a run that another provider prints',
    'what is printed was claimed, with these bytes',
    ({ printLog }) => {
      printLog[0]!.providerId = 'south'
    },
  ],
  [
    'a letter that is despatched and was never printed',
    'what is despatched was printed',
    ({ printLog }) => {
      printLog.splice(1, 1)
    },
  ],
  [
    'a deleted letter on paper',
    'what was deleted is never printed',
    ({ printLog }) => {
      printLog.push({ ...printLog[0]!, documentId: 'D3' })
    },
  ],
  [
    'a deleted letter that stays in its run',
    'what was deleted is never printed',
    ({ documents }) => {
      documents[2]!.isLive = true
    },
  ],
  [
    'a despatched letter in no posting',
    'a despatched letter is in one confirmed posting',
    ({ documents }) => {
      documents[0]!.postingId = null
    },
  ],
  [
    'a letter that two factories have posted',
    'a despatched letter is in one confirmed posting',
    ({ documents }) => {
      documents[3]!.outcome = 'DESPATCHED'
      documents[3]!.postingId = 'P1'
    },
  ],
  [
    'a posting that has confirmed more than it covers',
    'a despatched letter is in one confirmed posting',
    ({ postings }) => {
      postings[0]!.confirmedCount = 2
    },
  ],
  [
    'a letter that is gathered from one run into another',
    'a letter stays in its run until somebody takes it out',
    ({ documents }) => {
      documents[1]!.isLive = false
    },
  ],
]

test.each(planted)('finds %s', (_, rule, plant) => {
  const history = aGoodHistory()
  plant(history)

  expect(checkPrintHistory(history).map((finding) => finding.rule)).toContain(rule)
})

test('every rule has a planted fault', () => {
  const found = planted.flatMap(([, , plant]) => {
    const history = aGoodHistory()
    plant(history)
    return checkPrintHistory(history)
  })

  expect(new Set(found.map(({ rule }) => rule)).size).toBe(10)
  expect(new Set(planted.map(([, rule]) => rule)).size).toBe(10)
})

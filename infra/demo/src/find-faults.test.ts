import { expect, test } from 'vitest'
import { aCallback, aWorld, timeline, type World } from '../test/a-world.ts'
import { findFaults } from './find-faults.ts'

const find = ({ despatched, rejected, refused, printRun, ...others }: World) =>
  findFaults({ letters: [despatched, rejected, refused], printRuns: [printRun], ...others })

test('what ended as it should has no faults', () => {
  expect(find(aWorld())).toEqual([])
})

test('a fault says what was found and what was expected', () => {
  const world = aWorld()
  world.despatched.events = timeline('QUARANTINE', 'REJECTED')
  world.despatched.job!.comment = 'File map is empty'

  expect(find(world)).toEqual(['letter 1 (File map is empty): "REJECTED" instead of "DESPATCHED"'])
})

test.each<[name: string, spoil: (world: World) => void, faults: string[]]>([
  [
    'a letter that has left out a status',
    ({ despatched: { events } }) => events.splice(1, 1),
    ['timeline of letter 1'],
  ],
  [
    'a letter that the factory refused and that reads as rejected by the checks',
    ({ refused }) => {
      refused.events = timeline('QUARANTINE', 'VALIDATING', 'REJECTED')
    },
    ['timeline of letter 3'],
  ],
  [
    'a status that is another one than that of the timeline',
    ({ despatched }) => Object.assign(despatched.job!, { status: 'PRODUCTION' }),
    ['status of letter 1'],
  ],
  [
    'a refusal without the comment of the factory',
    ({ refused }) => Object.assign(refused.job!, { comment: 'Refused' }),
    ['comment of letter 3'],
  ],
  [
    'a callback that came twice',
    ({ rejected: { callbacks } }) => callbacks.push(callbacks[0]!),
    ['callbacks of letter 2'],
  ],
  [
    'a callback with another status and other sheets',
    ({ despatched }) => {
      despatched.callbacks = [aCallback('id-1', 'REJECTED')]
    },
    ['callbacks of letter 1', 'sheets in the callback of letter 1'],
  ],
  [
    'a letter that no manifest lists',
    ({ despatched }) => Object.assign(despatched.job!, { documentId: 'D9' }),
    [
      'attempts of letter 1',
      'pages of letter 1 in its manifest',
      'sheets in the callback of letter 1',
    ],
  ],
  [
    'a letter whose consumer is not told when it is to be despatched',
    ({ despatched }) => delete despatched.job!.expectedDespatchDate,
    ['despatch date of letter 1'],
  ],
  [
    'a document that is no PDF',
    ({ printRun }) => {
      printRun.documents[0] = { ...printRun.documents[0]!, isPdf: false }
    },
    ['pages of document D1'],
  ],
  [
    'a manifest whose totals are not those of its documents',
    ({ printRun: { manifest } }) => Object.assign(manifest.totals, { sheetCount: 4 }),
    ['totals of the manifest of print run R1'],
  ],
  [
    'a run that is not closed and misses a document',
    ({ printRun: { account } }) =>
      Object.assign(account, { state: 'POSTED', despatched: 0, missing: 1 }),
    ['state of print run R1', 'missing documents of print run R1'],
  ],
  [
    'an account that does not add up',
    ({ printRun: { account } }) => Object.assign(account, { refused: 2 }),
    ['documents of the account of print run R1'],
  ],
  [
    'an account of other documents than those of the manifest',
    ({ printRun: { account } }) => Object.assign(account, { expected: 3, failed: 1 }),
    ['documents of the account of print run R1'],
  ],
  [
    'a print stream in which a document begins on a back side',
    ({ printRun: { printStream } }) => Object.assign(printStream, { pages: 5 }),
    ['pages of the print stream of R1-001'],
  ],
  [
    'an attempt that was printed twice',
    ({ printLog }) => printLog.push(printLog[1]!),
    ['attempts of letter 1', 'attempts printed twice'],
  ],
  [
    'a refused letter that was printed',
    ({ printLog }) => printLog.push({ documentId: 'D3', attempt: 1, batchNumber: 'R1' }),
    ['attempts of letter 3'],
  ],
  [
    'a timeline without the reprint',
    ({ despatched }) => {
      despatched.events = despatched.events.filter(({ transition }) => transition !== 'reprint')
    },
    ['reprints in the timeline of letter 1'],
  ],
  [
    'a timeline without findings',
    ({ refusal }) => {
      refusal.findings = []
    },
    [
      'refusals in the timeline of letter 5',
      'findings of the dry run of letter 5',
      'comments of letter 5',
    ],
  ],
  [
    'a dry run that accepts and finds less',
    ({ refusal: { dryRun } }) => Object.assign(dryRun, { verdict: 'accepted', findings: [] }),
    ['verdict of the dry run of letter 5', 'findings of the dry run of letter 5'],
  ],
  [
    'a callback that says something else',
    ({ refusal }) => Object.assign(refusal.progress.callbacks[0]!.data, { comment: 'No.' }),
    ['comments of letter 5'],
  ],
  [
    'a picture that is none',
    ({ refusal }) => Object.assign(refusal.proofs[1]!, { bytes: Buffer.from('%PDF-1.7') }),
    ['beginning of page.png'],
  ],
  [
    'a vehicle of another colour',
    ({ records }) => Object.assign(records.answers.vehicle, { colour: 'RED' }),
    ['the vehicle'],
  ],
  [
    'a misspelt name that is found as it is written',
    ({ records: { answers } }) => Object.assign(answers, { spelt: answers.sounding }),
    ['driver found by an exact match of a misspelt name'],
  ],
  [
    'a misspelt name that finds nobody',
    ({ records }) => Object.assign(records.answers.sounding, { results: [] }),
    ['first driver who sounds alike', 'x-total-count'],
  ],
  [
    'an answer that is partial',
    ({ records }) => Object.assign(records.answers.driver, { cpc: undefined, errors: [] }),
    ["the driver's CPC data", "the driver's errors"],
  ],
  [
    'an enquiry that is not in the audit',
    ({ records }) => records.answers.audit.shift(),
    ['audit of the enquiries'],
  ],
  [
    'an audit that does not know the number',
    ({ records }) => Object.assign(records.answers, { auditOfDriver: [] }),
    ["audit about the driver's number"],
  ],
  [
    'an audit that contains a number',
    ({ records }) => Object.assign(records.answers.audit[0]!, { asked: ['AB12CDE'] }),
    ['numbers in the audit'],
  ],
])('finds %s', (_, spoil, faults) => {
  const world = aWorld()
  spoil(world)

  expect(find(world).map((fault) => fault.split(': ')[0])).toEqual(faults)
})

import { expect, test } from 'vitest'
import { possibleActions } from '../operator-action/operator-action.ts'
import type { PrintJobFacts } from '../operator-action/print-job-actions.ts'
import { ownActionNames, ownActions } from './own-actions.ts'

const pending: PrintJobFacts = {
  status: 'PENDING',
  isDeleted: false,
  isHeld: false,
  isHeldByOperator: false,
  isParked: false,
  isPurged: false,
  isInPrintRun: false,
  isAsSupplied: false,
}
const notHeld = 'It is not held.'
const checked = 'It is still being checked.'
const claimed = 'A provider has claimed it.'
const everything = (reason: string) => [reason, reason, reason]

test.each<[string, Partial<PrintJobFacts>, (string | null)[]]>([
  ['PENDING', {}, [null, notHeld, null]],
  ['in a print run', { isInPrintRun: true }, [null, notHeld, null]],
  ['held by its consumer', { isHeld: true }, ['It is already held.', null, null]],
  [
    'held by an operator',
    { isHeld: true, isHeldByOperator: true },
    ['An operator already holds it.', 'An operator holds it.', null],
  ],
  ['QUARANTINE', { status: 'QUARANTINE' }, [null, notHeld, checked]],
  [
    'held while it is checked',
    { status: 'VALIDATING', isHeld: true },
    ['It is already held.', null, checked],
  ],
  ['parked', { status: 'QUARANTINE', isParked: true }, [null, notHeld, checked]],
  ['PRODUCTION', { status: 'PRODUCTION' }, [claimed, notHeld, claimed]],
  ['DESPATCHED', { status: 'DESPATCHED' }, everything('It has been despatched.')],
  ['REJECTED', { status: 'REJECTED', isHeld: true }, everything('It was rejected.')],
  [
    'purged',
    { status: 'REJECTED', isPurged: true },
    everything('Its personal data has been deleted.'),
  ],
])('%s: hold, release, delete', (_name, facts, expected) => {
  const actions = possibleActions(ownActions, { ...pending, ...facts })

  expect(ownActionNames).toEqual(['hold', 'release', 'delete'])
  expect(actions.map(({ action }) => action)).toEqual(ownActionNames)
  expect(actions.map(({ whyNot }) => whyNot)).toEqual(expected)
})

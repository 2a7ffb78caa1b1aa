import { describe, expect, test } from 'vitest'
import { possibleActions, whyNotPossible } from './operator-action.ts'
import {
  type PrintJobFacts,
  printJobActions,
  reasonOfMany,
  redriveParked,
} from './print-job-actions.ts'

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
const notParked = 'It is not parked; it continues automatically.'
const checked = 'It is still being checked.'
const claimed = 'A provider has claimed it.'
const toRecall = 'A provider has claimed it: recall it from its print run.'

const toHold = 'Hold it first.'
const toWait = 'It is still being checked: hold it and wait until it is PENDING.'
const inRun = 'It is in a print run. Hold it first.'
const asSupplied =
  'Its address is part of the file that its consumer supplied. Cancel it and ask the consumer to submit it again.'

const everything = (reason: string) => [reason, reason, reason, reason, reason]

describe('possibleActions', () => {
  test.each<[string, Partial<PrintJobFacts>, (string | null)[]]>([
    ['PENDING', {}, [null, notHeld, null, notParked, toHold]],
    ['held by its consumer', { isHeld: true }, [null, null, null, notParked, null]],
    [
      'held by an operator',
      { isHeld: true, isHeldByOperator: true },
      ['An operator already holds it.', null, null, notParked, null],
    ],
    ['in a print run', { isInPrintRun: true }, [null, notHeld, null, notParked, inRun]],
    ['as supplied', { isAsSupplied: true }, [null, notHeld, null, notParked, asSupplied]],
    [
      'as supplied and held',
      { isAsSupplied: true, isHeld: true },
      [null, null, null, notParked, asSupplied],
    ],
    ['QUARANTINE', { status: 'QUARANTINE' }, [null, notHeld, checked, notParked, toWait]],
    [
      'held before it was checked',
      { status: 'VALIDATING', isHeld: true },
      [null, null, checked, notParked, toWait],
    ],
    ['parked', { status: 'VALIDATING', isParked: true }, [null, notHeld, null, null, toWait]],
    ['PRODUCTION', { status: 'PRODUCTION' }, [claimed, notHeld, toRecall, notParked, toRecall]],
    ['DESPATCHED', { status: 'DESPATCHED' }, everything('It has been despatched.')],
    ['REJECTED', { status: 'REJECTED', isHeld: true }, everything('It was rejected.')],
    ['deleted', { isDeleted: true, isParked: true }, everything('It was cancelled.')],
    [
      'purged',
      { status: 'DESPATCHED', isPurged: true },
      everything('Its personal data has been deleted.'),
    ],
  ])('%s: hold, release, cancel, redrive, override-address', (_name, facts, expected) => {
    const actions = possibleActions(printJobActions, { ...pending, ...facts })

    expect(actions.map(({ action }) => action)).toEqual([
      ...['hold', 'release', 'cancel', 'redrive', 'override-address'],
    ])
    expect(actions.map(({ whyNot }) => whyNot)).toEqual(expected)
  })
})

test('the parked print jobs can be retried at any time', () => {
  expect(whyNotPossible(redriveParked, {})).toBeNull()
})

test('the reason for many print jobs is asked like that for one, and shown with each', () => {
  expect(reasonOfMany).toEqual({ ...printJobActions.hold.reason, shown: 'in each timeline' })
})

import { describe, expect, test } from 'vitest'
import { type ActionFacts, possibleActions } from './actions.ts'

const pending: ActionFacts = {
  status: 'PENDING',
  isDeleted: false,
  isHeld: false,
  isParked: false,
  isPurged: false,
}
const notHeld = 'It is not held.'
const notParked = 'It is not parked: it goes on by itself.'
const checked = 'It is still being checked.'
const claimed = 'A provider has claimed it.'
const toRecall = 'A provider has claimed it: recall it from its print run.'

const everything = (reason: string) => [reason, reason, reason, reason]

describe('possibleActions', () => {
  test.each<[string, Partial<ActionFacts>, (string | null)[]]>([
    ['PENDING', {}, [null, notHeld, null, notParked]],
    ['held', { isHeld: true }, ['It is held already.', null, null, notParked]],
    ['QUARANTINE', { status: 'QUARANTINE' }, [null, notHeld, checked, notParked]],
    ['parked', { status: 'VALIDATING', isParked: true }, [null, notHeld, checked, null]],
    ['PRODUCTION', { status: 'PRODUCTION' }, [claimed, notHeld, toRecall, notParked]],
    ['DESPATCHED', { status: 'DESPATCHED' }, everything('It has been despatched.')],
    ['REJECTED', { status: 'REJECTED', isHeld: true }, everything('It was rejected.')],
    ['deleted', { isDeleted: true, isParked: true }, everything('It was deleted.')],
    [
      'purged',
      { status: 'DESPATCHED', isPurged: true },
      everything('What is personal has been removed.'),
    ],
  ])('%s: hold, release, cancel, redrive', (_name, facts, expected) => {
    const actions = possibleActions({ ...pending, ...facts })

    expect(actions.map(({ action }) => action)).toEqual(['hold', 'release', 'cancel', 'redrive'])
    expect(actions.map(({ whyNot }) => whyNot)).toEqual(expected)
  })
})

import { expect, test } from 'vitest'
import { possibleActions } from './operator-action.ts'
import { reprintActions } from './reprint-actions.ts'

const secondPerson = 'The decision on a reprint requires a second person'

type State = 'WAITING' | 'AUTHORISED' | 'REFUSED'

test.for<[state: State, by: 'own' | 'other', authorise: string | null, refuse: string | null]>([
  ['WAITING', 'other', null, null],
  ['WAITING', 'own', secondPerson, secondPerson],
  // the same decision can be repeated, because the first answer may have been lost
  ['AUTHORISED', 'other', null, 'is already AUTHORISED'],
  ['AUTHORISED', 'own', secondPerson, 'is already AUTHORISED'],
  ['REFUSED', 'other', 'is already REFUSED', null],
  ['REFUSED', 'own', 'is already REFUSED', secondPerson],
])(
  'a %s reprint, requested by the %s operator: authorise %s, refuse %s',
  ([state, by, ...expected]) => {
    const actions = possibleActions(reprintActions, { state, isOwn: by === 'own' })

    expect(actions.map(({ whyNot }) => whyNot)).toEqual(expected)
  },
)

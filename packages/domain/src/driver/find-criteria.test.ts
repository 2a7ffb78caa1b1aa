import { expect, test } from 'vitest'
import { countFindCriteria } from './find-criteria.ts'

test.for([
  [{}, 0],
  [{ lastName: 'a', dateOfBirth: 'b' }, 2],
  [{ lastName: 'a', dateOfBirth: 'b', gender: 'c' }, 3],
  [{ firstNames: 'a', lastName: 'b', dateOfBirth: 'c', postcode: 'd', gender: 'e' }, 5],
  [{ fullName: 'a' }, 2],
  [{ fullName: 'a', dateOfBirth: 'b' }, 3],
  [{ fullName: 'a', lastName: 'b' }, 2],
  [{ fullName: 'a', firstNames: 'b', lastName: 'c' }, 2],
] as const)('a full name counts as first and last names: %j count as %i', ([criteria, count]) => {
  expect(countFindCriteria(criteria)).toBe(count)
})

import { expect, test } from 'vitest'
import { renderRefusal } from './session.ts'

test.for<[shape: string, answer: unknown, said: string]>([
  ['one error', { errors: [{ detail: 'No' }] }, 'No (400)'],
  ['several', { errors: [{ detail: 'a' }, { detail: 'b' }] }, 'a\n          b (400)'],
  ['a bare array', [{ status: 400, detail: 'No' }], 'No (400)'],
  [
    'an error without a detail',
    { errors: [{}, null] },
    'unexpected response with status 400, not from Despatch',
  ],
  ['no error', { fault: 'x' }, 'unexpected response with status 400, not from Despatch'],
  ['no JSON', undefined, 'unexpected response with status 400, not from Despatch'],
])('a refusal with %s', ([, answer, said]) => {
  expect(renderRefusal(400, answer)).toBe(said)
})

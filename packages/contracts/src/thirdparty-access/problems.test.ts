import { invalidFields, Problem } from '@despatch/domain/problem'
import { expect, test } from 'vitest'
import { accessErrorsSchema, renderAccessFault, renderAccessProblem } from './problems.ts'

test('names each member that is missing', () => {
  const problem = invalidFields([
    { field: 'userName', code: 'NotNull', detail: 'userName must not be null' },
    { field: 'password', code: 'NotEmpty', detail: 'password must not be empty' },
  ])

  expect(renderAccessProblem(problem)).toEqual({
    status: 400,
    body: [
      { status: 400, code: 400, title: 'Malformed request', detail: 'userName must not be null' },
      { status: 400, code: 400, title: 'Malformed request', detail: 'password must not be empty' },
    ],
  })
})

test.for([
  ['invalid-field', 400, 'Malformed request'],
  ['unreadable-body', 400, 'Malformed request'],
  ['malformed-request', 400, 'Malformed request'],
  ['wrong-credentials', 401, 'Authentication Failure'],
  ['not-authenticated', 401, 'Unauthorized'],
] as const)('the title of %s (%i) is the sample of the specification', ([kind, status, title]) => {
  const told = renderAccessProblem(new Problem(kind, 'what happened'))

  expect(told).toMatchObject({ status, body: [{ status, title }] })
})

test('refuses all wrong credentials with the same text', () => {
  expect(renderAccessProblem(new Problem('wrong-credentials', 'no such user'))).toEqual({
    status: 401,
    body: [
      {
        status: 401,
        code: 401,
        title: 'Authentication Failure',
        detail: 'User name or password incorrect, or too many incorrect attempts',
      },
    ],
  })
})

test('returns only the id of a fault of ours', () => {
  expect(renderAccessFault('e1')).toEqual({
    status: 500,
    body: [
      {
        status: 500,
        code: 500,
        title: 'Internal Server Error',
        detail: 'Unexpected error. Error id: e1',
      },
    ],
  })
})

test.for(renderAccessProblem.kinds)(
  '%s renders as a bare array with a status, code, title and detail',
  (kind) => {
    const { status, body } = renderAccessProblem(new Problem(kind, 'what happened'))

    const [error, ...others] = accessErrorsSchema.parse(body)
    expect(others).toEqual([])
    expect(error).toMatchObject({ status, code: status })
    expect(error?.title).not.toBe('')
    expect(error?.detail).not.toBe('')
  },
)

import { invalidFields, Problem, problemKinds } from '@despatch/domain/problem'
import { expect, test } from 'vitest'
import { driverErrorsSchema, renderDriverFault, renderDriverProblem } from './problems.ts'

test('an unknown licence number is code ENQ018', () => {
  expect(renderDriverProblem(new Problem('driver-not-found', 'no such driver'))).toEqual({
    status: 404,
    body: {
      errors: [
        {
          status: '404',
          code: 'ENQ018',
          detail: 'For the given drivingLicenceNumber field, no driver record could be found',
        },
      ],
    },
  })
})

test('each fault of a field is an error of its own, with code REQUEST_VALIDATION_ERROR', () => {
  const problem = invalidFields([
    { field: 'drivingLicenceNumber', code: 'NotNull', detail: 'Missing: drivingLicenceNumber' },
    { field: 'includeCPC', code: 'InvalidFormat', detail: 'Not a boolean: includeCPC' },
  ])

  const invalid = { status: '400', code: 'REQUEST_VALIDATION_ERROR' }
  expect(renderDriverProblem(problem)).toEqual({
    status: 400,
    body: {
      errors: [
        { ...invalid, detail: 'Missing: drivingLicenceNumber' },
        { ...invalid, detail: 'Not a boolean: includeCPC' },
      ],
    },
  })
})

test('an unreadable body is reported with the text that consumers know', () => {
  expect(renderDriverProblem(new Problem('unreadable-body', 'must be UTF-8')).body).toEqual({
    errors: [
      {
        status: '400',
        code: 'REQUEST_VALIDATION_ERROR',
        detail: 'Failed to parse request body',
      },
    ],
  })
})

test.for([
  ['not-authenticated', 401],
  ['not-permitted', 403],
  ['driver-not-found', 404],
  ['too-many-requests', 429],
  ['source-failed', 502],
  ['source-unavailable', 503],
  ['unavailable', 503],
  ['source-timed-out', 504],
] as const)('%s is status %i', ([kind, expected]) => {
  expect(renderDriverProblem(new Problem(kind, 'what happened')).status).toBe(expected)
})

test('what is wrong with credentials is not revealed', () => {
  expect(renderDriverProblem(new Problem('not-authenticated', 'expired yesterday'))).toEqual(
    renderDriverProblem(new Problem('not-authenticated', 'no such key')),
  )
})

test('returns only the id of a fault of ours', () => {
  expect(renderDriverFault('e1')).toEqual({
    status: 500,
    body: {
      errors: [
        {
          status: '500',
          code: 'InternalServerError',
          detail: 'Unexpected error. Error id: e1',
        },
      ],
    },
  })
})

test.for(problemKinds)('%s reads as one error with status, code and detail as strings', (kind) => {
  const { status, body } = renderDriverProblem(new Problem(kind, 'what happened'))

  const [error, ...others] = driverErrorsSchema.parse(body).errors
  expect(others).toEqual([])
  expect(error?.status).toBe(String(status))
  expect(error?.code).not.toBe('')
  expect(error?.detail).not.toBe('')
})

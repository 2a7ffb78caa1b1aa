import { invalidFields, Problem } from '@despatch/domain/problem'
import { expect, test } from 'vitest'
import { driverErrorsSchema, renderDriverFault, renderDriverProblem } from './problems.ts'

test('each invalid field is a separate error with code REQUEST_VALIDATION_ERROR', () => {
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

test('the reason for refusing credentials is not revealed', () => {
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

test.for(renderDriverProblem.kinds)(
  '%s renders as one error with status, code and detail as strings',
  (kind) => {
    const { status, body } = renderDriverProblem(new Problem(kind, 'what happened'))

    const [error, ...others] = driverErrorsSchema.parse(body).errors
    expect(others).toEqual([])
    expect(error?.status).toBe(String(status))
    expect(error?.code).not.toBe('')
    expect(error?.detail).not.toBe('')
  },
)

import { Problem } from '@despatch/domain/problem'
import { expect, test } from 'vitest'
import { driverErrorsSchema } from '../driver-records/problems.ts'
import { renderFullDriverProblem } from './problems.ts'

test('an unknown licence number is code ENQ018', () => {
  expect(renderFullDriverProblem(new Problem('driver-not-found', 'no such driver'))).toEqual({
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

test.for([
  ['not-authenticated', 401],
  ['not-permitted', 403],
  ['driver-not-found', 404],
  ['too-many-requests', 429],
  ['source-failed', 502],
  ['source-unavailable', 503],
  ['unavailable', 503],
  ['source-timed-out', 504],
] as const)('%s has status %i', ([kind, expected]) => {
  expect(renderFullDriverProblem(new Problem(kind, 'what happened')).status).toBe(expected)
})

test.for(renderFullDriverProblem.kinds)(
  '%s renders as one error with status, code and detail',
  (kind) => {
    const { status, body } = renderFullDriverProblem(new Problem(kind, 'what happened'))

    const { errors } = driverErrorsSchema.parse(body)
    expect(errors).toEqual([
      {
        status: String(status),
        code: expect.stringMatching(/./),
        detail: expect.stringMatching(/./),
      },
    ])
  },
)

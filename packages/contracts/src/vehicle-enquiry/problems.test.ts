import { invalidFields, Problem } from '@despatch/domain/problem'
import { expect, test } from 'vitest'
import { renderVehicleFault, renderVehicleProblem, vehicleErrorsSchema } from './problems.ts'

const prefix = 'Invalid format for field - vehicle registration number'

test.for([
  ['invalid-field', 400, 'Invalid registration number'],
  ['vehicle-not-found', 404, 'Vehicle not found'],
  ['too-many-requests', 429, 'Throttled'],
  ['unavailable', 503, 'Service unavailable'],
] as const)('the title of %s (%i) is the sample of the specification', ([kind, status, title]) => {
  const told = renderVehicleProblem(new Problem(kind, 'what happened'))

  expect(told).toMatchObject({ status, body: { errors: [{ status: String(status), title }] } })
})

test.for<[name: string, field: string, title: string, detail: string, told: string]>([
  [
    'the registration number',
    'registrationNumber',
    'Invalid registration number',
    'registrationNumber must be a string',
    `${prefix} (registrationNumber must be a string)`,
  ],
  [
    'the body',
    'body',
    'Invalid registration number',
    'body must be an object',
    `${prefix} (body must be an object)`,
  ],
  [
    'a header',
    'X-Some-Header',
    'Bad request',
    'X-Some-Header must be short',
    'X-Some-Header must be short',
  ],
])('an invalid %s is named in the error', ([, field, title, detail, told]) => {
  expect(renderVehicleProblem(invalidFields([{ field, code: 'Any', detail }]))).toEqual({
    status: 400,
    body: { errors: [{ status: '400', code: '400', title, detail: told }] },
  })
})

test('returns the same error for every unknown vehicle', () => {
  expect(renderVehicleProblem(new Problem('vehicle-not-found', 'no AA19AAA'))).toEqual({
    status: 404,
    body: {
      errors: [
        {
          status: '404',
          code: '404',
          title: 'Vehicle not found',
          detail: 'Record for vehicle not found',
        },
      ],
    },
  })
})

test('returns only the id of a fault of ours', () => {
  expect(renderVehicleFault('e1')).toEqual({
    status: 500,
    body: {
      errors: [
        {
          status: '500',
          code: 'ENQ108',
          title: 'Internal error',
          detail: 'Unexpected error. Error id: e1',
        },
      ],
    },
  })
})

test.for(renderVehicleProblem.kinds)(
  '%s renders as errors with a status, code, title and detail',
  (kind) => {
    const { status, body } = renderVehicleProblem(new Problem(kind, 'what happened'))

    const [error, ...others] = vehicleErrorsSchema.strict().parse(body).errors
    expect(others).toEqual([])
    expect(error).toMatchObject({ status: String(status), code: String(status) })
    expect(error?.title).not.toBe('')
    expect(error?.detail).not.toBe('')
  },
)

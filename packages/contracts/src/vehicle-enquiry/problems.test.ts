import { invalidFields, Problem } from '@despatch/domain/problem'
import { expect, test } from 'vitest'
import { renderVehicleFault, renderVehicleProblem, vehicleErrorsSchema } from './problems.ts'

const prefix = 'Invalid format for field - vehicle registration number'

test.for<[name: string, field: string, detail: string, told: string]>([
  [
    'the registration number',
    'registrationNumber',
    'registrationNumber must be a string',
    `${prefix} (registrationNumber must be a string)`,
  ],
  ['the body', 'body', 'body must be an object', `${prefix} (body must be an object)`],
  ['a header', 'X-Some-Header', 'X-Some-Header must be short', 'X-Some-Header must be short'],
])('a fault of %s names what is at fault', ([, field, detail, told]) => {
  expect(renderVehicleProblem(invalidFields([{ field, code: 'Any', detail }]))).toEqual({
    status: 400,
    body: { errors: [{ status: '400', code: '400', title: 'Bad Request', detail: told }] },
  })
})

test('always returns the same for an unknown vehicle', () => {
  expect(renderVehicleProblem(new Problem('vehicle-not-found', 'no AA19AAA'))).toEqual({
    status: 404,
    body: {
      errors: [
        {
          status: '404',
          code: '404',
          title: 'Vehicle Not Found',
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
          title: 'Internal Server Error',
          detail: 'Unexpected error. Error id: e1',
        },
      ],
    },
  })
})

test.for(renderVehicleProblem.kinds)(
  '%s reads as errors with a status, code, title and detail',
  (kind) => {
    const { status, body } = renderVehicleProblem(new Problem(kind, 'what happened'))

    const [error, ...others] = vehicleErrorsSchema.strict().parse(body).errors
    expect(others).toEqual([])
    expect(error).toMatchObject({ status: String(status), code: String(status) })
    expect(error?.title).not.toBe('')
    expect(error?.detail).not.toBe('')
  },
)

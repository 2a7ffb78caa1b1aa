import { invalidFields, Problem } from '@despatch/domain/problem'
import { expect, test } from 'vitest'
import { printRunNotFound, renderFulfilmentProblem } from './problems.ts'

test('a problem of fulfilment has its own code and title, in the error format of the print interfaces', () => {
  expect(renderFulfilmentProblem(printRunNotFound('R1'))).toEqual({
    status: 404,
    body: {
      errors: [
        {
          status: '404 NOT_FOUND',
          code: 'PrintRunNotFound',
          title: 'No such print run',
          detail: 'There is no print run R1',
        },
      ],
    },
  })
})

test('a problem with several documents has an entry for each, titled with the document id', () => {
  const fault = { field: 'D1', code: 'DocumentsUnaccounted', detail: 'Document D1 is SPOILED' }

  expect(renderFulfilmentProblem(new Problem('print-run-unaccounted', 'One is', [fault]))).toEqual({
    status: 409,
    body: {
      errors: [
        {
          status: '409 CONFLICT',
          code: 'DocumentsUnaccounted',
          title: 'D1',
          detail: 'Document D1 is SPOILED',
        },
      ],
    },
  })
})

test('other problems render as in the print request interface', () => {
  expect(renderFulfilmentProblem(new Problem('not-permitted', 'Not a provider'))).toEqual({
    status: 403,
    body: { errors: [{ status: '403 FORBIDDEN', code: 'Forbidden', detail: 'Not a provider' }] },
  })
})

test('reports the first hundred of many violations', () => {
  const faults = Array.from({ length: 5_000 }, (_, index) => ({
    field: `documents[${index}]`,
    code: 'NotNull',
    detail: 'x',
  }))

  const { body } = renderFulfilmentProblem(invalidFields(faults))

  const { errors } = body as { errors: { title: string }[] }
  expect([errors.length, errors[99]?.title]).toEqual([100, 'documents[99]'])
})

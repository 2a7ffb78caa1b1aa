import { Problem, problemKinds } from '@despatch/domain/problem'
import { expect, test } from 'vitest'
import { printErrorsSchema, renderPrintProblem } from '../print-request/problems.ts'
import { consumerNotFound, renderAdministrationProblem, unknownValue } from './problems.ts'

test('tells whom it does not know, with a code and a title of its own', () => {
  expect(renderAdministrationProblem(consumerNotFound('c1'))).toEqual({
    status: 404,
    body: {
      errors: [
        {
          status: '404 NOT_FOUND',
          code: 'ConsumerNotFound',
          title: 'No such consumer',
          detail: 'There is no consumer with the id c1',
        },
      ],
    },
  })
})

test.for([
  [['small', 'bulk'], 'usagePlan must be one of small, bulk'],
  [[], 'usagePlan must be left out: there is none yet'],
] as const)('names the values that a field may have: %j', ([known, detail]) => {
  expect(renderAdministrationProblem(unknownValue('usagePlan', known))).toEqual({
    status: 400,
    body: {
      errors: [{ status: '400 BAD_REQUEST', code: 'InvalidFormat', title: 'usagePlan', detail }],
    },
  })
})

test.for(problemKinds)(
  '%s reads in the shape of the print interfaces, with the same status',
  (kind) => {
    const problem = new Problem(kind, 'what happened')

    const { status, body } = renderAdministrationProblem(problem)

    expect(status).toBe(renderPrintProblem(problem).status)
    expect(printErrorsSchema.parse(body).errors).toMatchObject([
      { status: expect.stringMatching(`^${status}`), detail: expect.any(String) },
    ])
  },
)

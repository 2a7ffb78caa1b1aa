import { Problem } from '@despatch/domain/problem'
import { expect, test } from 'vitest'
import { printErrorsSchema, renderPrintProblem } from '../print-request/problems.ts'
import { consumerNotFound, renderAdministrationProblem, unknownValue } from './problems.ts'

test('refuses unknown callers with its own code and title', () => {
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
] as const)('names the permitted values of a field: %j', ([known, detail]) => {
  expect(renderAdministrationProblem(unknownValue('usagePlan', known))).toEqual({
    status: 400,
    body: {
      errors: [{ status: '400 BAD_REQUEST', code: 'InvalidFormat', title: 'usagePlan', detail }],
    },
  })
})

test('lists missing documents one by one', () => {
  const problem = new Problem('print-run-unaccounted', '2 documents of print run R1', [
    { field: 'D1', code: 'DocumentsUnaccounted', detail: 'D1 is SPOILED' },
    { field: 'D2', code: 'DocumentsUnaccounted', detail: 'D2 was PRINTED' },
  ])

  const entry = { status: '409 CONFLICT', code: 'DocumentsUnaccounted' }
  expect(renderAdministrationProblem(problem)).toEqual({
    status: 409,
    body: {
      errors: [
        { ...entry, title: 'D1', detail: 'D1 is SPOILED' },
        { ...entry, title: 'D2', detail: 'D2 was PRINTED' },
      ],
    },
  })
})

test.for(renderAdministrationProblem.kinds)(
  '%s has the error format of the print interfaces',
  (kind) => {
    const { status, body } = renderAdministrationProblem(new Problem(kind, 'what happened'))

    expect(printErrorsSchema.parse(body).errors).toMatchObject([
      { status: expect.stringMatching(`^${status}`), detail: expect.any(String) },
    ])
  },
)

const shared = renderAdministrationProblem.kinds.filter((kind) =>
  renderPrintProblem.kinds.some((other) => other === kind),
)

test.for(shared)('%s has the same status as in the print request interface', (kind) => {
  const problem = new Problem<string>(kind, 'what happened')

  expect(renderAdministrationProblem(problem)?.status).toBe(renderPrintProblem(problem)?.status)
})

test('does not render problems that only other interfaces raise', () => {
  expect(
    renderAdministrationProblem(new Problem('vehicle-not-found', 'no AA19AAA')),
  ).toBeUndefined()
})

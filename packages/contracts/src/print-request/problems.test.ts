import { invalidFields, Problem } from '@despatch/domain/problem'
import { expect, test } from 'vitest'
import {
  callbackNotFound,
  printErrorsSchema,
  printJobIdTaken,
  printJobNotFound,
  printJobNotPending,
  renderPrintFault,
  renderPrintProblem,
  replayCountDiffers,
  replayTooMany,
  signingSecretNotFound,
  signingSecretsFull,
  uploadNotFound,
} from './problems.ts'

const rows: [problem: Problem, status: number, error: Record<string, string>][] = [
  [
    printJobNotFound('j1'),
    404,
    { status: '404 NOT_FOUND', code: '5', detail: 'There is no print job with the id j1' },
  ],
  [
    uploadNotFound('u1'),
    404,
    { status: '404 NOT_FOUND', code: '12', detail: 'There is no upload with the id u1' },
  ],
  [
    printJobIdTaken('j1'),
    409,
    {
      status: '409 CONFLICT',
      code: '11',
      title: 'Print job cannot be created',
      detail:
        'The supplied identifier j1 conflicts with another print job. Please supply a unique identifier.',
    },
  ],
  [
    printJobNotPending('j1', 'PRODUCTION'),
    409,
    {
      status: '409 CONFLICT',
      code: '7',
      title: 'Print job cannot be deleted',
      detail:
        'The print job j1 is not pending but PRODUCTION. A provider is printing it: ask an operator whether it can be ' +
        'recalled.',
    },
  ],
  [
    callbackNotFound('c1'),
    404,
    {
      status: '404 NOT_FOUND',
      code: 'CallbackNotFound',
      detail: 'There is no callback with the id c1',
    },
  ],
  [
    replayCountDiffers(3, 2),
    409,
    {
      status: '409 CONFLICT',
      code: 'ReplayConflict',
      title: 'Callbacks are not sent again',
      detail: 'There are 3 such callbacks and not 2: ask with dryRun again',
    },
  ],
  [
    replayTooMany(100_000),
    409,
    {
      status: '409 CONFLICT',
      code: 'ReplayConflict',
      title: 'Callbacks are not sent again',
      detail: 'More than 100000 callbacks are chosen: narrow them by createdFrom and createdTo',
    },
  ],
  [
    signingSecretNotFound('s1'),
    404,
    {
      status: '404 NOT_FOUND',
      code: 'SigningSecretNotFound',
      detail: 'There is no signing secret with the id s1',
    },
  ],
  [
    signingSecretsFull(),
    409,
    {
      status: '409 CONFLICT',
      code: 'SigningSecretConflict',
      title: 'Signing secret cannot be created',
      detail: 'Two secrets sign already: delete one of them, or wait until one has ended',
    },
  ],
  [
    new Problem('unreadable-body', 'The request body must be JSON'),
    400,
    {
      status: '400 BAD_REQUEST',
      code: 'InvalidFormat',
      detail: 'The request body must be JSON',
    },
  ],
  [
    new Problem('not-permitted', 'Not for you'),
    403,
    { status: '403 FORBIDDEN', code: 'Forbidden', detail: 'Not for you' },
  ],
  [
    new Problem('too-many-requests', 'Too Many Requests'),
    429,
    {
      status: '429 TOO_MANY_REQUESTS',
      code: 'TooManyRequests',
      title: 'Too Many Requests',
      detail: 'Too Many Requests',
    },
  ],
]

test.for(rows)('%o renders as specified', ([problem, status, error]) => {
  expect(renderPrintProblem(problem)).toEqual({ status, body: { errors: [error] } })
})

test('refuses all wrong credentials with the same text', () => {
  const expected = {
    status: 401,
    body: {
      errors: [
        {
          status: '401 UNAUTHORIZED',
          code: 'Unauthorized',
          detail: 'API Key or JWT is either not provided, expired or invalid',
        },
      ],
    },
    headers: { 'www-authenticate': 'Bearer' },
  }

  expect(renderPrintProblem(new Problem('not-authenticated', 'key expired'))).toEqual(expected)
  expect(renderPrintProblem(new Problem('not-authenticated', ''))).toEqual(expected)
})

test('returns one error for each invalid field', () => {
  const problem = invalidFields([
    { field: 'id', code: 'Pattern', detail: 'id must match' },
    { field: 'standardParams', code: 'NotNull', detail: 'standardParams must not be null' },
  ])

  expect(renderPrintProblem(problem)).toEqual({
    status: 400,
    body: {
      errors: [
        { status: '400 BAD_REQUEST', code: 'Pattern', title: 'id', detail: 'id must match' },
        {
          status: '400 BAD_REQUEST',
          code: 'NotNull',
          title: 'standardParams',
          detail: 'standardParams must not be null',
        },
      ],
    },
  })
})

test('returns only the id of a fault of ours', () => {
  expect(renderPrintFault('e1')).toEqual({
    status: 500,
    body: {
      errors: [
        {
          status: '500 INTERNAL_SERVER_ERROR',
          code: '2',
          detail: 'Unexpected error. Error id: e1',
        },
      ],
    },
  })
})

test.for(renderPrintProblem.kinds)('%s has a status, a code and a detail', (kind) => {
  const { status, body } = renderPrintProblem(new Problem(kind, 'what happened'))

  const { errors } = printErrorsSchema.parse(body)
  expect(status).toBeGreaterThanOrEqual(400)
  expect(errors).toHaveLength(1)
  expect(errors[0]?.status).toMatch(new RegExp(`^${status} [A-Z_]+$`))
  expect(errors[0]?.code).not.toBe('')
  expect(errors[0]?.detail).not.toBe('')
})

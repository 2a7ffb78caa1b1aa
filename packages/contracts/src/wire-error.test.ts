import { invalidFields, Problem } from '@despatch/domain/problem'
import { expect, test } from 'vitest'
import {
  consumerNotFound,
  renderAdministrationProblem,
  unknownValue,
} from './administration/problems.ts'
import { renderDriverFault, renderDriverProblem } from './driver-records/problems.ts'
import { renderFullDriverProblem } from './full-driver-enquiry/problems.ts'
import { renderFulfilmentProblem } from './print-fulfilment/problems.ts'
import {
  printJobIdTaken,
  printJobNotFound,
  printJobNotPending,
  renderPrintFault,
  renderPrintProblem,
  replayCountDiffers,
  uploadNotFound,
} from './print-request/problems.ts'
import { renderAccessFault, renderAccessProblem } from './thirdparty-access/problems.ts'
import { renderVehicleFault, renderVehicleProblem } from './vehicle-enquiry/problems.ts'

const two = invalidFields([
  { field: 'id', code: 'Pattern', detail: 'id must match' },
  { field: 'registrationNumber', code: 'NotNull', detail: 'it must not be null' },
])
const malformed = { status: 400, code: 400, title: 'Malformed request' }
const invalid = { status: '400', code: 'REQUEST_VALIDATION_ERROR' }
const ofVehicle = { status: '400', code: '400' }

test.for([
  [
    'print request',
    renderPrintProblem(two),
    {
      errors: [
        { status: '400 BAD_REQUEST', code: 'Pattern', title: 'id', detail: 'id must match' },
        {
          status: '400 BAD_REQUEST',
          code: 'NotNull',
          title: 'registrationNumber',
          detail: 'it must not be null',
        },
      ],
    },
  ],
  [
    'driver records',
    renderDriverProblem(two),
    {
      errors: [
        { ...invalid, detail: 'id must match' },
        { ...invalid, detail: 'it must not be null' },
      ],
    },
  ],
  [
    'thirdparty access',
    renderAccessProblem(two),
    [
      { ...malformed, detail: 'id must match' },
      { ...malformed, detail: 'it must not be null' },
    ],
  ],
  [
    'vehicle enquiry, which says so of the registration number alone',
    renderVehicleProblem(two),
    {
      errors: [
        { ...ofVehicle, title: 'Bad request', detail: 'id must match' },
        {
          ...ofVehicle,
          title: 'Invalid registration number',
          detail: 'Invalid format for field - vehicle registration number (it must not be null)',
        },
      ],
    },
  ],
] as const)('each invalid field is an error, in the format of %s', ([, told, body]) => {
  expect(told).toEqual({ status: 400, body })
})

test('an invalid body is reported as an invalid registration number', () => {
  const problem = invalidFields([{ field: 'body', code: 'Any', detail: 'body must be an object' }])

  expect(renderVehicleProblem(problem).body).toMatchObject({
    errors: [{ title: 'Invalid registration number', detail: expect.stringMatching(/^Invalid f/) }],
  })
})

const spoilt = [{ field: 'D1', code: 'Spoilt', detail: 'D1 is SPOILED' }]
const unaccounted = new Problem('print-run-unaccounted', 'One is', spoilt)

test.for([
  [renderPrintProblem(printJobNotFound('j1')), '404 NOT_FOUND', '5'],
  [renderPrintProblem(uploadNotFound('u1')), '404 NOT_FOUND', '12'],
  [
    renderPrintProblem(printJobIdTaken('j1')),
    '409 CONFLICT',
    '11',
    'Print job cannot be created',
    'The supplied identifier j1 conflicts with another print job. Please supply a unique identifier.',
  ],
  [
    renderPrintProblem(printJobNotPending('j1', 'PRODUCTION')),
    '409 CONFLICT',
    '7',
    'Print job cannot be deleted',
    'The print job j1 is not pending but PRODUCTION. A provider is printing it: ask an operator whether it can be recalled.',
  ],
  [
    renderPrintProblem(replayCountDiffers(3, 2)),
    '409 CONFLICT',
    'ReplayConflict',
    'Callbacks are not sent again',
    'There are 3 such callbacks and not 2: ask with dryRun again',
  ],
  [renderPrintProblem(new Problem('not-permitted', 'Not you')), '403 FORBIDDEN', 'Forbidden'],
  [
    renderPrintProblem(new Problem('too-many-requests', 'Wait')),
    '429 TOO_MANY_REQUESTS',
    'TooManyRequests',
    'Too Many Requests',
    'Wait',
  ],
  [
    renderAdministrationProblem(consumerNotFound('c1')),
    '404 NOT_FOUND',
    'ConsumerNotFound',
    'No such consumer',
  ],
  [
    renderAdministrationProblem(unknownValue('usagePlan', ['small', 'bulk'])),
    '400 BAD_REQUEST',
    'InvalidFormat',
    'usagePlan',
    'usagePlan must be one of small, bulk',
  ],
  [
    renderAdministrationProblem(unknownValue('usagePlan', [])),
    '400 BAD_REQUEST',
    'InvalidFormat',
    'usagePlan',
    'usagePlan must be left out: there is none yet',
  ],
  ...[renderAdministrationProblem(unaccounted), renderFulfilmentProblem(unaccounted)].map(
    (told) => [told, '409 CONFLICT', 'DocumentsUnaccounted', 'D1', 'D1 is SPOILED'] as const,
  ),
] as const)('%o is the error %s %s', ([told, status, code, title, detail]) => {
  expect(told).toEqual({
    status: Number(status.slice(0, 3)),
    body: {
      errors: [
        { status, code, ...(title && { title }), detail: detail ?? expect.stringMatching(/./) },
      ],
    },
  })
})

test.for([
  ['invalid-field', 400, 'Malformed request'],
  ['unreadable-body', 400, 'Malformed request'],
  ['malformed-request', 400, 'Malformed request'],
  ['wrong-credentials', 401, 'Authentication Failure'],
  ['not-authenticated', 401, 'Unauthorized'],
] as const)('thirdparty access has the title of the specification: %s', ([kind, status, title]) => {
  const told = renderAccessProblem(new Problem(kind, 'what happened'))

  expect(told).toMatchObject({ status, body: [{ status, code: status, title }] })
})

test.for([
  ['invalid-field', 400, 'Invalid registration number'],
  ['vehicle-not-found', 404, 'Vehicle not found'],
  ['too-many-requests', 429, 'Throttled'],
  ['unavailable', 503, 'Service unavailable'],
] as const)('vehicle enquiry has the title of the specification: %s', ([kind, status, title]) => {
  const told = renderVehicleProblem(new Problem(kind, 'what happened'))

  expect(told).toMatchObject({ status, body: { errors: [{ code: String(status), title }] } })
})

test.for([
  [renderDriverProblem, 'unreadable-body', 400, 'Failed to parse request body'],
  [
    renderFullDriverProblem,
    'driver-not-found',
    404,
    'For the given drivingLicenceNumber field, no driver record could be found',
  ],
  [renderVehicleProblem, 'vehicle-not-found', 404, 'Record for vehicle not found'],
  ...[renderPrintProblem, renderDriverProblem].map(
    (render) =>
      [
        render,
        'not-authenticated',
        401,
        'API Key or JWT is either not provided, expired or invalid',
      ] as const,
  ),
] as const)(
  'the same text hides what exactly is wrong: %o %s',
  ([render, kind, status, detail]) => {
    expect(render(new Problem<string>(kind, 'key expired'))).toMatchObject({
      status,
      body: { errors: [{ detail }] },
    })
  },
)

test('wrong credentials are refused with the same text, whatever is wrong', () => {
  expect(renderAccessProblem(new Problem('wrong-credentials', 'no such user')).body).toMatchObject([
    { detail: 'User name or password incorrect, or too many incorrect attempts' },
  ])
})

test('a refusal of credentials names the scheme', () => {
  expect(renderPrintProblem(new Problem('not-authenticated', ''))).toMatchObject({
    headers: { 'www-authenticate': 'Bearer' },
  })
})

const detail = 'Unexpected error. Error id: e1'

test.for([
  [
    renderPrintFault('e1'),
    { errors: [{ status: '500 INTERNAL_SERVER_ERROR', code: '2', detail }] },
  ],
  [renderDriverFault('e1'), { errors: [{ status: '500', code: 'InternalServerError', detail }] }],
  [
    renderVehicleFault('e1'),
    { errors: [{ status: '500', code: 'ENQ108', title: 'Internal error', detail }] },
  ],
  [renderAccessFault('e1'), [{ status: 500, code: 500, title: 'Internal Server Error', detail }]],
])('a fault of ours has only its id: %o', ([told, body]) => {
  expect(told).toEqual({ status: 500, body })
})

test('a problem that only other interfaces raise is not rendered', () => {
  expect(
    renderAdministrationProblem(new Problem<string>('vehicle-not-found', 'AA19AAA')),
  ).toBeUndefined()
})

test('fulfilment reports the first hundred of many violations', () => {
  const faults = Array.from({ length: 5_000 }, (_, index) => ({
    field: `documents[${index}]`,
    code: 'NotNull',
    detail: 'x',
  }))

  const { body } = renderFulfilmentProblem(invalidFields(faults))

  const { errors } = body as { errors: { title: string }[] }
  expect([errors.length, errors[99]?.title]).toEqual([100, 'documents[99]'])
})

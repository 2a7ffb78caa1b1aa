import { aProblem } from '@despatch/testing/a-problem'
import { expect } from 'vitest'
import type { Fault } from './requests.ts'

type Answer = { status: number; body: unknown }

/** How an API writes its refusals. */
export type ErrorShape = {
  unauthenticated: Answer
  forbidden(detail: string): Answer
  /** The error that names the field of a fault, as a pattern. There may be others beside it. */
  invalid(fault: Fault): unknown
}

const noCredentials = 'API Key or JWT is either not provided, expired or invalid'
const noKey = 'API Key is either not provided, expired or invalid'

const printShape: ErrorShape = {
  unauthenticated: aProblem(401, {
    status: '401 UNAUTHORIZED',
    code: 'Unauthorized',
    detail: noCredentials,
  }),
  forbidden: (detail) => aProblem(403, { status: '403 FORBIDDEN', code: 'Forbidden', detail }),
  invalid: ({ field, codes }) => ({
    status: '400 BAD_REQUEST',
    code: expect.stringMatching(`^(${codes.join('|')})$`),
    title: field,
    detail: startingWith(field),
  }),
}

const driverShape: ErrorShape = {
  unauthenticated: aProblem(401, { status: '401', code: 'Unauthorized', detail: noCredentials }),
  forbidden: (detail) => aProblem(403, { status: '403', code: 'Forbidden', detail }),
  invalid: ({ field }) => ({
    status: '400',
    code: 'REQUEST_VALIDATION_ERROR',
    detail: expect.stringContaining(field),
  }),
}

export const shapes: Readonly<Record<string, ErrorShape>> = {
  'print-request': printShape,
  fulfilment: printShape,
  administration: printShape,
  'thirdparty-access': {
    unauthenticated: {
      status: 401,
      body: [{ status: 401, code: 401, title: 'Unauthorized', detail: noCredentials }],
    },
    forbidden: (detail) => ({
      status: 403,
      body: [{ status: 403, code: 403, title: 'Forbidden', detail }],
    }),
    invalid: ({ field }) => ({
      status: 400,
      code: 400,
      title: 'Malformed request',
      detail: startingWith(field),
    }),
  },
  'vehicle-enquiry': {
    unauthenticated: aProblem(403, {
      status: '403',
      code: '403',
      title: 'Forbidden',
      detail: noKey,
    }),
    forbidden: (detail) =>
      aProblem(403, { status: '403', code: '403', title: 'Forbidden', detail }),
    invalid: ({ field }) => ({
      status: '400',
      code: '400',
      title: 'Invalid registration number',
      detail: expect.stringMatching(
        `^Invalid format for field - vehicle registration number \\(${field} `,
      ),
    }),
  },
  'full-driver-enquiry': driverShape,
  'driver-find': driverShape,
  uat: driverShape,
}

function startingWith(field: string) {
  return expect.stringMatching(`^${field.replace(/[.[\]]/g, '\\$&')} `)
}

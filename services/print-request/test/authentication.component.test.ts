import * as callbacks from '@despatch/contracts/print-request/callback-operations'
import * as printJobs from '@despatch/contracts/print-request/operations'
import * as sendControl from '@despatch/contracts/print-request/send-control-operations'
import { aProblem } from '@despatch/testing/a-problem'
import { shared } from '@despatch/testing/shared'
import { describe, expect, test } from 'vitest'
import { aPrintRequest, type Call } from './a-print-request.ts'

const service = await shared(aPrintRequest())
const operator = await service.aCaller(['operator'])

type Operation = { method: NonNullable<Call['method']>; url: string }

const operations = Object.values({ ...printJobs, ...callbacks, ...sendControl }).filter(
  (value): value is typeof value & Operation =>
    typeof value === 'object' && 'method' in value && 'url' in value,
)

test('there are operations to be tried', () => expect(operations.length).toBeGreaterThan(17))

describe.each(operations)('$method $url', ({ method, url }) => {
  const call = { method, path: url.replace(/:\w+/g, 'absent') }

  test('401 without credentials', async () => {
    expect(await service.call(call)).toMatchObject(
      aProblem(401, {
        status: '401 UNAUTHORIZED',
        code: 'Unauthorized',
        detail: 'API Key or JWT is either not provided, expired or invalid',
      }),
    )
  })

  test('403 without the role of consumer', async () => {
    expect(await operator.call(call)).toMatchObject(
      aProblem(403, { status: '403 FORBIDDEN', code: 'Forbidden' }),
    )
  })
})

import { callbackActions } from '@despatch/domain/operator-action/callback-actions'
import { printJobActions, redriveParked } from '@despatch/domain/operator-action/print-job-actions'
import { printRunActions, settleRecall } from '@despatch/domain/operator-action/print-run-actions'
import { queueActions } from '@despatch/domain/operator-action/queue-actions'
import { reprintActions } from '@despatch/domain/operator-action/reprint-actions'
import { expect, test } from 'vitest'
import { type ZodType, z } from 'zod'
import * as callbacks from './callback-operations.ts'
import * as parked from './parked-operations.ts'
import * as printJobs from './print-job-operations.ts'
import * as printRuns from './print-run-operations.ts'
import * as queues from './queue-operations.ts'
import * as reprints from './reprint-operations.ts'

type Operation = {
  method: string
  url: string
  schema: { operationId: string; description?: string; body?: ZodType }
}

const operations = Object.values<unknown>({
  ...callbacks,
  ...parked,
  ...printJobs,
  ...printRuns,
  ...reprints,
  ...queues,
}).filter((value): value is Operation => (value as Operation).schema?.operationId !== undefined)

const actions = [
  ...[printJobActions, printRunActions, reprintActions, callbackActions, queueActions].flatMap(
    (each) => Object.values(each),
  ),
  ...[redriveParked, settleRecall],
]

test.each(actions)('$operationId is the operation that its declaration describes', (action) => {
  const operation = operations.find(({ schema }) => schema.operationId === action.operationId)

  expect(operation).toMatchObject({
    method: 'POST',
    url: `/administration/v1${action.path}`,
    schema: { description: expect.stringContaining(action.effect) },
  })
})

test.each(actions)('$operationId requires the reason that its declaration names', (action) => {
  const found = operations.find(({ schema }) => schema.operationId === action.operationId)
  const { required = [] } = z.toJSONSchema(found?.schema.body ?? z.object({}), { io: 'input' })
  const reasons = required.filter((name) => ['reason', 'note'].includes(name))

  expect(reasons).toEqual(action.reason && !action.reason.isOptional ? [action.reason.member] : [])
})

test('every operation that changes something is an action', () => {
  const changing = operations
    .filter(({ method, url }) => method !== 'GET' && !/\/(search|count)$/.test(url))
    .map(({ schema }) => schema.operationId)

  expect(changing.sort()).toEqual(actions.map(({ operationId }) => operationId).sort())
})

import { queueActions } from '@despatch/domain/operator-action/queue-actions'
import { actionRoute, actionSchema } from './action-operation.ts'
import { everywhere, invalid, security } from './answers.ts'
import { administrationPath } from './paths.ts'
import {
  drainedQueueSchema,
  ofQueue,
  pauseQueueSchema,
  queueSchema,
  queuesSchema,
  redrivenQueueSchema,
} from './queue.ts'

const queues = `${administrationPath}/queues`

export const listQueues = {
  method: 'GET',
  url: queues,
  schema: {
    operationId: 'listQueues',
    tags: ['queues'],
    summary: 'List queues with their waiting, active and failed tasks',
    security,
    response: { 200: queuesSchema, ...everywhere },
  },
} as const

export const pauseQueue = {
  ...actionRoute(queueActions.pause),
  schema: {
    ...actionSchema(
      queueActions.pause,
      'Active tasks finish. The queue stays paused when processes restart. Callbacks are also found without their queue ' +
        'and continue. Repeating the request is safe.',
    ),
    tags: ['queues'],
    summary: 'Pause a queue',
    params: ofQueue,
    body: pauseQueueSchema,
    response: { 200: queueSchema, 400: invalid, ...everywhere },
  },
} as const

export const resumeQueue = {
  ...actionRoute(queueActions.resume),
  schema: {
    ...actionSchema(queueActions.resume, 'Repeating the request is safe.'),
    tags: ['queues'],
    summary: 'Resume a queue',
    params: ofQueue,
    response: { 200: queueSchema, 400: invalid, ...everywhere },
  },
} as const

export const drainQueue = {
  ...actionRoute(queueActions.drain),
  schema: {
    ...actionSchema(
      queueActions.drain,
      'Tasks contain no data and nothing is lost: the print jobs continue up to a minute later than otherwise.',
    ),
    tags: ['queues'],
    summary: 'Drain a queue',
    params: ofQueue,
    response: { 200: drainedQueueSchema, 400: invalid, ...everywhere },
  },
} as const

export const redriveQueue = {
  ...actionRoute(queueActions.redrive),
  schema: {
    ...actionSchema(
      queueActions.redrive,
      'A task whose work is already done does nothing. Parked print jobs stay parked. Redrive each of them separately.',
    ),
    tags: ['queues'],
    summary: 'Redrive a queue',
    params: ofQueue,
    response: { 200: redrivenQueueSchema, 400: invalid, ...everywhere },
  },
} as const

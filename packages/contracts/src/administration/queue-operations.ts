import { everywhere, invalid, security } from './answers.ts'
import { administrationPath } from './paths.ts'
import {
  drainedQueueSchema,
  ofQueue,
  queueSchema,
  queuesSchema,
  redrivenQueueSchema,
} from './queue.ts'

const queues = `${administrationPath}/queues`
const queue = `${queues}/:queue`

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
  method: 'POST',
  url: `${queue}/pause`,
  schema: {
    operationId: 'pauseQueue',
    tags: ['queues'],
    summary: 'Pause a queue',
    description:
      'No more tasks are taken from the queue until it is resumed. Active tasks finish. The queue stays paused when ' +
      'processes restart. Callbacks are also found without their queue and continue. Repeating the request is safe.',
    security,
    params: ofQueue,
    response: { 200: queueSchema, 400: invalid, ...everywhere },
  },
} as const

export const resumeQueue = {
  method: 'POST',
  url: `${queue}/resume`,
  schema: {
    operationId: 'resumeQueue',
    tags: ['queues'],
    summary: 'Resume a queue',
    description: 'Repeating the request is safe.',
    security,
    params: ofQueue,
    response: { 200: queueSchema, 400: invalid, ...everywhere },
  },
} as const

export const drainQueue = {
  method: 'POST',
  url: `${queue}/drain`,
  schema: {
    operationId: 'drainQueue',
    tags: ['queues'],
    summary: 'Drain a queue',
    description:
      'Removes the waiting wake-ups. Wake-ups contain no data and nothing is lost: the sweep wakes the print jobs ' +
      'again, later than otherwise.',
    security,
    params: ofQueue,
    response: { 200: drainedQueueSchema, 400: invalid, ...everywhere },
  },
} as const

export const redriveQueue = {
  method: 'POST',
  url: `${queue}/redrive`,
  schema: {
    operationId: 'redriveQueue',
    tags: ['queues'],
    summary: 'Redrive a queue',
    description:
      'Retries failed tasks and wakes print jobs whose step is overdue. A task whose work is already done does ' +
      'nothing. Parked print jobs stay parked. Redrive each of them separately.',
    security,
    params: ofQueue,
    response: { 200: redrivenQueueSchema, 400: invalid, ...everywhere },
  },
} as const

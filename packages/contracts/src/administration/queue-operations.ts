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
    summary: 'List the queues with what waits, is worked on and has failed',
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
    summary: 'Let nothing more be taken from a queue until it is resumed',
    description:
      'What is in hand is finished. It stays paused when processes start anew. Callbacks are also looked for without their ' +
      'queue, and go on. Repeating it is safe.',
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
    summary: 'Let a paused queue go on',
    description: 'Repeating it is safe.',
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
    summary: 'Remove the wake-ups that wait in a queue',
    description:
      'They carry no data and nothing is lost: the sweep wakes the print jobs again, later than they would have been.',
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
    summary: 'Try the failed tasks of a queue again, and wake print jobs whose step is overdue',
    description:
      'A task for what is done already does nothing. Print jobs that are parked stay so: each is redriven by itself.',
    security,
    params: ofQueue,
    response: { 200: redrivenQueueSchema, 400: invalid, ...everywhere },
  },
} as const

import { expect, test } from 'vitest'
import { judge, type Observed, type TaskLimit } from './task-limits.ts'

const limits = { inspectionMs: 10, taskMs: 60, memoryBytes: 512 }
const within: Observed = {
  task: { elapsedMs: 180, processorMs: 60 },
  inspection: { elapsedMs: 30, processorMs: 10 },
  memoryBytes: 512,
}

test.each<[what: string, observed: Partial<Observed>, limit: TaskLimit | 'starved' | undefined]>([
  ['nothing, at the limits', {}, undefined],
  ['nothing between inspections', { inspection: undefined }, undefined],
  [
    'the inspection of a file',
    { inspection: { elapsedMs: 11, processorMs: 11 } },
    'inspection-time',
  ],
  ['the whole task', { task: { elapsedMs: 61, processorMs: 61 } }, 'task-time'],
  [
    'memory, whatever else',
    { task: { elapsedMs: 999, processorMs: 61 }, memoryBytes: 513 },
    'memory',
  ],
  ['no processor to inspect with', { inspection: { elapsedMs: 31, processorMs: 9 } }, 'starved'],
  ['no processor for the task', { task: { elapsedMs: 181, processorMs: 59 } }, 'starved'],
])('%s', (_what, observed, limit) => {
  expect(judge({ ...within, ...observed }, limits)).toBe(limit)
})

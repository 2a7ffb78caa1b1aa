import { expect, test } from 'vitest'
import { judge, type Observed, type TaskLimit } from './task-limits.ts'

const limits = { fileMs: 10, pageMs: 5, taskMs: 60, memoryBytes: 512, patience: 12 }
const within: Observed = {
  task: { elapsedMs: 180, processorMs: 60 },
  file: { elapsedMs: 180, processorMs: 15, pages: 1 },
  memoryBytes: 512,
}

test.each<[what: string, observed: Partial<Observed>, limit: TaskLimit | 'starved' | undefined]>([
  ['nothing, at the limits', {}, undefined],
  ['nothing between files', { file: undefined }, undefined],
  [
    'a file whose pages are not known',
    { file: { elapsedMs: 11, processorMs: 11, pages: 0 } },
    'file-time',
  ],
  ['a file of a page', { file: { elapsedMs: 16, processorMs: 16, pages: 1 } }, 'file-time'],
  ['the whole task', { task: { elapsedMs: 61, processorMs: 61 } }, 'task-time'],
  [
    'memory, whatever else',
    { task: { elapsedMs: 999, processorMs: 61 }, memoryBytes: 513 },
    'memory',
  ],
  ['no processor for a file', { file: { elapsedMs: 181, processorMs: 9, pages: 1 } }, 'starved'],
  ['no processor for the task', { task: { elapsedMs: 721, processorMs: 59 } }, 'starved'],
])('%s', (_what, observed, limit) => {
  expect(judge({ ...within, ...observed }, limits)).toBe(limit)
})

import type { TakenStep } from '@despatch/store/print-job/steps'
import { expect, test } from 'vitest'
import { type RunStageContext, runStage } from './run-stage.ts'
import type { Stage } from './stage.ts'

const stage = { queue: 'quarantine', status: 'QUARANTINE' } as Stage<unknown>
const task = { subject: 'a letter', epoch: 0 }
const diskFull = Object.assign(new Error('could not extend file'), { code: '53100' })

/** A database that answers probes and fails the first `times` attempts to take a letter. */
function failing(times: number, error: Error) {
  let takes = 0
  const context = {
    commits: {
      take: async (): Promise<TakenStep | undefined> => {
        takes += 1
        if (takes <= times) throw error
        return undefined
      },
    },
    outages: {
      judge: async (fault: unknown) =>
        fault === diskFull ? { dependency: 'database', verdict: 'letter' } : undefined,
      served: () => {},
      whenUp: async () => {},
    },
  } as unknown as RunStageContext
  return { context, takes: () => takes }
}

test('a task whose step cannot be leased is retried without losing an attempt', async () => {
  const { context, takes } = failing(2, diskFull)

  expect(await runStage(context, stage, task, AbortSignal.any([]))).toBe('nothing')
  expect(takes()).toBe(3)
})

test('a task that the queue gives to another is let go', async () => {
  const { context } = failing(Infinity, diskFull)

  expect(await runStage(context, stage, task, AbortSignal.timeout(500))).toBe('nothing')
})

test('a fault that is not of the database is thrown', async () => {
  const fault = new Error('a defect')
  const { context, takes } = failing(Infinity, fault)

  await expect(runStage(context, stage, task, AbortSignal.any([]))).rejects.toBe(fault)
  expect(takes()).toBe(1)
})

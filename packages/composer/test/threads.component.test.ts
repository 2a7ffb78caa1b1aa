import { afterEach, describe, expect, test } from 'vitest'
import { startThreads, type Threads } from '../src/threads.ts'
import type { StubbornTask } from './stubborn-worker.ts'

const started: Threads<StubbornTask, string>[] = []
afterEach(() => Promise.all(started.splice(0).map((threads) => threads.close())))

/** On a busy machine a thread waits for long before it has used its processor time. */
const patience = 1_000
const shortTimes = { fileMs: 100, pageMs: 0, taskMs: 400, patience }
const longTimes = { fileMs: 10_000, pageMs: 0, taskMs: 10_000, patience }

function aPool(times = shortTimes, threadsMax = 1) {
  const threads = startThreads<StubbornTask, string>({
    file: new URL('./stubborn-worker.ts', import.meta.url),
    threadsMax,
    taskLimits: { ...times, memoryBytes: 100 * 1024 * 1024 },
  })
  started.push(threads)
  return threads
}

describe('a task that exceeds a limit is ended, and the limit is named', () => {
  test.each<[task: StubbornTask, limit: string, fileIndex: number | undefined]>([
    ['hang-on-file', 'file-time', 1],
    ['hang-on-letter', 'task-time', undefined],
    ['eat-objects', 'memory', 1],
    ['eat-buffers', 'memory', 1],
    ['eat-wasm', 'memory', undefined],
  ])('%s: %s', async (task, limit, fileIndex) => {
    const threads = aPool(limit === 'memory' ? longTimes : shortTimes)

    await expect(threads.run(task)).rejects.toMatchObject({
      name: 'TaskLimitExceeded',
      limit,
      fileIndex,
    })
    expect(await threads.run('answer')).toBe('done')
  })
})

describe('a fault of ours does not count as an exceeded limit', () => {
  test('an error that the task throws is thrown unchanged', async () => {
    await expect(aPool().run('throw')).rejects.toThrow(new RangeError('a fault of ours'))
  })

  test('a thread that dies exceeds no limit', async () => {
    await expect(aPool().run('exit')).rejects.toMatchObject({
      name: expect.not.stringMatching(/^(TaskLimitExceeded|RangeError)$/),
    })
  })

  test('a task without processor time exceeds no limit', async () => {
    const threads = aPool({ ...shortTimes, patience: 3 })

    await expect(threads.run('sleep')).rejects.toMatchObject({ name: 'ThreadStarved' })
  })

  test('an aborted task is ended', async () => {
    const reason = new Error('The step was taken over')

    await expect(aPool().run('sleep', { signal: AbortSignal.timeout(50) })).rejects.toThrow()
    await expect(aPool().run('answer', { signal: AbortSignal.abort(reason) })).rejects.toThrow()
  })
})

test('a task of another consumer gets a thread although one consumer keeps all threads busy', async () => {
  const threads = aPool(longTimes, 2)
  const ending = new AbortController()
  const use = { consumerId: 'busy', signal: ending.signal }
  const busy = [threads.run('hang-on-letter', use), threads.run('sleep', use)]
  const ended = Promise.allSettled(busy)

  expect(await threads.run('answer', { consumerId: 'another' })).toBe('done')

  ending.abort()
  expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await threads.run('answer', { consumerId: 'busy' })).toBe('done')
})

test('a waiting task runs after the previous thread ends, and waiting counts towards no limit', async () => {
  const threads = aPool()

  const first = expect(threads.run('hang-on-letter')).rejects.toMatchObject({
    limit: 'task-time',
  })
  const second = threads.run('answer')

  await first
  expect(await second).toBe('done')
})

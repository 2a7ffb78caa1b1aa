import { expect, test } from 'vitest'
import { steerWorkers } from './queue-workers.ts'

function twoWorkers() {
  const state = { isUp: true, isHalfOpen: false, isClockRight: true, nowMs: 0 }
  const limits: Record<string, number[]> = { letters: [], slow: [] }
  const worker = (queue: 'letters' | 'slow', needs: ['database'] | ['object-store']) => ({
    queue,
    needs,
    concurrency: 8,
    consumer: { limit: (limit: number) => void limits[queue]!.push(limit) },
  })
  const workers = steerWorkers({
    workers: [worker('letters', ['database']), worker('slow', ['object-store'])],
    outages: {
      watches: [
        {
          dependency: 'object-store',
          isUp: () => state.isUp,
          isHalfOpen: () => state.isHalfOpen,
        } as never,
      ],
    },
    isClockRight: () => state.isClockRight,
    clock: () => state.nowMs,
  })
  const halfSecondsPass = (count: number) => {
    for (let time = 0; time < count; time++) {
      state.nowMs += 500
      workers.update()
    }
  }
  workers.update()
  return { state, limits, workers, halfSecondsPass }
}

test('only the worker of the unavailable dependency pauses, and later resumes with few tasks', () => {
  const { state, limits, workers, halfSecondsPass } = twoWorkers()

  state.isUp = false
  halfSecondsPass(3)
  expect([workers.isPaused('slow'), workers.isPaused('letters')]).toEqual([true, false])
  state.isUp = true
  halfSecondsPass(6)

  expect(limits).toEqual({ letters: [], slow: [0, 1, 2, 4, 8] })
})

test('a half-open dependency gets one task at a time', () => {
  const { state, limits, halfSecondsPass } = twoWorkers()
  state.isUp = false
  halfSecondsPass(1)

  Object.assign(state, { isUp: true, isHalfOpen: true })
  halfSecondsPass(10)
  state.isHalfOpen = false
  halfSecondsPass(3)

  expect(limits.slow).toEqual([0, 1, 2, 4, 8])
})

test('while the clock is wrong every worker is paused', () => {
  const { state, workers, halfSecondsPass } = twoWorkers()

  state.isClockRight = false
  halfSecondsPass(1)

  expect([workers.isPaused('slow'), workers.isPaused('letters')]).toEqual([true, true])
})

import { expect, test } from 'vitest'
import { createLanes } from './lanes.ts'

function twoLanes() {
  const state = { isUp: true, isHalfOpen: false, isClockRight: true, nowMs: 0 }
  const limits: Record<string, number[]> = { letters: [], slow: [] }
  const lane = (queue: 'letters' | 'slow', needs: ['database'] | ['object-store']) => ({
    queue,
    needs,
    concurrency: 8,
    consumer: { limit: (limit: number) => void limits[queue]!.push(limit) },
  })
  const lanes = createLanes({
    lanes: [lane('letters', ['database']), lane('slow', ['object-store'])],
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
      lanes.update()
    }
  }
  lanes.update()
  return { state, limits, lanes, halfSecondsPass }
}

test('only the lane of the unavailable dependency pauses, and later resumes with few tasks', () => {
  const { state, limits, lanes, halfSecondsPass } = twoLanes()

  state.isUp = false
  halfSecondsPass(3)
  expect([lanes.isPaused('slow'), lanes.isPaused('letters')]).toEqual([true, false])
  state.isUp = true
  halfSecondsPass(6)

  expect(limits).toEqual({ letters: [], slow: [0, 1, 2, 4, 8] })
})

test('a half-open dependency gets one task at a time', () => {
  const { state, limits, halfSecondsPass } = twoLanes()
  state.isUp = false
  halfSecondsPass(1)

  Object.assign(state, { isUp: true, isHalfOpen: true })
  halfSecondsPass(10)
  state.isHalfOpen = false
  halfSecondsPass(3)

  expect(limits.slow).toEqual([0, 1, 2, 4, 8])
})

test('while the clock is wrong every lane is paused', () => {
  const { state, lanes, halfSecondsPass } = twoLanes()

  state.isClockRight = false
  halfSecondsPass(1)

  expect([lanes.isPaused('slow'), lanes.isPaused('letters')]).toEqual([true, true])
})

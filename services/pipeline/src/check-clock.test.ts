import { expect, test } from 'vitest'
import { checkClock } from './check-clock.ts'

const databaseAt = (ms: number) => ({ query: async () => ({ rows: [{ ms }] }) }) as never

test.each([0, 7_000, -7_000])('a clock that is %i ms off will do', async (offMs) => {
  expect(await checkClock(databaseAt(Date.now() - offMs))).toEqual({ name: 'clock', ok: true })
})

test.each([60_000, -60_000])('a clock that is %i ms off will not', async (offMs) => {
  expect(await checkClock(databaseAt(Date.now() - offMs))).toMatchObject({
    name: 'clock',
    ok: false,
  })
})

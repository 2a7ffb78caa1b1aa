import { expect, test, vi } from 'vitest'
import { keepSignedIn } from '../../faults/clients/keep-signed-in.ts'

test('a client has another token before one hour is over, until it stops', async () => {
  vi.useFakeTimers()
  try {
    const tokens = ['token 1', 'token 2', 'token 3']
    const consumer = { token: 'first', signIn: async () => tokens.shift()! }
    const stop = keepSignedIn(consumer)

    await vi.advanceTimersByTimeAsync(59 * 60_000)
    expect(consumer.token).toBe('token 1')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(consumer.token).toBe('token 2')

    stop()
    await vi.advanceTimersByTimeAsync(60 * 60_000)
    expect(consumer.token).toBe('token 2')
  } finally {
    vi.useRealTimers()
  }
})

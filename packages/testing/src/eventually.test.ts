import { expect, test } from 'vitest'
import { eventually } from './eventually.ts'

test('returns the first value other than undefined, null and false', async () => {
  const answers = [undefined, null, false, 0, 'later']

  const answer = await eventually(() => answers.shift(), { message: 'there is an answer' })

  expect(answer).toBe(0)
})

test('fails after the deadline, with its message and the last value', async () => {
  const waiting = eventually(() => false, { deadlineMs: 30, message: 'the letter is despatched' })

  await expect(waiting).rejects.toThrow(
    'Not within 30 ms: the letter is despatched (last answer: false)',
  )
})

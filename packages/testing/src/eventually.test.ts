import { expect, test } from 'vitest'
import { eventually } from './eventually.ts'

test('gives the first answer that is something', async () => {
  const answers = [undefined, null, false, 0, 'later']

  const answer = await eventually(() => answers.shift(), { message: 'there is an answer' })

  expect(answer).toBe(0)
})

test('fails after the deadline, with what it waited for and the last value', async () => {
  const waiting = eventually(() => false, { deadlineMs: 30, message: 'the letter is despatched' })

  await expect(waiting).rejects.toThrow(
    'Not within 30 ms: the letter is despatched (last answer: false)',
  )
})

import { expect, test } from 'vitest'
import { eventually } from './eventually.ts'

test('gives the first answer that is something', async () => {
  const answers = [undefined, null, false, 0, 'later']

  const answer = await eventually(() => answers.shift(), { message: 'there is an answer' })

  expect(answer).toBe(0)
})

test('asks again after an error', async () => {
  let asked = 0

  const answer = await eventually(
    () => {
      asked += 1
      if (asked < 3) throw new Error('not yet')
      return asked
    },
    { message: 'no error' },
  )

  expect(answer).toBe(3)
})

test('fails after the deadline, with what it waited for and the last value', async () => {
  const waiting = eventually(() => false, { deadlineMs: 30, message: 'the letter is despatched' })

  await expect(waiting).rejects.toThrow(
    'Not within 30 ms: the letter is despatched (last answer: false)',
  )
})

test('contains the last error, also as the cause', async () => {
  const cause = new Error('connection refused')

  const waiting = eventually(() => Promise.reject(cause), { deadlineMs: 30, message: 'it is up' })

  await expect(waiting).rejects.toMatchObject({
    message: 'Not within 30 ms: it is up (Error: connection refused)',
    cause,
  })
})

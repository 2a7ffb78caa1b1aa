import { expect, test } from 'vitest'
import { checkQueuePolicy } from './queue-policy.ts'

const judge = async (url: string) =>
  (await checkQueuePolicy({ environment: { QUEUE_URL: url } } as never))[0]!

test.each([
  ['redis://:secret@one,two', 'QUEUE_URL must name one host without sentinel'],
  ['redis://:secret@one?sentinel=', 'QUEUE_URL with sentinel must name the group'],
  ['amqp://:secret@one', 'QUEUE_URL is not the address of a Redis or PostgreSQL server'],
])('%s is bad, and why', async (url, found) => {
  const finding = await judge(url)

  expect(finding.state).toBe('bad')
  expect(finding.found).toContain(found)
  expect(JSON.stringify(finding)).not.toContain('secret')
})

test('sentinels that do not answer are named as what to check', async () => {
  const { state, found, mend } = await judge('redis://:secret@127.0.0.1:9/0?sentinel=letters')

  expect([state, found]).toEqual(['bad', 'Redis cannot be queried (NO_SENTINEL_ANSWERS)'])
  expect(mend).toContain('the hosts of the sentinels, their group')
})

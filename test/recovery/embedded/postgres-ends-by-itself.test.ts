import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from '@despatch/testing/eventually'
import { expect, test } from 'vitest'
import { aConsumer } from '../../stack/a-consumer.ts'
import { aSmallLetter } from '../../stack/a-small-letter.ts'
import { makeDirectory, startDespatch } from '../../stack/start-despatch.ts'

test('the embedded PostgreSQL is restarted after it was killed, and letters continue', async () => {
  await using directory = await makeDirectory()
  await using despatch = await startDespatch(directory.path)
  const { baseUrl, consumer: credential } = despatch.credentials
  const consumer = await aConsumer(baseUrl, credential)
  await consumer.submit({ ...aSmallLetter, id: 'before' })

  const file = await readFile(join(directory.path, 'postgres/data/postmaster.pid'), 'utf8')
  process.kill(Number.parseInt(file, 10), 'SIGKILL')

  await eventually(async () => (await fetch(`${baseUrl}/health/ready`)).status === 503, {
    message: 'the loss is noticed',
  })
  await eventually(async () => (await fetch(`${baseUrl}/health/ready`)).status === 200, {
    message: 'Despatch is ready again',
  })
  await consumer.submit({ ...aSmallLetter, id: 'after' })
  for (const id of ['before', 'after']) await consumer.reached(id, 'PENDING', 60_000)
  expect(despatch.output()).toContain(
    'PostgreSQL exited unexpectedly: SIGKILL\nPostgreSQL is running again\n',
  )
  expect(await despatch.stop('SIGTERM')).toBe(0)
})

import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { keepReceiver, readReceiver } from './receiver.ts'

const root = await mkdtemp(join(tmpdir(), 'despatch-receiver-'))
afterAll(() => rm(root, { recursive: true }))
const to = 'http://localhost:4000/'
const aPlace = (name: string) => ({ environment: { DESPATCH_DATA_DIR: join(root, name) }, root })

test('two first calls at once get one secret', async () => {
  const place = aPlace('at-once')

  const receivers = await Promise.all(Array.from({ length: 8 }, () => readReceiver(to, place)))

  expect(new Set(receivers.map(({ secret }) => secret)).size).toBe(1)
  expect(await readReceiver(to, place)).toEqual(receivers[0])
  expect(await readdir(place.environment.DESPATCH_DATA_DIR)).toEqual(['listen.json'])
})

test('an address is the default of later calls once it is kept', async () => {
  const place = aPlace('address')

  const receiver = await readReceiver(to, place)
  await expect(readReceiver(undefined, place)).rejects.toThrow('with --to')
  await keepReceiver(receiver, place)

  expect(await readReceiver(undefined, place)).toEqual(receiver)
  const { mode } = await stat(join(place.environment.DESPATCH_DATA_DIR, 'listen.json'))
  expect(mode & 0o777).toBe(0o600)
})

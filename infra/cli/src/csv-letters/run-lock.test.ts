import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { takeLock } from './run-lock.ts'

const directory = await mkdtemp(join(tmpdir(), 'despatch-lock-'))
afterAll(() => rm(directory, { recursive: true }))
const path = join(directory, 'people.lock')

const here = hostname()
/** No process has a number this high. */
const nobody = 2 ** 31 - 1

test('a lock is there until it is given up', async () => {
  const giveUp = await takeLock(path)
  const owner = await readFile(path, 'utf8')
  await giveUp()

  expect(owner).toBe(`${process.pid} ${here}`)
  await expect(readFile(path)).rejects.toThrow('ENOENT')
})

test.each([`${nobody} ${here}`, `${process.pid} ${here}`])(
  'the lock of a process that is gone is taken over: %s',
  async (owner) => {
    await writeFile(path, owner)

    const giveUp = await takeLock(path)

    expect(await readFile(path, 'utf8')).toBe(`${process.pid} ${here}`)
    await giveUp()
  },
)

test.each([
  [`${process.ppid} ${here}`, `process ${process.ppid} of ${here}`],
  [`${nobody} another.example`, `process ${nobody} of another.example`],
  ['', 'another process'],
])('the lock of a process that may be alive is left: %s', async (owner, named) => {
  await writeFile(path, owner)

  await expect(takeLock(path)).rejects.toThrow(
    `${named} is working on this file. If it is not running any more, delete ${path}`,
  )
  expect(await readFile(path, 'utf8')).toBe(owner)
})

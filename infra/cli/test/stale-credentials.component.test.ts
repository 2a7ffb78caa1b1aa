import { copyFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { shared } from '@despatch/testing/shared'
import { expect, onTestFinished, test } from 'vitest'
import { aRunningDespatch } from './a-running-despatch.ts'

const running = await shared(aRunningDespatch())
const path = join(running.directory, 'credentials.json')

const kept = async () => JSON.parse(await readFile(path, 'utf8'))

/** Returns the variables of another installation of the command line, which has the credentials of now. */
async function elsewhere(): Promise<{ DESPATCH_DATA_DIR: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'despatch-cli-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  await copyFile(path, join(directory, 'credentials.json'))
  return { DESPATCH_DATA_DIR: directory }
}

test('another secret of a user of the credentials file is saved there, and works', async () => {
  const before = await kept()

  const key = await running.despatch('consumers rotate-key chief --yes')
  const password = await running.documentOf('consumers reset-password somebody --yes')

  expect(key).toMatchObject({ code: 0, stderr: '' })
  expect(key.stdout).toContain(`It is saved in ${path} too.`)
  expect(await kept()).toEqual({
    ...before,
    operator: { ...before.operator, apiKey: / API key +(\S+)/.exec(key.stdout)![1] },
    consumer: { ...before.consumer, password: password.password },
  })
  expect((await stat(path)).mode & 0o777).toBe(0o600)
})

test('the file stays as it is for other users, and for an installation elsewhere', async () => {
  await running.documentOf('consumers create other --name Other')
  const other = await elsewhere()
  const there = join(other.DESPATCH_DATA_DIR, 'credentials.json')
  const elsewhereToo = JSON.stringify({ ...(await kept()), baseUrl: 'http://127.0.0.1:1' })
  await writeFile(there, elsewhereToo)
  const before = await readFile(path, 'utf8')
  const reset = `consumers reset-password somebody --yes --base-url ${running.baseUrl}`

  const ofOther = await running.despatch('consumers rotate-key other --yes')
  const fromElsewhere = await running.despatch(reset, other)

  expect([ofOther.code, fromElsewhere.code]).toEqual([0, 0])
  expect(ofOther.stdout + fromElsewhere.stdout).not.toContain('credentials.json')
  expect(await readFile(path, 'utf8')).toBe(before)
  expect(await readFile(there, 'utf8')).toBe(elsewhereToo)
})

test('a secret that was replaced elsewhere is named, with its file and what mends it', async () => {
  const stale = await elsewhere()
  const file = join(stale.DESPATCH_DATA_DIR, 'credentials.json')
  await running.documentOf('consumers rotate-key chief --yes')
  await running.documentOf('consumers reset-password somebody --yes')

  const operator = await running.despatch('queues list', stale)
  const consumer = await running.despatch('jobs watch job-1', stale)

  expect([operator.code, operator.stdout]).toEqual([1, ''])
  expect(operator.stderr).toContain(`The API key of chief in ${file} is not accepted`)
  expect(operator.stderr).toContain('npx despatch consumers rotate-key chief')
  expect([consumer.code, consumer.stdout]).toEqual([1, ''])
  expect(consumer.stderr).toContain(`The password of somebody in ${file} is not accepted`)
  expect(consumer.stderr).toContain('npx despatch consumers reset-password somebody')
})

import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aConsumer } from '../stack/a-consumer.ts'
import { aSmallLetter } from '../stack/a-small-letter.ts'
import {
  type Credential,
  type Despatch,
  makeDirectory,
  startDespatch,
} from '../stack/start-despatch.ts'

const aLetter = { ...aSmallLetter, id: 'kept-between-starts' }

describe('everything embedded, in one data folder', () => {
  let directory: Awaited<ReturnType<typeof makeDirectory>>
  let credential: Credential
  beforeAll(async () => {
    directory = await makeDirectory()
  })
  afterAll(() => directory[Symbol.asyncDispose]())

  /** Submits letters and stops Despatch while it works on them. It leaves no process, and no fault in its log. */
  async function stopAtWork(despatch: Despatch, signal: NodeJS.Signals): Promise<void> {
    const consumer = await aConsumer(despatch.credentials.baseUrl, credential)
    const ids = Array.from({ length: 10 }, (_, index) => `at-work-${signal}-${index}`)
    await Promise.all(ids.map((id) => consumer.submit({ ...aLetter, id })))

    expect(await despatch.stop(signal)).toBe(0)
    expect(await processesOf(directory.path)).toEqual([])
    expect(faultsIn(await readFile(join(directory.path, 'despatch.log'), 'utf8'))).toEqual([])
  }

  test('starts with a simulated factory, and stops during its work', async () => {
    const despatch = await startDespatch(directory.path, {
      DESPATCH_SIMULATOR: '',
      DESPATCH_PRINT_RUN_AGE_MS: '300',
    })
    const { baseUrl, opsUrl } = despatch.credentials
    credential = despatch.credentials.consumer
    expect(despatch.output()).toMatch(/^ {2}Factory {6}simulated: .*DESPATCH_SIMULATOR=off\)$/m)
    expect(despatch.output()).toContain(
      `${despatch.credentials.baseUrl}/docs\n  Console      ${despatch.credentials.opsUrl},`,
    )
    for (const url of [baseUrl, opsUrl]) {
      expect((await fetch(`${url}/health/ready`)).status).toBe(200)
    }
    const mode = (await stat(join(directory.path, 'credentials.json'))).mode & 0o777
    expect(mode).toBe(0o600)
    const consumer = await aConsumer(baseUrl, credential)
    await consumer.submit(aLetter)
    await consumer.reached(aLetter.id, 'DESPATCHED')

    await stopAtWork(despatch, 'SIGINT')
  })

  test('continues with its data after it was killed, and also stops on the other signal', async () => {
    // a directory of a release without the simulated factory: its letters may be real
    await rm(join(directory.path, 'simulated-factory'))
    const killed = await startDespatch(directory.path, { DESPATCH_SIMULATOR: '' })
    expect(killed.credentials.consumer).toEqual(credential)
    expect(killed.output()).toMatch(/^ {2}Factory {6}none \(DESPATCH_SIMULATOR=on .*\)$/m)
    const before = await aConsumer(killed.credentials.baseUrl, credential)
    await before.reached(aLetter.id, 'DESPATCHED')
    const id = 'kept-when-killed'
    await before.submit({ ...aLetter, id })
    await killed.stop('SIGKILL')

    const despatch = await startDespatch(directory.path)

    const after = await aConsumer(despatch.credentials.baseUrl, credential)
    await after.reached(id, 'PENDING', 60_000)
    await stopAtWork(despatch, 'SIGTERM')
  })
})

/** Returns the lines of a log that report a fault. */
function faultsIn(log: string): string[] {
  const lines = log.split('\n').filter(Boolean)
  expect(lines.length).toBeGreaterThan(0)
  return lines.filter((line) => ['error', 'fatal'].includes(JSON.parse(line).level))
}

/** Returns the command lines of running processes that contain the directory. */
async function processesOf(directory: string): Promise<string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(
    ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')),
  )
  return lines.filter((line) => line.includes(directory))
}

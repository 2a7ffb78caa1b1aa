import { hash, randomUUID } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { documentKey } from '@despatch/object-store/keys'
import { openObjectStore } from '@despatch/object-store/object-store'
import { saveSubmissions } from '@despatch/store/print-job/submissions'
import { aSubmission } from '@despatch/testing/print-job-builders'
import { readZip } from '@despatch/testing/read-zip'
import { replaceObject } from '@despatch/testing/replace-object'
import { shared } from '@despatch/testing/shared'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import { expect, inject, onTestFinished, test } from 'vitest'
import { aRunningDespatch } from './a-running-despatch.ts'

const running = await shared(aRunningDespatch())
const runs = await shared(somePrintRuns(running.databaseUrl))

async function aJob() {
  const submission = aSubmission(runs.consumer)
  await saveSubmissions(runs.pool, [submission])
  return submission
}

async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'despatch-evidence-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

test('saves the evidence of a print job in a file that only its owner can read', async () => {
  const { id, key } = await aJob()
  const folder = await aFolder()
  const file = join(folder, 'evidence.zip')

  const ended = await running.despatch(`jobs evidence ${id} --out ${file}`)

  expect(ended).toEqual({
    code: 0,
    stdout: `The evidence is in ${file}. Start with its README.txt.\n`,
    stderr: '',
  })
  const entries = readZip(await readFile(file))
  expect(entries[0]!.name).toBe('README.txt')
  expect(entries[0]!.content.toString()).toContain(key)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await readdir(folder)).toEqual(['evidence.zip'])
})

test('replaces a file only with --force, and tells as JSON what it wrote', async () => {
  const { key } = await aJob()
  const file = join(await aFolder(), 'evidence.zip')
  await writeFile(file, 'mine')
  const evidence = `jobs evidence ${key} --out ${file}`

  const refused = await running.despatch(evidence)
  const kept = await readFile(file, 'utf8')
  const document = await running.documentOf(evidence, '--force')

  expect(refused).toEqual({
    code: 1,
    stdout: '',
    stderr: `despatch: ${file} already exists. Give --force to overwrite it\n`,
  })
  expect(kept).toBe('mine')
  const content = await readFile(file)
  expect(document).toEqual({
    printJobKey: key,
    file,
    bytes: content.length,
    sha256: hash('sha256', content),
  })
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test('leaves nothing of an answer that breaks off', async () => {
  const { key } = await aJob()
  await runs.accept([key])
  const { rows } = await runs.pool.query(
    `update print_job set document_bytes = 5 where key = $1 returning encode(document_sha256, 'hex') as sha256`,
    [key],
  )
  const objects = openObjectStore(inject('infra').objectStore)
  await replaceObject(objects, documentKey(rows[0].sha256), Buffer.from('other'))
  objects.close()
  const folder = await aFolder()

  const ended = await running.despatch(`jobs evidence ${key} --out ${join(folder, 'e.zip')}`)

  expect(ended).toEqual({
    code: 1,
    stdout: '',
    stderr: 'despatch: the download was cut off. Try again\n',
  })
  expect(await readdir(folder)).toEqual([])
})

test.each([
  ['no such print job', '', /There is no print job/],
  ['no such folder', 'nowhere', /cannot be written \(ENOENT\)/],
])('ends with an explanation: %s', async (_what, below, stderr) => {
  const folder = await aFolder()
  const line = `jobs evidence ${randomUUID()} --out ${join(folder, below, 'e.zip')}`

  expect(await running.despatch(line)).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(stderr),
  })
  expect(await readdir(folder)).toEqual([])
})

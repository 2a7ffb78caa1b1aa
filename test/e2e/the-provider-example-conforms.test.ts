import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { eventually } from '@despatch/testing/eventually'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { makeClientProject } from '../stack/client-project.ts'
import { type Credential, makeDirectory } from '../stack/start-despatch.ts'
import { startProgram } from '../stack/start-program.ts'

const bin = resolve(import.meta.dirname, '../../infra/cli/bin/despatch.mjs')
const project = await shared(makeDirectory())
await makeClientProject(project.path)
const inProject = (name: string) => join(project.path, name)

test('the example of a provider passes every case of the conformance kit', async () => {
  const cwd = project.path
  const flags = [
    ...['provider-conformance', '--base-url', 'http://127.0.0.1:0'],
    ...['--credentials', inProject('kit.json'), '--report', inProject('report.json')],
    ...['--lease-seconds', '4', '--retry-after-seconds', '1'],
  ]
  await using kit = startProgram([bin, ...flags], {
    environment: { DESPATCH_DATA_DIR: inProject('.despatch') },
    cwd,
  })
  const baseUrl = await eventually(() => /Listening on (http:[^\s]+\d)/.exec(kit.output())?.[1], {
    message: 'the kit listens',
  })
  const { userName, password, apiKey } = JSON.parse(
    await readFile(inProject('kit.json'), 'utf8'),
  ) as Credential

  const commandLine = ['print-runs.mjs', 'files', '--poll-seconds', '1', '--spoil-every', '10']
  await using example = startProgram(commandLine, {
    environment: {
      DESPATCH_URL: baseUrl,
      DESPATCH_USER: userName,
      DESPATCH_PASSWORD: password,
      DESPATCH_API_KEY: apiKey,
    },
    cwd,
  })
  const early = example.ended.then(() => {
    throw new Error(`the example ended: ${example.output()}`)
  })
  early.catch(() => {})
  await Promise.race([kit.ended, early])

  const { cases } = JSON.parse(await readFile(inProject('report.json'), 'utf8')) as {
    cases: { id: string; result: string; reason?: string }[]
  }
  const failed = cases.filter(({ result }) => result !== 'PASS')
  expect(failed.map(({ id, result, reason }) => `${id} ${result}: ${reason}`)).toEqual([])
  expect(cases).toHaveLength(15)
})

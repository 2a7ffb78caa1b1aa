import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { eventually } from '@despatch/testing/eventually'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { makeClientProject } from '../stack/client-project.ts'
import { type Credential, environmentOfTools, makeDirectory } from '../stack/start-despatch.ts'

const bin = resolve(import.meta.dirname, '../../infra/cli/bin/despatch.mjs')
const project = await shared(makeDirectory())
await makeClientProject(project.path)
const inProject = (name: string) => join(project.path, name)

test('the example of a provider passes every case of the conformance kit', async () => {
  const kit = start(bin, {
    arguments: [
      ...['provider-conformance', '--base-url', 'http://127.0.0.1:0'],
      ...['--credentials', inProject('kit.json'), '--report', inProject('report.json')],
      ...['--lease-seconds', '4', '--retry-after-seconds', '1'],
    ],
    environment: { DESPATCH_DATA_DIR: inProject('.despatch') },
  })
  const baseUrl = await eventually(() => /Listening on (http:[^\s]+\d)/.exec(kit.output())?.[1], {
    message: 'the kit listens',
  })
  const { userName, password, apiKey } = JSON.parse(
    await readFile(inProject('kit.json'), 'utf8'),
  ) as Credential

  const example = start('print-runs.mjs', {
    arguments: ['files', '--poll-seconds', '1', '--spoil-every', '10'],
    environment: {
      DESPATCH_URL: baseUrl,
      DESPATCH_USER: userName,
      DESPATCH_PASSWORD: password,
      DESPATCH_API_KEY: apiKey,
    },
  })
  const early = once(example.process, 'close').then(() => {
    throw new Error(`the example ended: ${example.output()}`)
  })
  try {
    await Promise.race([once(kit.process, 'close'), early])
  } finally {
    early.catch(() => {})
    example.process.kill()
    kit.process.kill()
  }

  const { cases } = JSON.parse(await readFile(inProject('report.json'), 'utf8')) as {
    cases: { id: string; result: string; reason?: string }[]
  }
  const failed = cases.filter(({ result }) => result !== 'PASS')
  expect(failed.map(({ id, result, reason }) => `${id} ${result}: ${reason}`)).toEqual([])
  expect(cases).toHaveLength(15)
})

type Started = { process: ChildProcess; output(): string }

/** Starts a program in the project. */
function start(
  program: string,
  options: { arguments: readonly string[]; environment: Record<string, string> },
): Started {
  const child = spawn(process.execPath, [program, ...options.arguments], {
    cwd: project.path,
    env: { ...environmentOfTools(), ...options.environment },
  })
  let output = ''
  const listen = (chunk: Buffer) => {
    output += chunk
  }
  child.stdout.on('data', listen)
  child.stderr.on('data', listen)
  return { process: child, output: () => output }
}

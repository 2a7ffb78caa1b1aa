import { execFile } from 'node:child_process'
import { copyFile, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { ConsumerClient } from '@despatch/client/consumer-client'
import type { PrintRun } from '@despatch/client/print-run'
import { ProviderClient } from '@despatch/client/provider-client'
import { eventually } from '@despatch/testing/eventually'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import { aDespatch } from '../stack/a-despatch.ts'
import { aSmallLetter } from '../stack/a-small-letter.ts'
import { isThere } from '../stack/callback-verifiers.ts'
import { compileProject, makeClientProject } from '../stack/client-project.ts'
import { runCommand } from '../stack/despatch-command.ts'
import { readFences } from '../stack/follow-guide.ts'
import { programOf } from '../stack/runnable-guide.ts'
import { environmentOfTools, makeDirectory } from '../stack/start-despatch.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../..')

/** Guides whose programs run one after the other: the later ones use the client of the first. */
const consumerGuides = [
  ['docs/first-print-jobs.md', 'docs/send-control.md', 'docs/enquiries.md'],
  ['docs/callbacks.md'],
]

const despatch = await shared(
  aDespatch({
    DESPATCH_ENVIRONMENT: 'uat',
    DESPATCH_PRINT_RUN_AGE_MS: '86400000',
  }),
)
const project = await shared(makeDirectory())
await makeClientProject(project.path)
await symlink(despatch.directory, join(project.path, '.despatch'))
await mkdir(join(project.path, 'docs/examples'), { recursive: true })
const letter = 'docs/examples/letter.pdf'
await copyFile(join(root, letter), join(project.path, letter))
for (const records of ['vehicles', 'drivers']) {
  await command(records, 'import', join(root, `docs/examples/${records}.csv`))
}

/** Runs a command as the operator, and returns what it prints. */
async function command(...commandLine: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand(despatch.directory, commandLine)
  if (code !== 0) throw new Error(`${commandLine.join(' ')} ended with ${code}: ${stderr}`)
  return stdout
}

async function programOfGuides(guides: readonly string[], language: 'ts' | 'python') {
  const fences = await Promise.all(guides.map(readFences))
  const program = programOf(fences.flat(), language)
  expect(program).not.toBe('')
  return program
}

/** Runs a program in the project, where the files are that the guides read. */
async function runProgram(program: string, args: string[], env: Record<string, string> = {}) {
  const options = { cwd: project.path, env: { ...environmentOfTools(), ...env } }
  return (await run(program, args, options)).stdout
}

test.each(consumerGuides)('the TypeScript of %s runs', async (...guides) => {
  await writeFile(join(project.path, 'guide.mts'), await programOfGuides(guides, 'ts'))

  await compileProject(project.path)
  await runProgram(process.execPath, ['guide.mts'])
})

/** What the fragments of the page about the clients leave to their reader. */
const ofTheReader = `
import type { IncomingMessage } from 'node:http'
import type { PrintJobRequest } from '@despatch/client'
type Params = PrintJobRequest['standardParams']
declare const baseUrl: string, userName: string, password: string, apiKey: string, body: Buffer
declare const recipientName: Params['recipientName'], address: Params['address']
declare const request: IncomingMessage, secrets: string[]
`

test('the TypeScript of docs/client.md compiles', async () => {
  const program = await programOfGuides(['docs/client.md'], 'ts')
  await writeFile(join(project.path, 'guide.mts'), ofTheReader + program)

  await compileProject(project.path)
})

// On a developer's machine it may be missing. If `CI` is set, it is required.
const isLeftOut = process.env.CI === undefined && !isThere('python3')
const python = isLeftOut ? ', left out: python3 is not installed' : ''

test.skipIf(isLeftOut).each(consumerGuides)(`the Python of %s runs${python}`, async (...guides) => {
  await writeFile(join(project.path, 'guide.py'), await programOfGuides(guides, 'python'))

  await runProgram('python3', ['-B', 'guide.py'], { PYTHONPATH: join(root, 'clients/python') })
})

test('the TypeScript of the provider guide closes a print run', async () => {
  await command('providers', 'add', 'acme', '--name', 'Acme Print', '--location', 'leeds')
  await command('sites', 'set', 'acme', 'leeds', '--enable', '--reprints-free-max', '1')
  await command('sites', 'set', 'demo-provider', 'demo-site', '--disable')
  const user = ['acme', '--name', 'Acme Print', '--role', 'provider', '--provider', 'acme']
  const credentials = await command('consumers', 'create', ...user, '--json')
  await writeFile(join(project.path, 'acme.json'), credentials)
  const { baseUrl, consumer } = despatch.credentials
  const sender = new ConsumerClient({ baseUrl, ...consumer })
  const provider = new ProviderClient({ baseUrl, ...JSON.parse(credentials) })
  for (const _ of [1, 2, 3]) await sender.submitPrintJob(aSmallLetter)
  const openRun = await eventually(
    async () => {
      const listed = await command(
        'runs',
        'list',
        '--state',
        'OPEN',
        '--provider',
        'acme',
        '--json',
      )
      return JSON.parse(listed).printRuns.find((run: PrintRun) => run.documentCount >= 3)
    },
    { message: 'a print run has three documents', pollMs: 500 },
  )
  await command('runs', 'release', openRun.batchNumber)
  await eventually(async () => !(await provider.listPrintRuns({ state: 'RELEASED' }).next()).done, {
    message: 'the run is offered',
    pollMs: 200,
  })

  const program = await programOfGuides(['docs/provider-guide.md'], 'ts')
  await writeFile(join(project.path, 'guide.mts'), program)
  await compileProject(project.path)
  const said = await runProgram(process.execPath, ['guide.mts'], { DESPATCH_URL: baseUrl })

  expect(said).toMatch(/^CLOSED \d+$/m)
})

import { appendFile, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { byEffort } from '@despatch/testing/effort'
import { shared } from '@despatch/testing/shared'
import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import type { Started } from './a-command-line.ts'
import { aPrintGateway } from './a-print-gateway.ts'
import { aRunningDespatch } from './a-running-despatch.ts'

/** Called with each submission, and with each dry run. */
let watch: { submission?: Watch; dryRun?: Watch } = {}
type Watch = (response: ServerResponse) => void

const running = await shared(aRunningDespatch())
const gateway = await shared(
  aPrintGateway(running.databaseUrl, ({ method, url }: IncomingMessage, response) => {
    if (method !== 'POST') return
    if (url?.endsWith('/print/jobs')) watch.submission?.(response)
    if (url?.endsWith('/print/jobs/validate')) watch.dryRun?.(response)
  }),
)
await running.documentOf('contracts add somebody RENEWAL RENEWAL --template-data')

const options = `--type RENEWAL --template RENEWAL --base-url ${gateway.url}`
const lineOf = (file: string) => `jobs submit-csv ${join(running.directory, file)} ${options}`
const submit = (file: string, ...more: string[]) => running.despatch([lineOf(file), ...more])
const results = async (file: string): Promise<string[][]> =>
  parse(await readFile(join(running.directory, file), 'utf8'))

/** Returns the lines of rows, without those of the mailing. */
const rowResults = async (file: string) =>
  (await results(file)).slice(1).filter(([row]) => row !== '0')

/** Writes a file of letters to these names. */
async function people(file: string, ...names: string[]): Promise<void> {
  const rows = names.map((name) => `${name},${name.slice(0, 20)},1 High Street,LS1 1AA,12.50\n`)
  const header = 'recipientName,businessIdentifier,line1,postcode,param.amount\n'
  await writeFile(join(running.directory, file), header + rows.join(''))
}

/** Returns the names of the letters whose business identifiers begin so, in order. */
async function letters(prefix: string): Promise<string[]> {
  const { rows } = await running.pool.query(
    `select standard_params->>'recipientName' as name from print_job
     where standard_params->>'businessIdentifier' like $1 || '%' order by 1`,
    [prefix],
  )
  return rows.map(({ name }) => name)
}

/** Has the answer never sent, whatever the service does. Resolves once it would be. */
function withhold(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.write = () => true
    response.end = () => {
      resolve()
      return response
    }
  })
}

/** Waits for something that a running command causes. Throws what it says if it ends before. */
function causedBy(running: Started, caused: Promise<void>): Promise<void> {
  const ended = running.ended.then((early) => {
    throw new Error(`it has ended: ${JSON.stringify(early)}`)
  })
  return Promise.race([caused, ended])
}

test('each row is submitted as a letter, and a second run submits none', async () => {
  await people('first.csv', 'First-A', 'First-B')

  const first = await submit('first.csv')
  const second = await submit('first.csv', '--json')

  const path = join(running.directory, 'first.results.csv')
  expect(first).toEqual({
    code: 0,
    stdout: `2 rows: 2 letters submitted. Results: ${path}\n`,
    stderr: '',
  })
  expect([second.code, JSON.parse(second.stdout)]).toEqual([
    0,
    {
      results: path,
      rows: 2,
      submitted: 0,
      submittedBefore: 2,
      acceptable: 0,
      refused: 0,
      refusals: [],
    },
  ])
  const { rows } = await running.pool.query(
    `select id, standard_params, custom_params from print_job
     where standard_params->>'businessIdentifier' = 'First-A'`,
  )
  expect(rows).toEqual([
    {
      id: expect.stringMatching(/^csv-[0-9a-f]{12}-2-[0-9a-f]{12}$/),
      standard_params: {
        jobType: 'RENEWAL',
        templateReference: 'RENEWAL',
        businessIdentifier: 'First-A',
        recipientName: 'First-A',
        address: { unstructuredAddress: { line1: '1 High Street', postcode: 'LS1 1AA' } },
      },
      custom_params: [{ key: 'amount', value: '12.50' }],
    },
  ])
  expect(await results('first.results.csv')).toEqual([
    ['row', 'id', 'status', 'why'],
    ['0', expect.stringMatching(/^[0-9a-f]{64}$/), 'ended', ''],
    ['2', rows[0].id, 'accepted', ''],
    ['3', expect.any(String), 'accepted', ''],
  ])
  expect(await letters('First')).toEqual(['First-A', 'First-B'])
})

test('nothing is submitted while a row is refused, unless the others are asked for', async () => {
  await people('refused.csv', 'Refused-A', 'Refused-B', `${'x'.repeat(256)}`)
  await appendFile(join(running.directory, 'refused.csv'), 'too,few\n')

  const dryRun = await submit('refused.csv', '--dry-run')
  const all = await submit('refused.csv')
  const none = await letters('Refused')
  const others = await submit('refused.csv', '--skip-refused')

  expect([dryRun.code, dryRun.stdout]).toEqual([
    1,
    expect.stringMatching(/^4 rows: 2 letters would be accepted, 2 refused\. Results: /),
  ])
  expect(all.code).toBe(1)
  expect(all.stdout).toContain('Nothing was submitted.')
  expect(all.stdout).toMatch(/^4 {4}standardParams\.recipientName .*255/m)
  expect(all.stdout).toMatch(/^5 {4}the row has 2 cells and the header 5$/m)
  expect(none).toEqual([])
  expect([others.code, others.stdout]).toEqual([
    3,
    expect.stringMatching(/^4 rows: 2 letters submitted, 2 refused\./),
  ])
  expect(await letters('Refused')).toEqual(['Refused-A', 'Refused-B'])
  const written = await rowResults('refused.results.csv')
  expect(written.map(([row, , status]) => `${row} ${status}`).toSorted()).toEqual([
    '2 accepted',
    '3 accepted',
    '4 refused',
    '5 refused',
  ])
  expect(JSON.stringify(written)).not.toMatch(/Refused-A|High Street/)
})

test('a row that has changed since is refused, unless it is to be a further letter', async () => {
  await people('changed.csv', 'Changed-A', 'Changed-B')
  await submit('changed.csv')
  await people('changed.csv', 'Changed-A', 'Changed-C', 'Changed-D')

  const refused = await submit('changed.csv')
  const before = await letters('Changed')
  const taken = await submit('changed.csv', '--changed')
  const again = await submit('changed.csv')

  expect([refused.code, refused.stdout]).toEqual([1, ''])
  expect(refused.stderr).toContain('has changed since letters were submitted: 1 row (3)')
  expect(before).toEqual(['Changed-A', 'Changed-B'])
  expect(taken.stdout).toMatch(/^3 rows: 2 letters submitted, 1 submitted before\./)
  expect(again.stdout).toMatch(/^3 rows: 0 letters submitted, 3 submitted before\./)
  expect(await letters('Changed')).toEqual(['Changed-A', 'Changed-B', 'Changed-C', 'Changed-D'])
  expect((await rowResults('changed.results.csv')).map(([, , status]) => status)).toEqual([
    ...['accepted', 'replaced', 'accepted', 'accepted'],
  ])
})

test('without the results of a run the same file is still not sent twice, except as another mailing', async () => {
  await people('again.csv', 'Again-X')
  await submit('again.csv', '--dry-run')
  await people('again.csv', 'Again-A')
  await submit('again.csv')
  await rm(join(running.directory, 'again.results.csv'))

  const again = await submit('again.csv')
  const mailing = await submit('again.csv', '--mailing january')

  expect(again.stdout).toMatch(/^1 row: 0 letters submitted, 1 submitted before\..*\nTo send the/)
  expect(await rowResults('again.results.csv')).toEqual([
    ['2', expect.any(String), 'accepted', 'submitted before'],
  ])
  expect(mailing.stdout).toMatch(/^1 row: 1 letter submitted\. .*again\.january\.results\.csv$/m)
  expect(await letters('Again')).toEqual(['Again-A', 'Again-A'])
})

test('rows that the service cannot take at present are sent again', async () => {
  await people('busy.csv', 'Busy-A', 'Busy-B')
  const refused: number[] = []
  const refuse = (status: number) => (response: ServerResponse) => {
    if (refused.includes(status)) return
    refused.push(status)
    response.writeHead(status, { 'retry-after': '0' }).end('{"errors":[]}')
  }
  watch = { dryRun: refuse(429), submission: refuse(503) }

  const { code, stdout } = await submit('busy.csv')
  watch = {}

  expect(refused).toEqual([429, 503])
  expect([code, stdout]).toEqual([0, expect.stringContaining('2 letters submitted')])
  expect(await letters('Busy')).toEqual(['Busy-A', 'Busy-B'])
})

test('Ctrl-C says how to continue', async () => {
  await people('stopped.csv', 'Stopped-A', 'Stopped-B')
  const stopped = running.start(lineOf('stopped.csv'))
  const held = new Promise<void>((resolve) => {
    watch = { dryRun: (response) => void withhold(response).then(resolve) }
  })
  await causedBy(stopped, held)
  stopped.interrupt()
  const ended = await stopped.ended
  watch = {}
  const second = await submit('stopped.csv')

  expect(ended).toEqual({
    code: 130,
    stdout: '',
    stderr: 'despatch: interrupted. Nothing was submitted. The same command starts again\n',
  })
  expect(second.stdout).toMatch(/^2 rows: 2 letters submitted\./)
  const files = await readdir(running.directory)
  expect(files.filter((name) => name.startsWith('stopped'))).toEqual([
    'stopped.csv',
    'stopped.results.csv',
  ])
})

test('a second run at the same time is refused, and does no harm without the lock', async () => {
  await people('twice.csv', 'Twice-A', 'Twice-B')
  const held = new Promise<void>((resolve) => {
    watch = {
      submission: (response) => {
        watch = {}
        void withhold(response).then(resolve)
      },
    }
  })
  const first = running.start(lineOf('twice.csv'))
  await causedBy(first, held)

  const second = await submit('twice.csv')
  await rm(join(running.directory, 'twice.results.csv.lock'))
  const third = await submit('twice.csv')
  first.kill()
  await first.ended

  expect([second.code, second.stdout]).toEqual([1, ''])
  expect(second.stderr).toMatch(/process \d+ of \S+ is working on this file/)
  expect(third.stdout).toMatch(/^2 rows: \d letters? submitted/)
  expect(await letters('Twice')).toEqual(['Twice-A', 'Twice-B'])
})

const rowsTotal = byEffort({ landing: 300, full: 10_000 })

test('of many rows each is submitted once, though the run is killed between an answer and its result', async () => {
  const names = Array.from({ length: rowsTotal }, (_, at) => `Many-${String(at).padStart(5, '0')}`)
  await people('many.csv', ...names)
  let submissions = 0
  const half = new Promise<void>((resolve) => {
    watch = {
      submission: (response) => {
        submissions += 1
        if (submissions >= rowsTotal / 2) void withhold(response).then(resolve)
      },
    }
  })

  const killed = running.start(lineOf('many.csv'))
  await causedBy(killed, half)
  killed.kill()
  const { code } = await killed.ended
  watch = {}
  const known = (await results('many.results.csv')).filter(([, , status]) => status === 'accepted')
  await people('many.csv', ...names.slice(0, -1))
  const changed = await submit('many.csv')
  await people('many.csv', ...names)
  const resumed = await submit('many.csv', '--json')

  expect(code).toBe(null)
  expect([changed.code, changed.stderr]).toEqual([1, expect.stringContaining('was cut off')])
  const { submitted, submittedBefore, ...rest } = JSON.parse(resumed.stdout)
  expect(rest).toMatchObject({ rows: rowsTotal, refused: 0 })
  // the service may still have accepted letters after the run was killed
  expect(submitted).toBeGreaterThan(0)
  expect(submittedBefore).toBeGreaterThan(known.length)
  expect(submitted + submittedBefore).toBe(rowsTotal)
  expect(await letters('Many')).toEqual(names)
}, 3_600_000)

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const testTimeoutMs = 240_000

let place: string
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'demo-test-'))
})
afterEach(() => rm(place, { recursive: true, force: true }))

test(
  'ends with 0 when every letter and every enquiry ended as it should, and keeps the output only',
  async () => {
    const { code, output, complaints } = await run(['--exit'])
    expect({ code, complaints }, output).toEqual({ code: 0, complaints: '' })
    expect(output).toMatch(/half a minute\. Ctrl-C ends it/)
    expect(output).toContain('✓ 5 letters despatched')
    expect(output).toContain('letter 5: QUARANTINE → VALIDATING')
    expect(output).toContain('tried out letter 5, which saves nothing: it would be rejected')
    expect(output).toContain('P401 page 2: 297 × 210 mm, allowed 208 × 295 to 212 × 299 mm\n')
    expect(output).toContain(
      '✓ the dry run, the timeline and the callback of letter 5 give the same reason',
    )
    const runs = expectProduction(output)
    expect(output).toContain('imported 2,000 vehicles and 2,000 drivers')
    expect(output).toContain('✓ 4 enquiries answered and audited')
    expect(output).not.toContain('\x1b')
    // the server has stopped, so there is no address to show
    expect(output).not.toMatch(/http:|Serving|curl/)

    expect(await readdir(place)).toEqual(['demo-output'])
    const [time] = await readdir(join(place, 'demo-output'))
    const folder = join(place, 'demo-output', time!)
    expect(output).toContain(folder)
    expect(output).toContain(join(folder, 'proof-letter-5-page-2.png'))
    expect((await readdir(folder)).sort()).toEqual(
      [
        'callbacks.json',
        'letter-1-structured.pdf',
        'letter-2-unstructured.pdf',
        'letter-3-bfpo.pdf',
        'letter-4-international.pdf',
        'letter-6-printed-again.pdf',
        'letter-7-refused.pdf',
        'proof-letter-5-page-2.png',
        'proof-letter-5.pdf',
        ...runs.map((run) => `manifest-${run}.json`),
        ...runs.map((run) => `print-stream-${run}-001.pdf`),
        ...runs.map((run) => `reconciliation-${run}.json`),
      ].sort(),
    )
    const callbacks = JSON.parse(await readFile(join(folder, 'callbacks.json'), 'utf8'))
    expect(callbacks).toHaveLength(7)
    const accounts = await Promise.all(
      runs.map(async (run) =>
        JSON.parse(await readFile(join(folder, `reconciliation-${run}.json`), 'utf8')),
      ),
    )
    expect(accounts).toEqual(
      runs.map(() => expect.objectContaining({ state: 'CLOSED', missing: 0 })),
    )
    expect(sumOf(accounts.map(({ expected }) => expected))).toBe(6)
    expect(sumOf(accounts.map(({ reprints }) => reprints))).toBe(1)
  },
  testTimeoutMs,
)

test(
  'what it suggests can be pasted while it serves, and shows neither token nor key',
  async () => {
    const answers: string[] = []
    let operator = { userName: '', password: '' }
    const { code, output } = await run([], (demo) => {
      let told = ''
      let isServing = false
      demo.stdout?.on('data', async (chunk) => {
        told += chunk
        if (isServing || !told.includes('Serving until Ctrl-C')) return
        isServing = true
        for (const [line] of told.matchAll(/curl .*/g)) answers.push(await paste(line))
        const [, userName, path] = told.match(/Operator +(\S+), whose password is in (.*)/)!
        operator = JSON.parse(await readFile(resolve(place, path!), 'utf8')).operator
        expect(operator.userName).toBe(userName)
        demo.kill('SIGINT')
      })
    })
    expect(code, output).toBe(0)
    expect(output).toMatch(/^ After Ctrl-C.*\n\n +npm start .*\n +docs\/first-print-jobs\.md /m)
    expect(output).not.toMatch(/eyJ|Bearer|X-API-Key/)
    expect(operator.password).not.toBe('')
    expect(output).not.toContain(operator.password)
    expect(answers.map((answer) => Object.keys(JSON.parse(answer)))).toEqual([
      expect.arrayContaining(['id', 'status', 'printableAddress']),
      expect.arrayContaining(['registrationNumber', 'make', 'taxStatus']),
      ['results'],
    ])
    expect(JSON.parse(answers.at(-1)!).results).toHaveLength(1)
  },
  testTimeoutMs,
)

test(
  'stops with 130 and leaves nothing behind when it is interrupted before its end',
  async () => {
    const { code, output } = await run(['--exit'], (demo) => {
      let told = ''
      demo.stdout?.on('data', (chunk) => {
        told += chunk
        if (told.includes('ready on')) demo.kill('SIGINT')
      })
    })
    expect(code, output).toBe(130)
    expect(await readdir(place)).toEqual([])
  },
  testTimeoutMs,
)

/**
 * Expects the steps of production, and returns the numbers of the print runs. A slow machine spreads the letters over
 * more print runs than a quick one. The ordinary steps of a print run with one document are left out.
 */
function expectProduction(output: string): string[] {
  const found = [
    ...output.matchAll(/provider {2}found (R\d{6}) released: (\d) documents?, (\d) sheets?, due /g),
  ].map(([, run, documents, sheets]) => ({
    run: run!,
    documents: Number(documents),
    sheets: Number(sheets),
  }))
  expect(sumOf(found.map(({ documents }) => documents))).toBe(6)
  expect(sumOf(found.map(({ sheets }) => sheets))).toBe(7)
  for (const { run, documents } of found) {
    expect(output).toMatch(new RegExp(`^ ${run} +CLOSED +${documents}( +\\d){2} +0 +0 +0$`, 'm'))
    if (documents === 1) continue
    expect(output).toMatch(
      new RegExp(`provider {2}claimed ${run}: digest [0-9a-f]{8}… frozen, lease to `),
    )
    expect(output).toMatch(new RegExp(`provider {2}acknowledged ${run}(, but for 1 document)?\n`))
  }
  expect(output).toContain('provider  refused letter 7: UNPRINTABLE, ')
  expect(output).toMatch(/provider {2}printed \d documents? on \d sheets?\n/)
  expect(output).toContain('provider  spoiled letter 6: SMUDGED, ')
  expect(output).toContain('asked to print letter 6 again: authorised as attempt 2\n')
  expect(output).toMatch(/provider {2}posted and confirmed \d letters?: /)
  expect(output).toContain('spoil (SMUDGED) → reprint (attempt 2) → fetch → print → enclose')
  expect(output).toContain(
    `✓ ${found.length} print runs closed: 6 expected, 5 despatched, 1 refused, 0 missing\n`,
  )
  return found.map(({ run }) => run)
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}

/** Returns what a shell prints when the line is pasted into it. */
async function paste(line: string): Promise<string> {
  const shell = spawn('sh', ['-c', line], { stdio: ['ignore', 'pipe', 'inherit'] })
  return text(shell.stdout)
}

/** Runs the demo with its temporary and output files in the test's directory. */
async function run(given: string[], act: (demo: ChildProcess) => void = () => {}) {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
  const demo = spawn(process.execPath, [main, ...given], {
    cwd: place,
    env: { PATH, HOME, NODE_COMPILE_CACHE, TMPDIR: place },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  act(demo)
  const [[code], output, complaints] = await Promise.all([
    once(demo, 'exit') as Promise<[number | null]>,
    text(demo.stdout),
    text(demo.stderr),
  ])
  return { code, output, complaints }
}

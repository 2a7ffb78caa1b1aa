import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const command = fileURLToPath(new URL('../../cli/bin/despatch.mjs', import.meta.url))
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
    expect(output).toMatch(/refused with 400, every fault named:\n {19}\S.*\n {19}\S.*\n {19}\S/)
    expect(output).toContain('refused with 409 code 11: its id is taken')
    expect(output).toMatch(/consumer {2}letter 5: .*submit/)
    // what happens between two looks is one line
    const happened = [...output.matchAll(/consumer {2}letter 6: (.*) →/g)].map(([, text]) => text)
    expect(happened.join(', ')).toContain('spoil, reprint')
    expect(output).toMatch(
      /letter 5 what was found:\n {19}P401: Page 2 of file letter is 297 × 210/,
    )
    expect(output).toMatch(/provider {2}print run R\d{6} is [A-Z_]+, documents: \d/)
    expect(output).toMatch(/provider {2}read the account of R\d{6}, which is CLOSED: \d expected/)
    expect(output).toContain('callback  letter 1 is DESPATCHED')
    expect(output).toContain('✓ 5 letters despatched')
    expect(output).toContain('✓ letter 5 rejected, as intended: Page 2 ')
    expect(output).toContain('✓ letter 7 rejected, as intended: Refused by the print provider: ')
    expect(output).toContain('✓ 7 callbacks received')
    expect(output).toMatch(/✓ \d print runs closed: 6 expected, 5 despatched, 1 refused, 0 missing/)
    expect(output).toContain('✓ no letter lost, and none of 6 prints made twice')
    expect(output).toContain('✓ a vehicle and a driver found')
    expect(output).not.toContain('\x1b')
    // the server has stopped, so there is no address to show
    expect(output).not.toMatch(/http:|Serving|npx/)

    expect(await readdir(place)).toEqual(['demo-output'])
    const [time] = await readdir(join(place, 'demo-output'))
    const folder = join(place, 'demo-output', time!)
    expect(output).toContain(folder)
    expect((await readdir(folder)).sort()).toEqual([
      ...['1', '2', '3', '4', '6', '7'].map((number) => `letter-${number}.pdf`),
      'proof-letter-5-page-2.png',
    ])
  },
  testTimeoutMs,
)

test(
  'while it serves, its command and credentials work; the screen shows no secret',
  async () => {
    let shown = ''
    let credentials = ''
    const { code, output } = await run([], (demo) => {
      let told = ''
      let isServing = false
      demo.stdout?.on('data', async (chunk) => {
        told += chunk
        if (isServing || !told.includes('Serving until Ctrl-C')) return
        isServing = true
        credentials = await readFile(told.match(/Credentials +(.*)/)![1]!, 'utf8')
        const line = told.match(/DESPATCH_DATA_DIR=\S+ npx despatch .*/)![0]
        shown = await paste(line.replace('npx despatch', `'${process.execPath}' '${command}'`))
        demo.kill('SIGINT')
      })
    })
    expect(code, output).toBe(0)
    expect(shown).toContain('DESPATCHED')
    expect(output).toMatch(/^ After Ctrl-C.*\n\n +npm start .*\n +docs\/first-print-jobs\.md /m)
    const { consumer, operator } = JSON.parse(credentials)
    for (const { password, apiKey } of [consumer, operator]) {
      expect(output).not.toContain(password)
      expect(output).not.toContain(apiKey)
    }
    expect(output).not.toMatch(/eyJ|Bearer/)
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

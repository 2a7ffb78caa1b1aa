import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const testTimeoutMs = 90_000

let place: string
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'demo-test-'))
})
afterEach(() => rm(place, { recursive: true, force: true }))

test(
  'ends with 0 when every letter was despatched or rejected as it should be, and keeps the output only',
  async () => {
    const { code, output, complaints } = await run(['--exit'])
    expect({ code, complaints }, output).toEqual({ code: 0, complaints: '' })
    expect(output).toContain('✓ 4 letters despatched')
    expect(output).toContain('letter 5: QUARANTINE → VALIDATING')
    expect(output).not.toContain('\x1b')

    expect(await readdir(place)).toEqual(['demo-output'])
    const [time] = await readdir(join(place, 'demo-output'))
    const folder = join(place, 'demo-output', time!)
    expect(output).toContain(folder)
    expect((await readdir(folder)).sort()).toEqual([
      'callbacks.json',
      'letter-1-structured.pdf',
      'letter-2-unstructured.pdf',
      'letter-3-bfpo.pdf',
      'letter-4-international.pdf',
      'manifest-R100001.json',
      'manifest-R100002.json',
    ])
    const callbacks = JSON.parse(await readFile(join(folder, 'callbacks.json'), 'utf8'))
    expect(callbacks).toHaveLength(5)
  },
  testTimeoutMs,
)

test(
  'stops with 130 and leaves nothing behind when it is interrupted before its end',
  async () => {
    const { code, output } = await run(['--exit'], (demo) => {
      demo.stdout?.on('data', (chunk) => {
        if (String(chunk).includes('ready on')) demo.kill('SIGINT')
      })
    })
    expect(code, output).toBe(130)
    expect(await readdir(place)).toEqual([])
  },
  testTimeoutMs,
)

/** Runs the demo with its temporary and its output files in a place of the test's. */
async function run(given: string[], act: (demo: ChildProcess) => void = () => {}) {
  const { PATH, HOME } = process.env
  const demo = spawn(process.execPath, [main, ...given], {
    cwd: place,
    env: { PATH, HOME, TMPDIR: place },
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

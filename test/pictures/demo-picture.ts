import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join, resolve as resolvePath } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import sharp from 'sharp'
import { makeDirectory } from '../stack/start-despatch.ts'

const run = promisify(execFile)
const root = resolvePath(import.meta.dirname, '../..')
const resolve = createRequire(import.meta.url).resolve

const columns = 122
const rows = 34
/** What happens within this time is one frame of the moving picture. */
const frameMs = 250
const lastFrameMs = 8_000
const coloursMax = 32

/** What the terminal received, and how many milliseconds after what came before. */
type Part = { waitedMs: number; bytes: Buffer }

declare global {
  /** Writes into the terminal of the page, and returns when it is shown. */
  var write: (text: string) => Promise<void>
}

/** Takes `demo.gif`: a terminal in which `npm run demo` runs, as it was. */
export async function takeDemoPicture(browser: Browser, docs: string): Promise<void> {
  const frames = inFrames(await recordDemo())
  const page = await browser.newPage({ viewport: { width: 1040, height: 640 } })
  await openTerminal(page)
  const terminal = page.locator('#terminal')
  const pictures: Buffer[] = []
  for (const { bytes } of frames) {
    // where this tree lies says nothing to a reader
    const text = bytes.toString('utf8').replaceAll(root, '~/despatch')
    await page.evaluate((shown) => globalThis.write(shown), text)
    pictures.push(await terminal.screenshot())
  }
  await page.close()
  const delay = frames.map((_, index) => Math.round(frames[index + 1]?.waitedMs ?? 0))
  delay[delay.length - 1] = lastFrameMs
  await sharp(pictures, { join: { animated: true } })
    .gif({ delay, loop: 0, colours: coloursMax, effort: 10 })
    .toFile(join(docs, 'demo.gif'))
}

/** Runs the demo in a terminal of its own, by `script` of util-linux. */
async function recordDemo(): Promise<Part[]> {
  await using directory = await makeDirectory()
  const [log, timing] = ['log', 'timing'].map((name) => join(directory.path, name)) as [
    string,
    string,
  ]
  const command = `stty cols ${columns} rows ${rows}; npm run --silent demo -- --exit`
  await run(
    'script',
    ['--quiet', '--return', '--log-out', log, '--log-timing', timing, '--command', command],
    { cwd: root, env: { ...process.env, NO_UPDATE_NOTIFIER: '1', TMPDIR: directory.path } },
  )
  const all = await readFile(log)
  // `script` writes a line before what the terminal received, and one after it
  let place = all.indexOf('\n') + 1
  const lines = (await readFile(timing, 'utf8')).trim().split('\n')
  return lines.map((line) => {
    const [seconds, length] = line.split(' ').slice(-2).map(Number) as [number, number]
    const bytes = all.subarray(place, place + length)
    place += length
    return { waitedMs: seconds * 1000, bytes }
  })
}

/** Joins what came within one frame. */
function inFrames(parts: readonly Part[]): Part[] {
  const frames: Part[] = []
  let sinceFrameMs = 0
  for (const { waitedMs, bytes } of parts) {
    sinceFrameMs += waitedMs
    const frame = frames.at(-1)
    if (frame && sinceFrameMs < frameMs) {
      frame.bytes = Buffer.concat([frame.bytes, bytes])
    } else {
      frames.push({ waitedMs: sinceFrameMs, bytes })
      sinceFrameMs = 0
    }
  }
  return frames
}

async function openTerminal(page: Page): Promise<void> {
  await page.setContent('<body style="margin: 0"><div id="terminal"></div>')
  await page.addStyleTag({ path: resolve('@xterm/xterm/css/xterm.css') })
  await page.addStyleTag({
    content: '#terminal { display: inline-block; padding: 14px; background: #14161f }',
  })
  await page.addScriptTag({ path: resolve('@xterm/xterm') })
  await page.evaluate(
    ({ cols, rows }) => {
      const { Terminal } = globalThis as unknown as typeof import('@xterm/xterm')
      const terminal = new Terminal({
        cols,
        rows,
        scrollback: 0,
        fontSize: 13,
        fontFamily: 'monospace',
        theme: {
          background: '#14161f',
          foreground: '#e3e6ef',
          cursor: '#14161f',
          red: '#ff7b72',
          green: '#7ed491',
          yellow: '#e8c268',
          blue: '#82aaff',
          magenta: '#d2a0f0',
          cyan: '#5ccfe0',
        },
      })
      terminal.open(document.querySelector<HTMLElement>('#terminal')!)
      globalThis.write = (text) => new Promise((shown) => terminal.write(text, shown))
    },
    { cols: columns, rows },
  )
}

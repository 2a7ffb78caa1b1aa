import { fork } from 'node:child_process'
import type { TypesetRequest } from '@despatch/templates/typeset'
import { startTypesetters, TypesettingLimitExceeded } from '@despatch/templates/typesetters'
import { eventually } from '@despatch/testing/eventually'
import { typesettingProcesses } from '@despatch/testing/typesetting-processes'
import { PDFDict, PDFDocument, PDFName } from 'pdf-lib'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { aLetter, aTemplate, withLetter } from './a-letter.ts'

const typesetters = startTypesetters({ processesMax: 2 })
afterAll(() => typesetters.close())
afterEach(() => void vi.useRealTimers())

const starter = await aTemplate('starter')
const requestOf = (change: Partial<TypesetRequest> = {}) => aLetter(starter, change)

async function pdfOf(change: Partial<TypesetRequest> = {}): Promise<Uint8Array> {
  const result = await typesetters.typeset(requestOf(change))
  if ('faults' in result) throw new Error(JSON.stringify(result.faults))
  return result.pdf
}

test('equal letters have equal bytes, also in another process and after other letters', async () => {
  const one = await pdfOf()
  await pdfOf({ files: withLetter(starter, 'Another letter') })
  expect(Buffer.compare(await pdfOf(), one)).toBe(0)
  const other = startTypesetters({ processesMax: 1 })
  try {
    for (const change of [{}, { files: withLetter(starter, 'Another letter') }, {}, {}]) {
      const again = await other.typeset(requestOf(change))
      expect('pdf' in again && Buffer.compare(again.pdf, one) === 0).toBe(!('files' in change))
    }
  } finally {
    other.close()
  }
  expect(Buffer.compare(await pdfOf({ date: '2026-12-02' }), one)).not.toBe(0)
})

test('the PDF is accessible: it has a title, a language and a structure', async () => {
  const pdf = await PDFDocument.load(await pdfOf())
  expect(pdf.getTitle()).toBe('Your council tax is overdue')
  const { catalog } = pdf
  expect(String(catalog.get(PDFName.of('Lang')))).toContain('en')
  expect(catalog.lookup(PDFName.of('StructTreeRoot'))).toBeInstanceOf(PDFDict)
  const kinds = pdf.context
    .enumerateIndirectObjects()
    .map(([, object]) => (object instanceof PDFDict ? String(object.get(PDFName.of('S'))) : ''))
  expect(kinds).toEqual(expect.arrayContaining(['/H1', '/P', '/Table', '/TH', '/TD']))
})

test('a letter in two languages has both, one after another', async () => {
  const files = withLetter(
    starter,
    'Annwyl #fields.name, #show-date(fields.payBy)',
    'letter.cy.typ',
  )
  const result = await typesetters.typeset(requestOf({ files, languages: ['cy', 'en'] }))
  expect(result).toMatchObject({ pages: 2 })
})

test('a value is text, whatever is in it', async () => {
  const name = '#panic("x") *b* $x$ @y <z> \\ "q" //'
  await expect(
    pdfOf({ values: { ...(starter.samples[0]!.values as object), name } }),
  ).resolves.toBeDefined()
})

test.each<[source: string, message: RegExp]>([
  ['#eval("1")', /eval is not available/],
  ['#std.eval("1")', /no method `eval`/],
  ['#datetime.today()', /cannot access fields/],
  ['#letter-date.today()', /unexpected argument/],
  ['#type(1)', /type is not available/],
  ['#plugin(bytes((0,)))', /plugin is not available/],
  ['#read("/etc/passwd")', /file not found/],
  ['#read("../../../etc/passwd")', /access denied/],
  ['#import "@preview/cetz:0.2.2": *', /failed to download package/],
  ['#fields.nothing', /does not contain key/],
  ['#while true {}', /condition is always true/],
  ['#let f(x) = f(x)\n#f(1)', /maximum function call depth/],
  ['#pagebreak()\n'.repeat(11), /has 12 pages, and may have 10/],
  ['= One\n=== Three', /skipped from heading level 1 to 3/],
  ['中', /could not be displayed/],
  ['#image("/template/images/none.png")', /file not found/],
])('%j is refused', async (source, message) => {
  const result = await typesetters.typeset(requestOf({ files: withLetter(starter, source) }))
  expect(result).toEqual({
    faults: expect.arrayContaining([
      expect.objectContaining({ place: 'letter.typ', message: expect.stringMatching(message) }),
    ]),
  })
})

test('a fault is reported at its line', async () => {
  const files = withLetter(starter, 'One line\n\n#fields.nothing')
  expect(await typesetters.typeset(requestOf({ files }))).toMatchObject({ faults: [{ line: 4 }] })
})

test('what a template takes is limited and counted, and the next letter is typeset', async () => {
  const used: [consumerId: string, ms: number][] = []
  const limited = startTypesetters({
    processesMax: 1,
    onUsed: (...use) => void used.push(use),
    taking: { processorMs: 2_000, memoryBytes: 400 * 1024 * 1024 },
  })
  const limitOf = async (source: string) => {
    const error = await limited
      .typeset(requestOf({ files: withLetter(starter, source) }))
      .catch((error) => error)
    return error instanceof TypesettingLimitExceeded ? error.limit : error
  }
  try {
    expect(await limitOf('#for i in range(2000000000) { calc.sin(i) }')).toMatch(/time|memory/)
    expect(await limitOf('#let x = "a" * 1000\n#for i in range(22) { x = x + x }')).toMatch(
      /time|memory/,
    )
    // each was tried twice
    expect(used).toHaveLength(4)
    for (const [, ms] of used) expect(ms).toBeLessThanOrEqual(2_000)
    const consumerId = 'a consumer'
    expect(await limited.typeset(requestOf(), { consumerId })).toMatchObject({ pages: 1 })
    expect(used.at(-1)).toEqual([consumerId, expect.any(Number)])
    expect(used.at(-1)![1]).toBeGreaterThan(0)
  } finally {
    limited.close()
  }
})

const endless = requestOf({
  files: withLetter(starter, '#for i in range(2000000000) { calc.sin(i) }'),
})

test('a letter whose caller has left, or whose process is killed, ends with an error', async () => {
  const own = startTypesetters({ processesMax: 1 })
  const left = own.typeset(endless, { signal: AbortSignal.timeout(100) })
  await expect(left).rejects.toThrow(/abort|timeout/i)
  const killed = own.typeset(endless)
  setImmediate(own.close)
  await expect(killed).rejects.toThrow('A process that typesets letters has ended')
})

test('a process that is stopped while it typesets is killed, and the next letter is typeset', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  await using own = await startedOnce()
  const hung = own.typesetters.typeset(endless)
  hung.catch(() => {})
  await eventually(async () => (await own.processes())[0]?.isRunning, { message: 'it typesets' })
  for (const { pid } of await own.processes()) process.kill(pid, 'SIGSTOP')
  vi.advanceTimersByTime(21_000)
  await expect(hung).rejects.toThrow('A process that typesets letters has ended')
  expect(await own.typesetters.typeset(requestOf())).toMatchObject({ pages: 1 })
})

test('a process that has no more work ends, also after a second letter', async () => {
  await using own = await startedOnce({ idleMs: 200 })
  await own.typesetters.typeset(requestOf())
  await eventually(async () => (await own.processes()).length === 0, { message: 'it has ended' })
})

test('a process whose parent is killed ends, however long its letter takes', async () => {
  const parent = fork(new URL('./typeset-letters.ts', import.meta.url), {
    execArgv: [],
    serialization: 'advanced',
  })
  const slow = '#for i in range(100000) { for j in range(100000) { let x = calc.sin(j) } }'
  parent.send(requestOf({ files: withLetter(starter, slow) }))
  const { pid } = await eventually(
    async () => {
      // it starts in less than two seconds of processor time
      const processes = await typesettingProcesses(parent.pid!)
      return processes.find(({ processorSeconds }) => processorSeconds >= 2)
    },
    { message: 'it typesets' },
  )
  parent.kill('SIGKILL')
  await eventually(() => !isAlive(pid), { message: 'it has ended' })
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Typesetters with one process, which has typeset a letter. */
async function startedOnce(options: { idleMs?: number } = {}) {
  const own = startTypesetters({ processesMax: 1, ...options })
  const others = new Set((await typesettingProcesses(process.pid)).map(({ pid }) => pid))
  await own.typeset(requestOf())
  return {
    typesetters: own,
    processes: async () =>
      (await typesettingProcesses(process.pid)).filter(({ pid }) => !others.has(pid)),
    [Symbol.asyncDispose]: async () => own.close(),
  }
}

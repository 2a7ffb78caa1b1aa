import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '@despatch/testing/eventually'
import { PDFDocument } from 'pdf-lib'
import { afterAll, expect, test } from 'vitest'
import type { CheckedLetter } from '@despatch/templates/check-template'
import { startHere } from './a-command-line.ts'

const place = await mkdtemp(join(tmpdir(), 'despatch-templates-'))
afterAll(() => rm(place, { recursive: true }))

const templates = (...commandLine: string[]) => startHere(['templates', ...commandLine], {}).ended

async function newTemplate(name: string): Promise<string> {
  const folder = join(place, name)
  const made = await templates('init', folder)
  if (made.code !== 0) throw new Error(made.stderr)
  return folder
}

test('the template that init makes is sound, and is not made twice', async () => {
  const folder = await newTemplate('sound')
  const checked = await startHere(['--json', 'templates', 'check', folder], {}).ended
  expect(checked.code).toBe(0)
  const { letters } = JSON.parse(checked.stdout)
  expect(letters).toEqual(
    ['ordinary', 'shortest', 'longest'].map((values) => ({
      values,
      languages: ['en'],
      pages: 1,
      refusals: [],
      notes: [],
    })),
  )
  const again = await templates('init', folder)
  expect([again.code, again.stderr]).toEqual([1, expect.stringMatching(/exists already/)])
})

test.each([
  ['council-reminder', ['en']],
  ['decision', ['en']],
  ['licence-letter', ['en', 'cy', 'cy,en']],
])('init --from %s makes a template that is sound in %j', async (example, languages) => {
  const folder = join(place, example)
  expect((await templates('init', folder, '--from', example)).code).toBe(0)
  const checked = await startHere(['--json', 'templates', 'check', folder], {}).ended
  expect([checked.code, checked.stderr]).toEqual([0, ''])
  const letters: CheckedLetter[] = JSON.parse(checked.stdout).letters
  expect(letters.map((letter) => `${letter.values} ${letter.languages}`)).toEqual(
    ['longest', 'ordinary', 'shortest', 'longest'].flatMap((values) =>
      languages.map((language) => `${values} ${language}`),
    ),
  )
  expect(letters.flatMap(({ refusals, notes }) => [...refusals, ...notes])).toEqual([])
})

test('check shows the line of an error, what preflight refuses, and exits with 1', async () => {
  const folder = await newTemplate('unsound')
  await writeFile(
    join(folder, 'letter.typ'),
    '#import "/despatch.typ": *\n#place(top + left, dx: 10mm, dy: 25mm)[In the window]\n#if "note" in fields { fields.nothing }\n',
  )
  const { code, stdout } = await templates('check', folder)
  expect(code).toBe(1)
  expect(stdout).toMatch(/ordinary +\ten|ordinary\s+en\s+-\s+refused/)
  expect(stdout).toMatch(/ordinary \(en\): .*window/)
  expect(stdout).toMatch(/longest \(en\): letter\.typ:3 dictionary does not contain key "nothing"/)
})

test('check refuses a folder that is no template', async () => {
  const missing = await templates('check', join(place, 'nowhere'))
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringMatching(/there is no folder/)])
  const empty = await mkdtemp(join(place, 'empty-'))
  const { code, stderr } = await templates('check', empty)
  expect(code).toBe(1)
  expect(stderr).toMatch(/letter\.typ is missing\n.*fields\.json is missing/)
})

test('preview writes the printed letter beside the folder, or where it is told', async () => {
  const folder = await newTemplate('shown')
  const shown = await templates('preview', folder)
  expect([shown.code, shown.stdout.trim()]).toEqual([0, `${folder}-preview.pdf`])
  expect((await readFile(`${folder}-preview.pdf`, 'latin1')).slice(0, 5)).toBe('%PDF-')
  const unknown = await templates('preview', folder, '--sample', 'longest')
  expect([unknown.code, unknown.stderr]).toEqual([
    1,
    expect.stringMatching(/there is no sample longest; there are ordinary/),
  ])
})

test('preview --language takes languages in their order, each once, which the template has', async () => {
  const folder = join(place, 'two-languages')
  await templates('init', folder, '--from', 'licence-letter')
  const both = await templates('preview', folder, '--sample', 'ordinary', '--language', 'cy,en')
  expect(both).toMatchObject({ code: 0, stderr: '' })
  const pdf = await PDFDocument.load(await readFile(`${folder}-preview.pdf`))
  expect(pdf.getPageCount()).toBe(2)
  for (const wrong of ['cy,fr', 'cy,cy', '']) {
    const refused = await templates('preview', folder, '--language', wrong)
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringMatching(/of en, cy, each once/),
    ])
  }
  const absent = await templates('preview', await newTemplate('english'), '--language', 'cy')
  expect([absent.code, absent.stderr]).toEqual([1, expect.stringMatching(/no letter in cy/)])
})

test('preview --watch shows the pages in the browser, and again after a change', async () => {
  const folder = await newTemplate('watched')
  const watching = startHere(['templates', 'preview', folder, '--watch'], {})
  try {
    const address = await eventually(() => /http:\S+\//.exec(watching.said.stdout)?.[0], {
      message: 'the preview is shown',
    })
    const page = await (await fetch(address)).text()
    expect(page).toContain('/pages/1.png')
    const picture = await fetch(`${address}pages/1.png`)
    expect(picture.headers.get('content-type')).toBe('image/png')
    expect((await fetch(`${address}pages/2.png`)).status).toBe(404)
    expect((await fetch(address, { headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(403)

    const changes = (await fetch(`${address}changes`)).body!.getReader()
    await changes.read()
    await writeFile(join(folder, 'letter.typ'), '#import "/despatch.typ": *\n<b>#fields.nothing')
    expect(Buffer.from((await changes.read()).value!).toString()).toMatch(/data: changed/)
    const after = await (await fetch(address)).text()
    expect(after).toContain('letter.typ:2')
    expect(after).not.toContain('<img')
  } finally {
    watching.interrupt()
  }
  expect((await watching.ended).code).toBe(0)
})

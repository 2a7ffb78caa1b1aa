import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CheckedLetter } from '@despatch/templates/check-template'
import { eventually } from '@despatch/testing/eventually'
import { shared } from '@despatch/testing/shared'
import { PDFDocument } from 'pdf-lib'
import { afterAll, describe, expect, test } from 'vitest'
import { startHere } from './a-command-line.ts'
import { aRunningDespatch } from './a-running-despatch.ts'

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

describe('templates publish', async () => {
  const { despatch, say, documentOf, colleague } = await shared(aRunningDespatch())

  test('publishes a folder, and shows the pages that differ from the version before', async () => {
    const folder = await newTemplate('published')
    expect(await say('templates publish', folder)).toBe('Published published@1.\n')
    expect(await say('templates publish', folder)).toBe(
      'published@1 has the same content. Nothing was published.\n',
    )

    const letter = join(folder, 'letter.typ')
    const text = await readFile(letter, 'utf8')
    await writeFile(letter, `${text}\n#pagebreak()\nA second page\n`)
    const pictures = `${folder}-1-to-2`
    expect(await documentOf('templates publish', folder)).toMatchObject({
      version: { template: 'published@2', title: 'Your council tax is overdue' },
      comparedWith: 'published@1',
      letters: [
        // "Page 1 of 2" is printed once there are two
        { sample: 'ordinary', language: 'en', pagesBefore: 1, pagesAfter: 2, differing: [1, 2] },
      ],
      pictures: join(pictures, 'index.html'),
    })
    expect((await readdir(pictures)).sort()).toEqual([
      'index.html',
      'ordinary.en.1.after.png',
      'ordinary.en.1.before.png',
      'ordinary.en.2.after.png',
    ])
    const page = await readFile(join(pictures, 'index.html'), 'utf8')
    expect(page.match(/src="[^"]+"/g)).toHaveLength(3)
    expect(page).toContain('published@2, page 2: differs')

    await writeFile(join(folder, 'README.md'), 'Only for people')
    const table = await say('templates publish', folder)
    expect(table).toMatch(/Published published@3\.\n\n.*\nordinary\s+en\s+2\s+2\s+none\n/)

    expect(await documentOf('templates list')).toMatchObject({
      templates: [{ template: 'published@3', contractCount: 0 }],
    })
    expect(await say('templates versions published --limit 2')).toMatch(
      /published@3.*\npublished@2.*chief\s+this release.*\n\nNext page: --cursor 2\n$/,
    )
  })

  test('get writes the files of a version, which publish takes again', async () => {
    const folder = await newTemplate('fetched')
    await say('templates publish', folder, '--name council-tax')
    const copy = join(place, 'copy')
    expect(await say('templates get council-tax@1', copy)).toMatch(
      /^Wrote 4 files of council-tax@1/,
    )
    expect(await readFile(join(copy, 'samples/ordinary.json'))).toEqual(
      await readFile(join(folder, 'samples/ordinary.json')),
    )
    expect(await say('templates publish', copy, '--name council-tax --no-pictures')).toBe(
      'council-tax@1 has the same content. Nothing was published.\n',
    )
    const again = await despatch(['templates get council-tax@1', copy])
    expect([again.code, again.stderr]).toEqual([1, expect.stringMatching(/exists already/)])
  })

  test('publishes nothing if a letter would be refused, or without the role', async () => {
    const folder = await newTemplate('refused')
    const other = await despatch(['templates publish', folder], {
      DESPATCH_USER_NAME: colleague.userName,
      DESPATCH_PASSWORD: colleague.password,
      DESPATCH_API_KEY: colleague.apiKey,
    })
    expect([other.code, other.stderr]).toEqual([1, expect.stringMatching(/role admin/)])

    await writeFile(join(folder, 'letter.typ'), '#import "/despatch.typ": *\n#fields.nothing\n')
    const { code, stdout, stderr } = await despatch(['templates publish', folder])
    expect([code, stderr]).toEqual([1, expect.stringMatching(/nothing was published/)])
    expect(stdout).toContain('letter.typ:2')

    const unnamed = await despatch(['templates publish', folder, '--name Renewal'])
    expect([unnamed.code, unnamed.stderr]).toEqual([2, expect.stringMatching(/give --name/)])
    expect((await despatch('templates versions refused')).stderr).toMatch(/no template refused/)
  })
})

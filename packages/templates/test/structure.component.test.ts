import type { Template } from '@despatch/templates/read-template'
import { type TypesetRequest, typeset } from '@despatch/templates/typeset'
import { expect, test } from 'vitest'
import { aLetter, aTemplate, sampleOf, withLetter } from './a-letter.ts'
import { readQrCodes } from './read-qr-codes.ts'
import { type Element, elementsOf, readStructure } from './read-structure.ts'

const [reminder, licence, decision, starter] = await Promise.all([
  aTemplate('examples/council-reminder'),
  aTemplate('examples/licence-letter'),
  aTemplate('examples/decision'),
  aTemplate('starter'),
])

function pdfOf(template: Template, change: Partial<TypesetRequest> = {}): Uint8Array {
  const letter = typeset(aLetter(template, { languages: ['en'], reference: 'AB-1', ...change }))
  if ('faults' in letter) throw new Error(JSON.stringify(letter.faults))
  return letter.pdf
}

async function bodyOf(pdf: Uint8Array): Promise<readonly Element[]> {
  const { elements } = await readStructure(pdf)
  expect(elements.map(({ kind }) => kind)).toEqual(['Document'])
  return elements[0]!.below
}

/** Each element and its text, with plain spaces. */
const shown = (elements: readonly Element[]) =>
  elements.map(({ kind, text }) => `${kind} ${text.replaceAll('\u00a0', ' ')}`)

test('a letter is read from the address to the signature, each paragraph as one', async () => {
  const files = withLetter(
    starter,
    '#sender[*Anytown Council* \\ 1 High Street]\n= A subject\nDear #fields.name,\n\n- One\n- Two\n\n== More\nYours sincerely',
  )
  expect(shown(await bodyOf(pdfOf(starter, { files })))).toEqual([
    'P Ms Ada ExampleAB1 2CD',
    'P 1 December 2026Reference: AB-1',
    'P Anytown Council1 High Street',
    'H1 A subject',
    'P Dear Ms Ada Example,',
    'L • One• Two',
    'H2 More',
    'P Yours sincerely',
  ])
})

test('in two languages, each part is in its own, and the address is there once', async () => {
  const pdf = pdfOf(licence, { languages: ['cy', 'en'] })
  const { title, lang, elements } = await readStructure(pdf)
  expect([title, lang]).toEqual([
    'Mae eich cerdyn-llun trwydded yrru yn dod i ben yn fuan',
    'cy-GB',
  ])
  const body = elements[0]!.below
  const english = body.findIndex((element) => element.lang === 'en-GB')
  const starts = (part: readonly Element[]) => shown(part).slice(0, 4)
  expect(starts(body)).toEqual([
    'P Ms Ada ExampleAB1 2CD',
    'P 1 Rhagfyr 2026Cyfeirnod: AB-1',
    expect.stringMatching(/^P Swyddfa Drwyddedu Trefunman/),
    `H1 ${title}`,
  ])
  expect(starts(body.slice(english))).toEqual([
    'P 1 December 2026Reference: AB-1',
    expect.stringMatching(/^P Anytown Licensing Office/),
    'H1 Your driving licence photocard expires soon',
    'P Dear Ms Ada Example,',
  ])
  const languagesOf = (part: readonly Element[]) => [...new Set(part.map((each) => each.lang))]
  expect(languagesOf(body.slice(0, english))).toEqual([undefined])
  expect(languagesOf(body.slice(english))).toEqual(['en-GB'])
  expect(
    shown(body).filter((each) => each.includes('AB1 2CD') && each.includes('Ada')),
  ).toHaveLength(1)
})

test('pages are counted over all languages, each in its own', async () => {
  const pages = async (languages: TypesetRequest['languages']) => {
    const { artifacts } = await readStructure(pdfOf(licence, { languages }))
    return artifacts.map((text) => text.trim()).filter((text) => text !== '')
  }
  expect(await pages(['cy', 'en'])).toEqual(['Tudalen 1 o 2', 'Page 2 of 2'])
  expect(await pages(['en', 'cy'])).toEqual(['Page 1 of 2', 'Tudalen 2 o 2'])
  expect(await pages(['en'])).toEqual([])
})

test.each<[source: string, title: string]>([
  ['= A *subject*', 'Your council tax is overdue'],
  ['#v(1em)\n\n= Two words\n= Another', 'Two words'],
  ['= Reminder of #show-date(fields.payBy)', 'Your council tax is overdue'],
  ['No subject', 'Your council tax is overdue'],
  ['#set text(size: 10pt)\n= Below a style', 'Below a style'],
])('the title of %j is %s', async (source, title) => {
  const files = withLetter(starter, source)
  expect((await readStructure(pdfOf(starter, { files }))).title).toBe(title)
})

test('a QR code says what it is for, and is read from the page', async () => {
  const pdf = pdfOf(reminder)
  const figures = elementsOf(await bodyOf(pdf), /^Figure$/)
  expect(figures.map(({ alt }) => alt)).toEqual([
    'A QR code that leads to pay.anytown.example with your account',
  ])
  const { paymentLink } = sampleOf(reminder, 'ordinary') as { paymentLink: string }
  expect((await readQrCodes(pdf)).map(({ text }) => text)).toEqual([paymentLink])
})

test('a table on several pages has its head once, and a row for each entry', async () => {
  const values = sampleOf(decision, 'longest') as { weeks: unknown[] }
  const body = await bodyOf(pdfOf(decision, { values }))
  const [table, ...others] = elementsOf(body, /^Table$/)
  expect(others).toEqual([])
  expect(elementsOf([table!], /^TH$/).map(({ text }) => text.trim())).toEqual([
    'Week from',
    'Rent',
    'Income',
    'Benefit',
  ])
  expect(elementsOf([table!], /^TR$/)).toHaveLength(values.weeks.length + 1)
})

test('sections and paragraphs are numbered, and follow one another', async () => {
  const body = await bodyOf(pdfOf(decision))
  expect(shown(elementsOf(body, /^H\d$/))).toEqual([
    'H1 Our decision on your claim for Housing Benefit',
    'H2 1 The decision',
    'H2 2 The facts',
    'H2 3 Our reasons',
    'H2 4 If you disagree',
    'H2 5 If your circumstances change',
    'H2 Annex: the calculation',
  ])
  const labels = body
    .filter(({ kind }) => kind === 'L')
    .flatMap(({ below }) => below.map((item) => item.below[0]!.text.trim()))
  const expected = '1.1 1.2 2.1 2.2 2.3 3.1 3.2 3.3 4.1 4.2 4.3 4.4 5.1 5.2'
  expect(labels.join(' ')).toBe(expected)
})

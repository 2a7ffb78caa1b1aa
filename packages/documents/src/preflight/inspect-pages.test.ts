import { type Judgement, type RuleSet, ruleSets } from '@despatch/domain/preflight/rule-set'
import { PDFDocument } from 'pdf-lib'
import { expect, test } from 'vitest'
import {
  acceptedFixtures,
  aPdfThatDraws,
  draw,
  type PreflightFixture,
  refusedFixtures,
} from '../../test/preflight-fixtures.ts'
import { inspectPages } from './inspect-pages.ts'

test.for(refusedFixtures.map((fixture) => [fixture.name, fixture] as const))(
  'finds %s',
  async ([, fixture]) => {
    expect(await foundIn(fixture)).toEqual(fixture.found)
  },
)

test.for(acceptedFixtures.map((fixture) => [fixture.name, fixture] as const))(
  'accepts %s',
  async ([, fixture]) => {
    expect(await foundIn(fixture)).toEqual(fixture.found)
  },
)

test('reports the rule, the place in millimetres and the permitted area', async () => {
  const pdf = await aPdfThatDraws({ draws: [draw.box(2, 100, 40, 10)] })

  const findings = await inspectPages(pdf, {
    ruleSet: ruleSets['window-letter-2026-11'],
    part: 'file-page',
    marks: true,
    fileId: 'terms',
  })

  expect(findings).toEqual([
    {
      rule: 'print-area',
      severity: 'refusal',
      fileId: 'terms',
      page: 1,
      rectangle: { x: 2, y: 99.8, width: 11.9, height: 10.2 },
      measured: { unit: 'mm', value: 12.8 },
      allowed: { unit: 'mm', max: 1 },
      detail:
        'Page 1 of file terms has print up to 12.8 mm outside the printable area, at 2 mm from the left and 99.8 mm from the top (11.9 × 10.2 mm); it must stay 15 mm from the left and right edges and 5 mm from top and bottom.',
    },
  ])
})

test('counts findings beyond the list', async () => {
  const marked = { draws: [draw.box(0, 100, 40, 10)] }
  const pdf = await aPdfThatDraws(marked, marked, marked, marked)

  const findings = await inspectPages(pdf, { ...standardFilePages, findingsMax: 2 })

  expect(findings.map(({ page, measured, detail }) => ({ page, measured, detail }))).toEqual([
    expect.objectContaining({ page: 1 }),
    expect.objectContaining({ page: 2 }),
    {
      page: 3,
      measured: { unit: 'pages', value: 2 },
      detail: 'Page 3 and 1 more break a rule: A page has nothing outside the printable area.',
    },
  ])
})

test('lets files print in the place of our marks on letters without marks', async () => {
  const pdf = await aPdfThatDraws({ draws: [draw.box(8, 280, 20, 5)] })

  expect(await inspectPages(pdf, { ...standardFilePages, marks: false })).toEqual([])
})

test('inspects fields and notes as they print', async () => {
  const document = await PDFDocument.create({ updateMetadata: false })
  const page = document.addPage([595.28, 841.89])
  const field = document.getForm().createTextField('name')
  field.setText('A. N. Example')
  field.addToPage(page, { x: 0, y: 400, width: 120, height: 30, borderWidth: 1 })

  const findings = await inspectPages(await document.save(), standardFilePages)

  expect(findings.map(({ rule }) => rule)).toEqual(['print-area', 'font-not-embedded'])
})

test('judges by the rule set: reports, refuses or ignores', async () => {
  const pdf = await aPdfThatDraws({ draws: [draw.box(0, 100, 40, 10)] })
  const judge = async (judgement: Judgement) => {
    const ruleSet = { ...ruleSets['standard-2026-11'], judgements: { 'print-area': judgement } }
    const findings = await inspectPages(pdf, { ...standardFilePages, ruleSet })
    return findings.map(({ severity }) => severity)
  }

  expect(await judge('refuse')).toEqual(['refusal'])
  expect(await judge('note')).toEqual(['note'])
  expect(await judge('off')).toEqual([])
})

test.for([
  ['nothing', () => new Uint8Array(), 'pdf-damaged', 'The PDF is damaged and cannot be shown.'],
  ['a text', () => Buffer.from('hello'), 'pdf-damaged', 'The PDF is damaged and cannot be shown.'],
  ['an encrypted PDF', anEncryptedPdf, 'pdf-encrypted', 'The PDF is encrypted.'],
] as const)('refuses %s', async ([, make, rule, detail]) => {
  const findings = await inspectPages(await make(), standardFilePages)

  expect(findings).toEqual([{ rule, severity: 'refusal', detail }])
})

const standardFilePages = {
  ruleSet: ruleSets['standard-2026-11'] as RuleSet,
  part: 'file-page',
  marks: true,
} as const

async function anEncryptedPdf() {
  const document = await PDFDocument.create({ updateMetadata: false })
  document.addPage()
  document.encrypt({ userPassword: '', ownerPassword: 'owner' })
  return document.save()
}

async function foundIn({ pdf, part, ruleSet }: PreflightFixture) {
  const findings = await inspectPages(await pdf(), {
    ruleSet: ruleSets[ruleSet],
    part,
    marks: true,
  })
  return findings.map(({ severity, detail, allowed, ...found }) => found)
}

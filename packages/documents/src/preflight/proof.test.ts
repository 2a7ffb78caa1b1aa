import { ruleSets } from '@despatch/domain/preflight/rule-set'
import { readText } from '@despatch/testing/read-text'
import { PDFDocument, PDFName } from 'pdf-lib'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { aPdfThatDraws, draw } from '../../test/preflight-fixtures.ts'
import { inspectPages } from './inspect-pages.ts'
import { proofPage } from './proof-page.ts'
import { proofPdf } from './proof-pdf.ts'
import type { ProofSource } from './proof-source.ts'

const ruleSet = ruleSets['standard-2026-11']

test('draws a frame around each finding, in its place', async () => {
  const { source, findings } = await aRefusedFile()
  const clean = await proofPage({ source, page: 1, findings: [], ruleSet })

  const png = await proofPage({ source, page: 1, findings, ruleSet })

  const found = await differenceOf(png!, clean!)
  expect(await sharp(png).metadata()).toMatchObject({ format: 'png', width: 961 })
  // The frame around 0 to 4.6 mm, 119.9 to 130 mm, within a border of 6 mm, at 110 dots per inch.
  expect(found.isRedAt({ x: 5.2, y: 131 })).toBe(true)
  expect(found.isRedAt({ x: 11.4, y: 131 })).toBe(true)
  expect(found.isRedAt({ x: 30, y: 131 })).toBe(false)
})

test('has no picture of a page that does not exist', async () => {
  const { source, findings } = await aRefusedFile()

  expect(await proofPage({ source, page: 3, findings, ruleSet })).toBeUndefined()
  expect(
    await proofPage({ source: { ...source, pdf: undefined }, page: 1, findings, ruleSet }),
  ).toBeUndefined()
})

test('equal arguments give equal bytes', async () => {
  const { source, findings } = await aRefusedFile()
  const draw = async () => ({
    png: await proofPage({ source, page: 1, findings, ruleSet }),
    pdf: await proofPdf({ sources: [source], findings, ruleSet }),
  })

  expect(await draw()).toEqual(await draw())
})

test('lists the findings, then shows every page in its size, and says which pages it cannot show', async () => {
  const { source, findings } = await aRefusedFile()
  const missing: ProofSource = { fileId: 'missing', part: 'file-page', marks: true }

  const pdf = await proofPdf({ sources: [source, missing], findings, ruleSet })

  const text = await readText(pdf)
  const pages = (await PDFDocument.load(pdf)).getPages().map((page) => {
    const { width, height } = page.getSize()
    return [Math.round((width * 25.4) / 72), Math.round((height * 25.4) / 72)]
  })
  expect(pages).toEqual([
    [210, 297],
    [210, 297],
    [297, 210],
    [210, 297],
  ])
  expect(text[0]).toContain('Refused: 2 findings by the rules of standard-2026-11.')
  expect(text[0]).toContain('Page 1 of file terms has print up to 4.9 mm outside')
  expect(text[0]).toContain('Page 2 of file terms is 297 × 210 mm as it is read')
  expect(text[1]).toContain('P403')
  expect(text[3]).toContain('File missing has no page that can be shown.')
})

test('copies only the visible content of the pages', async () => {
  const pdf = await aPdfThatDraws({
    draws: [draw.text(20, 30, 'seen')],
    change: ({ doc, node }) => {
      doc.addJavaScript('start', 'app.alert(1)')
      const action = doc.context.obj({ S: 'Launch', F: 'program' })
      node.set(PDFName.of('AA'), doc.context.obj({ O: action }))
    },
  })
  const source: ProofSource = { fileId: 'terms', pdf, part: 'file-page', marks: true }

  const proof = await proofPdf({ sources: [source], findings: [], ruleSet })

  const written = Buffer.from(proof).toString('latin1')
  expect(Buffer.from(pdf).toString('latin1')).toMatch(/\/Launch/)
  expect(written).not.toMatch(/\/(?:JavaScript|JS|Launch|AA|OpenAction|Names|Annots)\b/)
})

test('shows no more pages than the limit', async () => {
  const page = { draws: [] }
  const pdf = await aPdfThatDraws(page, page, page)
  const source: ProofSource = { fileId: 'terms', pdf, part: 'file-page', marks: true }

  const text = await readText(
    await proofPdf({ sources: [source], findings: [], ruleSet, pagesMax: 1 }),
  )

  expect(text.length).toBe(3)
  expect(text[2]).toContain('File terms has 2 more pages.')
})

async function aRefusedFile() {
  const pdf = await aPdfThatDraws(
    { draws: [draw.box(0, 120, 60, 10)] },
    { size: [297, 210], draws: [] },
  )
  const source: ProofSource = { fileId: 'terms', pdf, part: 'file-page', marks: true }
  return { source, findings: await inspectPages(pdf, { ...source, ruleSet }) }
}

async function differenceOf(png: Uint8Array, other: Uint8Array) {
  const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const before = await sharp(other).removeAlpha().raw().toBuffer()
  return {
    isRedAt({ x, y }: { x: number; y: number }) {
      const [column, row] = [Math.round((x * 110) / 25.4), Math.round((y * 110) / 25.4)]
      const at = (row * info.width + column) * 3
      const isRed = data[at]! > 120 && data[at + 1]! < 80
      return isRed && !before.subarray(at, at + 3).equals(data.subarray(at, at + 3))
    },
  }
}

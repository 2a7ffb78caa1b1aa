import { describe, expect, test } from 'vitest'
import { otherRenderers, proofRenderer } from './other-renderers.ts'
import { aPdfThatDraws, draw } from './preflight-fixtures.ts'

describe.each([proofRenderer, ...otherRenderers()])('$name', (renderer) => {
  test('renders each page in grey, in order', async () => {
    const blackBox = { draws: [draw.box(0, 0, 105, 148.5)] }
    const lowerBox = { draws: [draw.box(105, 148.5, 105, 148.5)] }
    const many = Array.from({ length: 10 }, () => blackBox)

    const pages = await renderer.render(await aPdfThatDraws(...many, lowerBox), 36, 'two boxes')

    expect(pages.map(({ width, height }) => [width, height])).toEqual(pages.map(() => [298, 421]))
    const corners = pages.map(({ grey, width }) => [
      grey[10 * width + 10],
      grey.at(-10 * width - 10),
    ])
    expect(corners).toEqual([...many.map(() => [0, 255]), [255, 0]])
  })

  test('names a file that cannot be rendered', async () => {
    const rendered = renderer.render(Buffer.from('%PDF-1.7\nnothing'), 36, 'an empty letter')

    await expect(rendered).rejects.toThrow('an empty letter')
  })
})

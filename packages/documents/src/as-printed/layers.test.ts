import { PDFName } from 'pdf-lib'
import { expect, test } from 'vitest'
import { writePdf } from '../../test/write-pdf.ts'
import { loadPdf } from '../pdf-safety/inspect-pdf.ts'
import { listPrintLayers } from './layers.ts'

const inPrint = '/AS[<</Event/Print/Category[/Print]/OCGs[10 0 R 11 0 R]>>]'
const on = '/Usage<</Print<</PrintState/ON>>>>'
const off = '/Usage<</Print<</PrintState/OFF>>>>'

/** Returns which of the layers A and B do not print. */
async function listOff(settings: string, usage: { a?: string; b?: string } = {}) {
  const document = await loadPdf(
    writePdf({
      catalog: `/OCProperties<</OCGs[10 0 R 11 0 R]/D<<${settings}>>>>`,
      objects: {
        10: `<</Type/OCG/Name/A${usage.a ?? ''}>>`,
        11: `<</Type/OCG/Name/B${usage.b ?? ''}>>`,
      },
    }),
  )
  const { context } = document
  return listPrintLayers(document).off.map((layer) =>
    String((context.lookup(layer) as unknown as Map<PDFName, unknown>).get(PDFName.of('Name'))),
  )
}

test.each([
  ['is switched off', '/OFF[10 0 R]', {}, ['/A']],
  ['is not switched on, where that is needed', '/BaseState/OFF/ON[10 0 R]', {}, ['/B']],
  ['says that it does not print', inPrint, { b: off }, ['/B']],
] as const)('a layer that %s is off', async (_, settings, usage, expected) => {
  expect(await listOff(settings, usage)).toEqual(expected)
})

test('a layer that is switched off is on if its usage says that it prints', async () => {
  expect(await listOff(`/OFF[10 0 R 11 0 R]${inPrint}`, { a: on })).toEqual(['/B'])
})

test('the usage of a layer counts only if the document names it for printing', async () => {
  expect(await listOff('/OFF[10 0 R]', { a: on, b: off })).toEqual(['/A'])
  expect(await listOff(inPrint.replace('/Event/Print', '/Event/View'), { b: off })).toEqual([])
})

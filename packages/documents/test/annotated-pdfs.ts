import { type PdfSource, writePdf } from './write-pdf.ts'

/** An annotation over a rectangle of the page, in points from its bottom left. Object 10 draws it black. */
const stamp = (rectangle: string, more = '') =>
  `<</Type/Annot/Subtype/Stamp/F 4/Rect[${rectangle}]/AP<</N 10 0 R>>${more}>>`
const black = (box: string, more = '') => ({
  dictionary: `/Type/XObject/Subtype/Form/BBox[${box}]${more}`,
  data: '-500 -500 1000 1000 re f',
})
const square = '/Subtype/Widget/Rect[100 400 200 450]'
const helvetica = '<</Font<</F1 5 0 R>>>>'

/** Returns a page with annotations. Its own text is `Dear Sir or Madam`. */
export function annotated(annotations: string, source: PdfSource = {}): Uint8Array {
  const { page = '', objects = {}, ...others } = source
  return writePdf({
    ...others,
    page: `${page}/Annots[${annotations}]`,
    objects: { 10: black('0 0 100 50'), ...objects },
  })
}

/** Returns a page with one form field without an appearance. */
export function unfilled(field: string, settings = ''): Uint8Array {
  return annotated(`<</Type/Annot${square}/F 4/T(a)${field}>>`, {
    catalog: `/AcroForm<</Fields[]/DA(/F1 12 Tf 0 g)/DR${helvetica}${settings}>>`,
  })
}

/** Where the annotations below are black: left, bottom, right and top in points. */
export const stampPlace = [100, 400, 200, 450] as const
const place = stampPlace.join(' ')

/** Pages whose annotations are drawn as black rectangles at `stampPlace`, and nowhere else. */
export const stampedPdfs: Readonly<Record<string, () => Uint8Array>> = {
  'a stamp': () => annotated(stamp(place)),
  'an appearance that is larger than its place': () =>
    annotated(stamp(place), { objects: { 10: black('-30 10 170 210') } }),
  'an appearance that is turned and moved': () =>
    annotated(stamp(place), { objects: { 10: black('5 5 15 105', '/Matrix[0 2 -2 0 7 7]') } }),
  'a rectangle with its corners in another order': () => annotated(stamp('200 450 100 400')),
  'a stamp over a page that leaves a clip and a matrix behind': () =>
    annotated(stamp(place), {
      content: {
        data: 'BT /F1 12 Tf 72 700 Td (Dear Sir or Madam) Tj ET q 0 0 1 1 re W n 3 0 0 3 9 9 cm BT',
      },
    }),
  'a stamp over a page of several streams': () =>
    annotated(stamp(place), {
      objects: {
        3: `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595.28 841.89]/Resources${helvetica}/Contents[4 0 R 11 0 R]/Annots[${stamp(place)}]>>`,
        11: { data: 'q 9 9 m' },
      },
    }),
  'one stamp twice': () => annotated(stamp('100 400 150 450') + stamp('150 400 200 450')),
  'a stamp within a layer that is on': () =>
    annotated(stamp(place, '/OC 11 0 R'), {
      catalog: '/OCProperties<</OCGs[11 0 R]/D<</ON[11 0 R]>>>>',
      objects: { 11: '<</Type/OCG/Name(On)>>' },
    }),
  'the state of a box that is ticked': () =>
    annotated('12 0 R', {
      catalog: '/AcroForm<</Fields[12 0 R]>>',
      objects: {
        11: { ...black('0 0 9 9'), data: '' },
        12: `<</Type/Annot${square}/F 4/T(a)/FT/Btn/V/Yes/AS/Yes/AP<</N<</Yes 10 0 R/Off 11 0 R>>>>>>`,
      },
    }),
  'a field that inherits all but its place': () =>
    annotated(`<</Type/Annot${square}/F 4/Parent 12 0 R/AP<</N 10 0 R>>>>`, {
      objects: { 12: '<</FT/Tx/V(a)/T(a)/DA(/F1 9 Tf)>>' },
    }),
}

/** Pages with annotations that do not print. */
export const unstampedPdfs: Readonly<Record<string, () => Uint8Array>> = {
  'an annotation that is hidden': () => annotated(stamp(place).replace('/F 4', '/F 6')),
  'a stamp within a layer that is off': () =>
    annotated(stamp(place, '/OC 11 0 R'), {
      catalog: '/OCProperties<</OCGs[11 0 R]/D<</OFF[11 0 R]>>>>',
      objects: { 11: '<</Type/OCG/Name(Off)>>' },
    }),
  'an appearance without a box': () =>
    annotated(stamp(place), { objects: { 10: black('0 0 0 0') } }),
  'the state of a box that is not ticked': () =>
    annotated(`<</Type/Annot${square}/F 4/FT/Btn/V/Off/AS/Off/AP<</N<</Yes 10 0 R>>>>>>`),
}

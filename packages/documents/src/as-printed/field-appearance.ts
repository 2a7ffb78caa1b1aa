import {
  concatTransformationMatrix,
  defaultCheckBoxAppearanceProvider,
  defaultRadioGroupAppearanceProvider,
  defaultTextFieldAppearanceProvider,
  PDFAcroCheckBox,
  PDFAcroRadioButton,
  PDFAcroText,
  PDFCheckBox,
  PDFDict,
  type PDFDocument,
  type PDFFont,
  PDFHexString,
  PDFName,
  type PDFOperator,
  PDFRadioGroup,
  PDFRawStream,
  type PDFRef,
  PDFString,
  PDFTextField,
  PDFWidgetAnnotation,
} from 'pdf-lib'
import { notoSans } from '../noto-sans.ts'
import { decodeContent } from '../pdf-safety/decode-content.ts'
import { appearanceRef, rectangleOf } from './appearance.ts'
import { fieldEntry } from './field-entry.ts'
import { embedTypeface, raisedBy } from './field-typeface.ts'
import { createFieldReader, type FieldValue, fieldFlags } from './field-value.ts'
import { shownText, withoutSpace } from './shown-text.ts'
import { sizeOfComb, sizeOfLine } from './text-size.ts'
import { wrapText } from './wrap-text.ts'

/** What draws a field: the appearance in the file, one that was made, or nothing. */
type FieldAppearance =
  | { kind: 'given' | 'made'; ref: PDFRef }
  | { kind: 'nothing' | 'cannot-be-made' }

/** Draws the fields of one document. */
export type FieldDrawer = { draw(widget: PDFDict): Promise<FieldAppearance> }

/** Flags of a text that its layout uses: several lines, a comb of cells. */
const layoutFlags = { lines: 1 << 12, comb: 1 << 24 } as const
/** A longer text is not laid out. It fills more than a page. Nor is a comb of more cells. */
const charactersMax = 5_000
/** Of the fields of one document together, so that its fields are drawn within seconds. */
const charactersOfDocumentMax = 100_000
/** A field counts as at least so many. */
const charactersMin = 20
/** A longer default appearance says more than a typeface, a size and a colour. */
const appearanceCharactersMax = 1_000
const controls = /[\t\n\r]/g

/**
 * Returns what draws the fields of a document. A field with a value and no appearance gets one. If the document says
 * that appearances are to be made (`NeedAppearances`), so does a field whose appearance does not spell its value. The
 * typeface is ours: the document may name one that nobody has.
 */
export function createFieldDrawer(document: PDFDocument): FieldDrawer {
  const form = document.catalog.lookup(PDFName.of('AcroForm'))
  const settings = form instanceof PDFDict ? form : undefined
  const areToBeMade = settings?.lookup(PDFName.of('NeedAppearances'))?.toString() === 'true'
  const valueOfField = createFieldReader(charactersMax)
  const textShownBy = createTextReader()
  let font: Promise<PDFFont> | undefined
  let charactersLeft = charactersOfDocumentMax

  return {
    async draw(widget) {
      const ref = appearanceRef(widget)
      const value = valueOfField(widget)
      if (!isToBeMade(widget, { ref, value, areToBeMade, textShownBy })) {
        return ref ? { kind: 'given', ref } : { kind: 'nothing' }
      }
      const length = value.kind === 'text' ? (value.text?.length ?? 0) : 0
      charactersLeft -= Math.max(charactersMin, length)
      const isBarcode = value.kind === 'text' && value.isBarcode
      if (charactersLeft < 0 || length > charactersMax || isBarcode) {
        return { kind: 'cannot-be-made' }
      }
      font ??= embedTypeface(document)
      const used = await font
      try {
        return {
          kind: 'made',
          ref: makeAppearance(document, { widget, value, settings, font: used }),
        }
      } catch {
        return { kind: 'cannot-be-made' }
      }
    },
  }
}

/** Returns what an appearance shows. Several fields may have the same one, which is read once. */
function createTextReader(): (appearance: PDFRawStream) => string {
  const known = new WeakMap<PDFRawStream, string>()
  return (appearance) => {
    const text = known.get(appearance) ?? shownText(decodeContent(appearance), charactersMax + 1)
    known.set(appearance, text)
    return text
  }
}

function isToBeMade(
  widget: PDFDict,
  {
    ref,
    value,
    areToBeMade,
    textShownBy,
  }: {
    ref: PDFRef | undefined
    value: FieldValue
    areToBeMade: boolean
    textShownBy: (appearance: PDFRawStream) => string
  },
): boolean {
  if (value.kind === 'given') return false
  if (value.kind === 'tick') return !hasAppearance(widget) && (value.isTicked || areToBeMade)
  if (!ref) return Boolean(value.text) || (areToBeMade && widget.has(PDFName.of('MK')))
  if (!areToBeMade || value.text === undefined || value.isBarcode) return false
  const given = widget.context.lookup(ref)
  return given instanceof PDFRawStream && !spells(textShownBy(given), value)
}

/** A list shows other options too. */
function spells(
  shown: string,
  { text = '', isList }: { text?: string | undefined; isList: boolean },
) {
  if (!isList) return shown === withoutSpace(text)
  return text.split('\n').every((option) => shown.includes(withoutSpace(option)))
}

/** A box that is not ticked may have an appearance for being ticked alone. */
function hasAppearance(widget: PDFDict): boolean {
  const appearances = widget.lookup(PDFName.of('AP'))
  return appearances instanceof PDFDict && appearances.lookup(PDFName.of('N')) !== undefined
}

/**
 * Throws if the value has characters that the typeface lacks, or does not fit its comb, or if the layout of the field is
 * not of this world.
 */
function makeAppearance(
  document: PDFDocument,
  {
    widget,
    value,
    settings,
    font,
  }: { widget: PDFDict; value: FieldValue; settings: PDFDict | undefined; font: PDFFont },
): PDFRef {
  const { context } = document
  const box = rectangleOf(widget)
  if (!box) throw new Error('a field has no rectangle')
  const field = plainField(widget, { settings, value })
  const [width, height] = [box.right - box.left, box.top - box.bottom]
  field.set(PDFName.of('Rect'), context.obj([0, 0, width, height]))
  const operators = operatorsOf(document, { field, value, font })
  return context.register(
    context.formXObject([...operators], {
      BBox: context.obj([0, 0, width, height]),
      Resources: { Font: { [font.name]: font.ref } },
    }),
  )
}

/** Returns a field of one widget with everything that its layout uses, whatever it inherits it from. */
function plainField(
  widget: PDFDict,
  { settings, value }: { settings: PDFDict | undefined; value: FieldValue },
): PDFDict {
  const { context } = widget
  const field = context.obj({ Type: 'Annot', Subtype: 'Widget' })
  const box = widget.lookup(PDFName.of('MK'))
  const hasBorder = box instanceof PDFDict && box.has(PDFName.of('BC'))
  const entries = {
    MK: widget.get(PDFName.of('MK')),
    BS: widget.get(PDFName.of('BS')) ?? (hasBorder ? context.obj({ W: 1 }) : undefined),
    DA: fieldEntry(widget, 'DA') ?? settings?.lookup(PDFName.of('DA')),
    Q: fieldEntry(widget, 'Q') ?? settings?.lookup(PDFName.of('Q')),
    MaxLen: fieldEntry(widget, 'MaxLen'),
  }
  for (const [key, entry] of Object.entries(entries)) {
    if (entry) field.set(PDFName.of(key), entry)
  }
  if (value.kind === 'text') {
    const kept = fieldFlags(widget) & (layoutFlags.lines | layoutFlags.comb)
    const given = fieldEntry(widget, 'FT')?.toString() === '/Tx' ? kept : 0
    field.set(PDFName.of('Ff'), context.obj(value.isList ? layoutFlags.lines : given))
    field.set(PDFName.of('V'), PDFHexString.fromText(value.text ?? ''))
  }
  return field
}

function operatorsOf(
  document: PDFDocument,
  { field, value, font }: { field: PDFDict; value: FieldValue; font: PDFFont },
): readonly PDFOperator[] {
  const { context } = document
  const ref = context.register(field)
  const widget = PDFWidgetAnnotation.fromDict(field)
  try {
    if (value.kind === 'tick') {
      const drawn = value.isRound
        ? defaultRadioGroupAppearanceProvider(
            PDFRadioGroup.of(PDFAcroRadioButton.fromDict(field, ref), ref, document),
            widget,
          )
        : defaultCheckBoxAppearanceProvider(
            PDFCheckBox.of(PDFAcroCheckBox.fromDict(field, ref), ref, document),
            widget,
          )
      const { on, off } = 'normal' in drawn ? drawn.normal : drawn
      return value.isTicked ? on : off
    }
    checkCharacters(value.kind === 'text' ? (value.text ?? '') : '')
    const text = PDFTextField.of(PDFAcroText.fromDict(field, ref), ref, document)
    const points = layOut(field, { widget, font, text })
    const drawn = defaultTextFieldAppearanceProvider(text, widget, font)
    const operators = 'normal' in drawn ? drawn.normal : drawn
    return raise(operators, points)
  } finally {
    context.delete(ref)
  }
}

/** Moves the text up, within its clip. */
function raise(operators: readonly PDFOperator[], points: number): PDFOperator[] {
  return operators.flatMap((operator) =>
    operator.toString() === 'BT'
      ? [concatTransformationMatrix(1, 0, 0, 1, 0, points), operator]
      : [operator],
  )
}

/**
 * Breaks lines and chooses the size of a text. The library does so too, but measures the text again for each character
 * and each size, and lets a text that has a size leave its box. Returns how many points higher than the library's the
 * text is to be.
 */
function layOut(
  field: PDFDict,
  { widget, font, text }: { widget: PDFWidgetAnnotation; font: PDFFont; text: PDFTextField },
): number {
  const given = widget.getDefaultAppearance() ?? ''
  const cells = text.isCombed() ? (text.getMaxLength() ?? 0) : 0
  if (given.length > appearanceCharactersMax || cells > charactersMax) {
    throw new Error('the layout of a field is not of this world')
  }
  const size = Number(/([\d.]+)\s+Tf(?![\s\S]*\sTf)/.exec(given)?.[1] ?? 0) || 0
  const shown = text.getText() ?? ''
  const box = { font, size, ...insideOf(widget, text.isCombed() ? 0 : 1) }
  const laidOut = text.isMultiline()
    ? wrapText(shown, { ...box, width: box.width - 1 })
    : {
        text: shown,
        size: cells > 0 ? sizeOfComb(shown, { ...box, cells }) : sizeOfLine(shown, box),
      }
  field.set(PDFName.of('V'), PDFHexString.fromText(laidOut.text))
  field.set(PDFName.of('DA'), PDFString.of(`${given} /${font.name} ${laidOut.size} Tf`))
  return raisedBy(laidOut.size, { height: box.height, isMultiline: text.isMultiline() })
}

/** Returns the size of a box within its border, as its text runs: a field may be turned on its page. */
function insideOf(widget: PDFWidgetAnnotation, padding: number): { width: number; height: number } {
  const { width, height } = widget.getRectangle()
  const edges = 2 * ((widget.getBorderStyle()?.getWidth() ?? 0) + padding)
  const isOnSide = Math.abs(widget.getAppearanceCharacteristics()?.getRotation() ?? 0) % 180 === 90
  const [across, up] = isOnSide ? [height, width] : [width, height]
  return { width: across - edges, height: up - edges }
}

function checkCharacters(text: string): void {
  const font = notoSans()
  for (const character of text.replaceAll(controls, '')) {
    if (!font.hasGlyphForCodePoint(character.codePointAt(0)!)) {
      throw new Error('the typeface lacks a character of a field')
    }
  }
}

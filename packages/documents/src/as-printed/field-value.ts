import {
  decodePDFRawStream,
  PDFArray,
  type PDFDict,
  PDFHexString,
  PDFName,
  PDFNumber,
  type PDFObject,
  PDFRawStream,
  PDFString,
} from 'pdf-lib'
import { fieldEntry } from './field-entry.ts'

/**
 * What a field shows besides its box: a text, or whether it is ticked. `given` are fields that only their own appearance
 * can show: buttons to press, signatures, passwords.
 */
export type FieldValue =
  | { kind: 'text'; text: string | undefined; isList: boolean }
  | { kind: 'tick'; isTicked: boolean; isRound: boolean }
  | { kind: 'given' }

/** Flags of fields (ISO 32000-2, 12.7.5). */
const flags = { password: 1 << 13, radio: 1 << 15, pushButton: 1 << 16, combo: 1 << 17 } as const
const off = PDFName.of('Off')

/** Returns the value of the form field of a widget. */
export function valueOfField(widget: PDFDict): FieldValue {
  const given = fieldFlags(widget)
  switch (fieldEntry(widget, 'FT')?.toString()) {
    case '/Tx':
      if ((given & flags.password) !== 0) return { kind: 'given' }
      return { kind: 'text', text: textOf(fieldEntry(widget, 'V')), isList: false }
    case '/Ch':
      return { kind: 'text', text: chosenIn(widget), isList: (given & flags.combo) === 0 }
    case '/Btn': {
      if ((given & flags.pushButton) !== 0) return { kind: 'given' }
      const state = widget.lookup(PDFName.of('AS')) ?? widget.lookup(PDFName.of('V'))
      const isTicked = state instanceof PDFName && state !== off
      return { kind: 'tick', isTicked, isRound: (given & flags.radio) !== 0 }
    }
    default:
      return { kind: 'given' }
  }
}

export function fieldFlags(widget: PDFDict): number {
  const value = fieldEntry(widget, 'Ff')
  return value instanceof PDFNumber ? value.asNumber() : 0
}

/** Returns what a person reads of the chosen options: an option may be a pair of a value and a text. */
function chosenIn(widget: PDFDict): string | undefined {
  const value = fieldEntry(widget, 'V')
  const options = fieldEntry(widget, 'Opt')
  const texts = new Map(
    itemsOf(options).map((option) => {
      const [exported, shown] = itemsOf(option).map(textOf)
      return [exported ?? textOf(option), shown ?? exported ?? textOf(option)]
    }),
  )
  const chosen = (value instanceof PDFArray ? itemsOf(value) : [value]).map(textOf)
  if (chosen.every((each) => each === undefined)) return undefined
  return chosen.map((each) => texts.get(each) ?? each ?? '').join('\n')
}

function itemsOf(value: PDFObject | undefined): (PDFObject | undefined)[] {
  return value instanceof PDFArray ? value.asArray().map((_, index) => value.lookup(index)) : []
}

/** A long text may be a stream. */
function textOf(value: PDFObject | undefined): string | undefined {
  if (value instanceof PDFString || value instanceof PDFHexString) return value.decodeText()
  if (!(value instanceof PDFRawStream)) return undefined
  const hex = Buffer.from(decodePDFRawStream(value).decode()).toString('hex')
  return PDFHexString.of(hex).decodeText()
}

import {
  PDFArray,
  type PDFDict,
  PDFHexString,
  PDFName,
  PDFNumber,
  type PDFObject,
  PDFRawStream,
  PDFString,
} from 'pdf-lib'
import { decodeContent } from '../pdf-safety/decode-content.ts'
import { fieldEntry } from './field-entry.ts'

/**
 * What a field shows besides its box: a text, or whether it is ticked. `given` are fields that only their own appearance
 * can show: buttons to press, signatures, passwords.
 */
export type FieldValue =
  | { kind: 'text'; text: string | undefined; isList: boolean; isBarcode: boolean }
  | { kind: 'tick'; isTicked: boolean; isRound: boolean }
  | { kind: 'given' }

/** Flags of fields (ISO 32000-2, 12.7.5). */
const flags = { password: 1 << 13, radio: 1 << 15, pushButton: 1 << 16, combo: 1 << 17 } as const
const off = PDFName.of('Off')

/**
 * Returns the function that reads the value of the form field of a widget. Fields may share a list of options or a long
 * text, so each is read once. A text may be cut behind `charactersMax`.
 */
export function createFieldReader(charactersMax: number): (widget: PDFDict) => FieldValue {
  const textOf = createTextReader(charactersMax)
  const optionsOf = createOptionsReader(textOf)

  /** Returns what a person reads of the chosen options. */
  function chosenIn(widget: PDFDict): string | undefined {
    const value = fieldEntry(widget, 'V')
    const given = value instanceof PDFArray ? itemsOf(value, charactersMax + 2) : [value]
    const chosen = given.map(textOf)
    if (chosen.every((each) => each === undefined)) return undefined
    const texts = optionsOf(fieldEntry(widget, 'Opt'))
    return chosen.map((each) => texts.get(each) ?? each ?? '').join('\n')
  }

  return (widget) => {
    const given = fieldFlags(widget)
    switch (fieldEntry(widget, 'FT')?.toString()) {
      case '/Tx':
        if ((given & flags.password) !== 0) return { kind: 'given' }
        return {
          kind: 'text',
          text: textOf(fieldEntry(widget, 'V')),
          isList: false,
          // what the barcode is like (Adobe's extension of the format)
          isBarcode: fieldEntry(widget, 'PMD') !== undefined,
        }
      case '/Ch':
        return {
          kind: 'text',
          text: chosenIn(widget),
          isList: (given & flags.combo) === 0,
          isBarcode: false,
        }
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
}

export function fieldFlags(widget: PDFDict): number {
  const value = fieldEntry(widget, 'Ff')
  return value instanceof PDFNumber ? value.asNumber() : 0
}

type TextReader = (value: PDFObject | undefined) => string | undefined

/** A long text may be a stream. Bytes of at most two per character are read of it. */
function createTextReader(charactersMax: number): TextReader {
  const known = new WeakMap<PDFRawStream, string>()
  return (value) => {
    if (value instanceof PDFString || value instanceof PDFHexString) return value.decodeText()
    if (!(value instanceof PDFRawStream)) return undefined
    const text = known.get(value) ?? textOfStream(value, charactersMax)
    known.set(value, text)
    return text
  }
}

function textOfStream(stream: PDFRawStream, charactersMax: number): string {
  const bytes = decodeContent(stream).subarray(0, 2 * charactersMax + 4)
  return PDFHexString.of(Buffer.from(bytes).toString('hex')).decodeText()
}

/** Returns what a person reads of each option: it may be a pair of a value and a text. */
function createOptionsReader(textOf: TextReader) {
  const known = new WeakMap<PDFObject, ReadonlyMap<string | undefined, string | undefined>>()
  return (options: PDFObject | undefined) => {
    const read =
      (options && known.get(options)) ??
      new Map(
        itemsOf(options).map((option) => {
          const [exported, shown] = itemsOf(option).map(textOf)
          return [exported ?? textOf(option), shown ?? exported ?? textOf(option)]
        }),
      )
    if (options) known.set(options, read)
    return read
  }
}

function itemsOf(value: PDFObject | undefined, itemsMax?: number): (PDFObject | undefined)[] {
  if (!(value instanceof PDFArray)) return []
  return value
    .asArray()
    .slice(0, itemsMax)
    .map((_, index) => value.lookup(index))
}

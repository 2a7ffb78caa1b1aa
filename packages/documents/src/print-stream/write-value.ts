import {
  PDFArray,
  PDFDict,
  PDFInvalidObject,
  PDFName,
  type PDFObject,
  PDFRawStream,
  PDFRef,
  PDFStream,
} from 'pdf-lib'
import type { ByteWriter } from './byte-writer.ts'

/** Returns the number of a reference's object in the new file, or undefined if there is no such object. */
type Renumber = (ref: PDFRef) => number | undefined

/**
 * Writes a value of a PDF with new object numbers. pdf-lib's own writer would create an object for each new reference
 * and keep it for the life of the process. Throws for an invalid value.
 */
export function writeValue(writer: ByteWriter, value: PDFObject, renumber: Renumber): void {
  if (value instanceof PDFRef) {
    const number = renumber(value)
    writer.text(number === undefined ? 'null' : `${number} 0 R`)
  } else if (value instanceof PDFDict) {
    writer.text('<<')
    writeEntries(writer, value.entries(), renumber)
    writer.text('>>')
  } else if (value instanceof PDFArray) {
    writeArray(writer, value.asArray(), renumber)
  } else if (value instanceof PDFStream) {
    writeStream(writer, value, renumber)
  } else if (value instanceof PDFInvalidObject) {
    throw new Error('The PDF has an object that cannot be read')
  } else {
    writer.text(value.toString())
  }
}

/** Writes what is between the brackets of a dictionary. */
export function writeEntries(
  writer: ByteWriter,
  entries: readonly (readonly [PDFName, PDFObject])[],
  renumber: Renumber,
): void {
  for (const [key, value] of entries) {
    writer.text(`${key.toString()} `)
    writeValue(writer, value, renumber)
  }
}

/** Returns the references in a value, in order, without following them. */
export function referencesIn(value: PDFObject): PDFRef[] {
  if (value instanceof PDFRef) return [value]
  if (value instanceof PDFArray) return value.asArray().flatMap(referencesIn)
  if (value instanceof PDFDict) return value.values().flatMap(referencesIn)
  if (value instanceof PDFStream)
    return streamEntries(value).flatMap(([, part]) => referencesIn(part))
  return []
}

function writeArray(writer: ByteWriter, values: readonly PDFObject[], renumber: Renumber): void {
  let separator = '['
  for (const value of values) {
    writer.text(separator)
    writeValue(writer, value, renumber)
    separator = ' '
  }
  writer.text(values.length === 0 ? '[]' : ']')
}

function writeStream(writer: ByteWriter, stream: PDFStream, renumber: Renumber): void {
  if (!(stream instanceof PDFRawStream)) throw new Error('The PDF has a stream that was not read')
  writer.text('<<')
  writeEntries(writer, streamEntries(stream), renumber)
  writer.text(`/Length ${stream.contents.length}>>\nstream\n`)
  writer.bytes(stream.contents)
  writer.text('\nendstream')
}

/** Omits the length, which may be in another object. It is written again. */
function streamEntries({ dict }: PDFStream): [PDFName, PDFObject][] {
  return dict.entries().filter(([key]) => key !== PDFName.Length)
}

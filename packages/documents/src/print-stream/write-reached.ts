import { hash } from 'node:crypto'
import type { PDFContext, PDFObject, PDFRef } from 'pdf-lib'
import type { ByteWriter } from './byte-writer.ts'
import { referencesIn, writeValue } from './write-value.ts'

/** Numbers of objects by the hash of their content, the most recently used last. */
export type KnownObjects = Map<string, number>

export type ObjectSink = {
  writer: ByteWriter
  known: KnownObjects
  /** Numbers of objects in the new file, once assigned. */
  numbers: Map<PDFRef, number>
  /** Objects that stay separate even if another has the same content. */
  unique: ReadonlySet<PDFRef>
  takeNumber(): number
  reuseNumber(): void
  /** Records that the object with this number begins at this place. */
  placed(number: number, place: number): void
}

type Frame = { ref: PDFRef; object: PDFObject; pending: PDFRef[] }

/**
 * Writes the objects that a value leads to and that are not written yet, each after the objects it leads to. Its
 * content is then final, so a known object with the same content can replace it. Objects that refer to each other in a
 * cycle are never replaced, because the first of them has its number before it is written.
 */
export function writeReached(sink: ObjectSink, context: PDFContext, from: readonly PDFRef[]): void {
  const open = new Set<PDFRef>()
  const frames: Frame[] = []

  function enter(ref: PDFRef): void {
    const object = context.lookup(ref)
    if (!object || open.has(ref) || sink.numbers.has(ref)) return
    open.add(ref)
    frames.push({ ref, object, pending: referencesIn(object).reverse() })
  }

  function renumber(ref: PDFRef): number | undefined {
    if (!sink.numbers.has(ref) && open.has(ref)) sink.numbers.set(ref, sink.takeNumber())
    return sink.numbers.get(ref)
  }

  for (const ref of from) {
    enter(ref)
    for (let frame = frames.at(-1); frame; frame = frames.at(-1)) {
      const next = frame.pending.pop()
      if (next) {
        enter(next)
        continue
      }
      frames.pop()
      writeOne(sink, frame, renumber)
      open.delete(frame.ref)
    }
  }
}

function writeOne(
  sink: ObjectSink,
  { ref, object }: Frame,
  renumber: (ref: PDFRef) => number | undefined,
): void {
  const { writer, known, numbers, unique } = sink
  const place = writer.length
  // Parts of a cycle take their numbers before this object does.
  for (const part of referencesIn(object)) renumber(part)
  const given = numbers.get(ref)
  const number = given ?? sink.takeNumber()
  writer.text(`${number} 0 obj\n`)
  const body = writer.length
  writeValue(writer, object, renumber)
  const digest = hash('sha256', writer.since(body), 'base64')
  const same = known.get(digest)
  if (same !== undefined && given === undefined && !unique.has(ref)) {
    writer.cut(place)
    sink.reuseNumber()
    numbers.set(ref, same)
    remember(known, digest, same)
    return
  }
  writer.text('\nendobj\n')
  sink.placed(number, place)
  numbers.set(ref, number)
  if (given === undefined && !unique.has(ref)) remember(known, digest, number)
}

function remember(known: KnownObjects, digest: string, number: number): void {
  known.delete(digest)
  known.set(digest, number)
}

import { londonDateOf } from '@despatch/domain/calendar/london'
import { z } from 'zod'

/** A time in an answer, which is stored as a Date. */
export const storedTime = z.pipe(
  z.transform((at: Date) => at.toISOString()),
  z.iso.datetime(),
)

/** A day in an answer, which is stored as the Date of its beginning in London. */
export const storedDay = z.pipe(
  z.transform((start: Date) => londonDateOf(start)),
  z.iso.date(),
)

/** Text in an answer, which is stored as bytes. */
export const storedText = z.pipe(
  z.transform((bytes: Uint8Array) => new TextDecoder().decode(bytes)),
  z.string(),
)

/** An object in an answer, which is stored as the bytes of its JSON. */
export const storedJson = z.pipe(
  z.transform((bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes))),
  z.record(z.string(), z.unknown()),
)

const undefinedIfNull: unknown = z.transform((value) => value ?? undefined)

/** A member of an answer that is absent if it is stored as null. */
export function ifKnown<Schema extends z.ZodType>(schema: Schema) {
  return z.pipe(undefinedIfNull as NullAsUndefined<Schema>, schema.optional())
}

type NullAsUndefined<Schema> = z.ZodTransform<z.input<Schema> | undefined, z.input<Schema> | null>

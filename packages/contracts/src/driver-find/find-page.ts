import { z } from 'zod'
import { customIssue } from '../text.ts'

const findLimitDefault = 20
/** Spec: a release raised the maximum limit but does not state it. */
const findLimitMax = 50
/** Spec. */
const findOffsetMax = 49

const bounds = {
  limit: { min: 1, max: findLimitMax },
  offset: { min: 0, max: findOffsetMax },
}
type PageMember = keyof typeof bounds

/** Limit and offset as they may occur in one part of a request. */
type PagePart = { limit?: number | undefined; offset?: number | undefined }
type Page = { limit: number; offset: number }

/** Schema of limit and offset as text, for request headers or the query string. Other members are ignored. */
export function pageText(place: string) {
  const member = (name: PageMember) =>
    z
      .unknown()
      .transform((value, context) => {
        if (value === undefined) return undefined
        const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : -1
        if (isWithin(name, number)) return number
        context.addIssue(wrongNumber(name, place, value))
        return z.NEVER
      })
      .meta({ type: 'integer', minimum: bounds[name].min, maximum: bounds[name].max })
      .optional()
  return z.object({ limit: member('limit'), offset: member('offset') })
}

/** Schema of a limit or offset in the body. */
export function pageNumber(name: PageMember) {
  const { min, max } = bounds[name]
  return z
    .unknown()
    .transform((value, context) => {
      if (isWithin(name, value)) return value
      context.addIssue(wrongNumber(name, 'request body', value))
      return z.NEVER
    })
    .meta({ type: 'integer', minimum: min, maximum: max })
    .exactOptional()
}

/** Returns the requested page. Limit and offset are each taken from the first place that has them. */
export function pageOf(places: readonly PagePart[]): Page {
  const first = (name: PageMember) => places.find((place) => place[name] !== undefined)?.[name]
  return { limit: first('limit') ?? findLimitDefault, offset: first('offset') ?? 0 }
}

function isWithin(name: PageMember, value: unknown): value is number {
  const { min, max } = bounds[name]
  return Number.isInteger(value) && Number(value) >= min && Number(value) <= max
}

function wrongNumber(name: PageMember, place: string, input: unknown) {
  const { min, max } = bounds[name]
  const message = `${place}: a whole number from ${min} to ${max}`
  return { ...customIssue({ code: 'InvalidFormat', message }, input), continue: false }
}

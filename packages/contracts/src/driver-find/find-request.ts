import { countFindCriteria, findCriteriaMin } from '@despatch/domain/driver/find-criteria'
import {
  type PostcodeSearch,
  parsePostcodeSearch,
  planPostcodeSearch,
} from '@despatch/domain/driver/postcode-search'
import { type Gender, genders } from '@despatch/domain/driver/values'
import { z } from 'zod'
import { customIssue, text } from '../text.ts'
import { pageNumber } from './find-page.ts'

export const nameCharactersMax = 100
const nameMatchTypes = ['exact', 'phonetic', 'token'] as const
const orders = ['relevance', 'lastName', 'dateOfBirth'] as const

export const findCriteriaSchema = z.object({
  firstNames: name().exactOptional(),
  lastName: name().exactOptional(),
  fullName: name()
    .exactOptional()
    .describe(
      'First names and last name in one string, in any order. Counts as both criteria. Each word must match or sound ' +
        'like a first name or a word of the last name, and at least one word must match the last name.',
    ),
  dateOfBirth: z
    .string()
    .check(rule(isDay, 'a date that exists, as YYYY-MM-DD'))
    .meta({ format: 'date' })
    .exactOptional(),
  postcode: z
    .string()
    .check(
      rule(
        (given) => parsePostcodeSearch(given) !== undefined,
        'a UK postcode, an outward code, or an outward code with the sector',
      ),
    )
    .exactOptional()
    .describe(
      'A postcode. While partial postcodes are included, also the first part of one: AB1, AB1 2',
    ),
  gender: z
    .string()
    .check(rule((given) => genderOf(given) !== undefined, `one of ${genders.join(', ')}`))
    .transform((given) => genderOf(given) ?? 'Male')
    .meta({ examples: genders })
    .exactOptional(),
})

export const findOptionsSchema = z.object({
  lastNameMatchType: z.enum(nameMatchTypes).default('exact'),
  firstNamesMatchType: z.enum(nameMatchTypes).default('phonetic'),
  searchNamesOnPreviousLicences: z.boolean().default(true),
  searchDateOfBirthOnPreviousLicences: z.boolean().default(true),
  includeImagesInResults: z.boolean().exactOptional().describe('Defaults to false'),
  includeImagesInResponse: z
    .boolean()
    .exactOptional()
    .describe('Alias of includeImagesInResults, which takes precedence'),
  includePartialPostcodesInResults: z
    .boolean()
    .default(true)
    .describe(
      'A partial postcode matches postcodes that begin with it. A whole postcode also matches drivers for whom only a ' +
        'part of it is held',
    ),
  orderBy: z.enum(orders).default('relevance'),
  limit: pageNumber('limit'),
  offset: pageNumber('offset'),
})

/** The body of a search. Unknown members are removed; null is refused. Every violation is reported. */
export const findRequestSchema = z
  .object({
    criteria: findCriteriaSchema.describe('At least 3 criteria'),
    options: findOptionsSchema.prefault({}),
    limit: pageNumber('limit'),
    offset: pageNumber('offset'),
  })
  .superRefine(
    (body, context) => {
      if (countFindCriteria(body.criteria) < findCriteriaMin) {
        context.addIssue({ ...customIssue(tooFewCriteria, undefined), path: ['criteria'] })
      }
      if (asksPartially(body)) {
        context.addIssue({ ...customIssue(partial, undefined), path: ['criteria', 'postcode'] })
      }
    },
    // Checked even if a member has a violation of its own.
    { when: ({ value }) => isObject(value) && isObject(value.criteria) },
  )

export type FindRequest = z.output<typeof findRequestSchema>

/** Returns what to search for, with the way to match the postcode. */
export function criteriaOf({
  criteria,
  options,
}: FindRequest): Omit<FindRequest['criteria'], 'postcode'> & { postcode?: PostcodeSearch } {
  const { postcode, ...others } = criteria
  const sought = postcode === undefined ? undefined : parsePostcodeSearch(postcode)
  if (!sought) return others
  return {
    ...others,
    postcode: planPostcodeSearch(sought, options.includePartialPostcodesInResults),
  }
}

/** The option has two names. The specification's name takes precedence over that of its release note. */
export function wantsImages({ options }: FindRequest): boolean {
  return options.includeImagesInResults ?? options.includeImagesInResponse ?? false
}

const usualOptions: Readonly<Record<string, unknown>> = findOptionsSchema.parse({})

/**
 * Returns the names of the criteria and of the options that differ from their defaults, for the enquiry audit. Never a
 * value that the caller typed.
 */
export function requestedFieldsOf({ criteria, options }: FindRequest): string[] {
  const { limit: _, offset: __, ...choices } = options
  return [
    ...Object.keys(criteria),
    ...Object.entries(choices)
      .filter(([option, choice]) => choice !== (usualOptions[option] ?? false))
      .map(([option, choice]) => `${option}=${choice}`),
  ]
}

const tooFewCriteria = {
  code: 'Size',
  message: 'any 3 of firstNames, lastName, dateOfBirth, postcode, gender; fullName counts as two',
}
const partial = {
  code: 'InvalidFormat',
  message: 'a whole postcode, unless includePartialPostcodesInResults is true',
}

function name() {
  return text({ min: 1, max: nameCharactersMax }).check(
    rule((given) => /\p{L}/u.test(given), 'a name with a letter in it'),
  )
}

/** Creates a rule whose message completes "Invalid format for field (…)". */
function rule(keeps: (given: string) => boolean, message: string) {
  return ({ value, issues }: { value: string; issues: unknown[] }) => {
    if (issues.length > 0 || keeps(value)) return
    issues.push(customIssue({ code: 'InvalidFormat', message }, value))
  }
}

// PostgreSQL's dates start in the year 1.
function isDay(given: string): boolean {
  return z.iso.date().safeParse(given).success && !given.startsWith('0000')
}

function genderOf(given: string): Gender | undefined {
  return genders.find((gender) => gender.toLowerCase() === given.toLowerCase())
}

// May be called with a body that has violations.
function asksPartially(body: FindRequest): boolean {
  const { criteria, options } = body
  if (options?.includePartialPostcodesInResults !== false) return false
  const { postcode } = criteria
  return typeof postcode === 'string' && parsePostcodeSearch(postcode)?.kind === 'partial'
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

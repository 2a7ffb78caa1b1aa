import { type Address, structuredAddressFields } from '@despatch/domain/address/address'
import { z } from 'zod'
import { alwaysChecked } from '../always-checked.ts'
import { customIssue, integer, text } from '../text.ts'

const requiredLine = text({ min: 1, max: 45 })
const optionalLine = text({ max: 45 }).exactOptional()
const nullableText = text().nullable().exactOptional()
const nullableLine = text({ min: 1, max: 45 }).nullable().exactOptional()

/** Spec: at least one of these must not be empty. */
const locatingFields = [
  'departmentName',
  'organisationName',
  'poBoxNumber',
  'buildingNumber',
  'subBuildingName',
  'buildingName',
  'thoroughfareName',
  'doubleDependentLocality',
  'dependentThoroughfareName',
  'dependentLocality',
  'postTown',
] as const

type StructuredField = (typeof structuredAddressFields)[number]

export const structuredAddressSchema = alwaysChecked(
  z.object(
    Object.fromEntries(structuredAddressFields.map((field) => [field, nullableText])) as Record<
      StructuredField,
      typeof nullableText
    >,
  ),
  (value, context) => {
    if (!isObject(value) || locatingFields.some((field) => value[field])) return
    const message = `must have at least one of ${locatingFields.join(', ')}`
    context.addIssue(customIssue({ code: 'NotEmpty', message }, value))
  },
)

export const unstructuredAddressSchema = z.object({
  line1: requiredLine,
  line2: optionalLine,
  line3: optionalLine,
  line4: optionalLine,
  line5: optionalLine,
  postcode: text({ min: 1, max: 10 }),
  dps: text({ max: 2 }).exactOptional(),
})

export const bfpoAddressSchema = z.object({
  line1: requiredLine.describe('Service number, rank, name'),
  line2: nullableLine.describe('Unit or regiment'),
  line3: nullableLine.describe('Operation'),
  line4: nullableLine.describe('Barracks, camp, air station or ship'),
  bfpoNumber: integer({ min: 1, max: 9999 }),
  postcode: text({ min: 1, max: 10 }).exactOptional(),
  language: nullableText,
  country: nullableText,
})

export const internationalAddressSchema = z.object({
  line1: requiredLine,
  line2: optionalLine,
  line3: optionalLine,
  line4: optionalLine,
  line5: optionalLine,
  country: text({ min: 1, max: 256 }),
})

const kinds = {
  structuredAddress: structuredAddressSchema.exactOptional(),
  unstructuredAddress: unstructuredAddressSchema.exactOptional(),
  bfpoAddress: bfpoAddressSchema.exactOptional(),
  internationalAddress: internationalAddressSchema.exactOptional(),
}
const kindNames = Object.keys(kinds)

const oneOfFour = alwaysChecked(z.object(kinds), (value, context) => {
  const given = isObject(value) ? kindNames.filter((name) => name in value) : []
  if (!isObject(value) || given.length === 1) return
  const but = given.length > 1 ? `, but has ${given.join(' and ')}` : ''
  const message = `must have exactly one of ${kindNames.join(', ')}${but}`
  context.addIssue(customIssue({ code: 'OneOf', message }, value))
})

/** Spec: exactly one of the four address kinds. The check above makes the cast to the domain's union valid. */
export const addressSchema = oneOfFour as unknown as z.ZodType<Address, Address>

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

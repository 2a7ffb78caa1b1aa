import { z } from 'zod'

/**
 * A callback as the strictest known consumer accepts it: its schema, then what its handler requires beyond the schema.
 * Unknown members are allowed everywhere; null is allowed nowhere.
 */
const text = z.string()
const wholeSecondsUtc = text.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
const despatchProperty = z.looseObject({ key: text, value: text })

const despatchProperties = z
  .array(despatchProperty)
  .min(3)
  .refine(
    (properties) =>
      new Set(properties.map(({ key, value }) => `${key}\0${value}`)).size === properties.length,
    'holds two equal properties',
  )

const postageClass = z.enum(['1ST', '2ND', 'INTERNATIONAL'])
const mailingProduct = z.enum([
  'UNCODED',
  'MM UNSORTED',
  'UNSORTED',
  'MM',
  'INT EU',
  'INT ROW',
  'UNSORTEDE',
  'MM ECONOMY',
])
const totalSheets = text.regex(/^\d+$/)

const statusChange = {
  jobId: z.uuid(),
  transitionDate: wholeSecondsUtc,
  comment: text.optional(),
  jobType: text.optional(),
  templateReference: text.optional(),
}

const despatched = z
  .looseObject({ ...statusChange, jobStatus: z.literal('DESPATCHED'), despatchProperties })
  .refine(({ despatchProperties }) => {
    const value = (key: string) =>
      despatchProperties.find((property) => property.key === key)?.value
    return (
      totalSheets.safeParse(value('totalSheets')).success &&
      postageClass.safeParse(value('postageClass')).success &&
      mailingProduct.safeParse(value('mailingProduct')).success
    )
  }, 'needs totalSheets, postageClass and mailingProduct')

const rejected = z.looseObject({
  ...statusChange,
  jobStatus: z.literal('REJECTED'),
  despatchProperties: despatchProperties.optional(),
})

export const callbackEnvelope = z.looseObject({
  id: text,
  time: z.iso.datetime({ offset: true }),
  data: z.discriminatedUnion('jobStatus', [despatched, rejected]),
  metadata: z.looseObject({ correlationId: text }),
  specVersion: text.optional(),
  type: text.optional(),
  source: text.optional(),
  dataContentType: z.literal('application/json').optional(),
})
